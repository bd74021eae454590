#include "base/settings_text.h"

#include <fcntl.h>

#include "base/safe_file.h"
#include "base/system_call.h"
#include "sda/errors.h"

namespace sda {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;

struct OpenFile {
  ~OpenFile() { Close(&fd); }
  int fd;
};

}  // namespace

std::string ReadSettingsText(const std::string& path) {
  const OpenFile file{Uninterrupted([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC); })};
  std::string text;
  size_t used = 0;
  while (file.fd >= 0) {
    constexpr size_t kPiece = size_t{1} << 12;
    text.resize(used + kPiece);
    const ssize_t n = Uninterrupted([&] { return read(file.fd, text.data() + used, kPiece); });
    if (n < 0) break;
    used += static_cast<size_t>(n);
    text.resize(used);
    if (n == 0) return text;
    if (used > kMostBytes) throw InputError(path + ": has more than 1 MB, expected settings");
  }
  throw IoError(path + ": cannot read: " + ErrorText());
}

}  // namespace sda
