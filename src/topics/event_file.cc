#include "topics/event_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/file_reader.h"
#include "base/system_call.h"
#include "sda/errors.h"

namespace sda {
namespace {

// More events than that do not follow a checkpoint.
constexpr uint64_t kLooked = uint64_t{4} << 20;

}  // namespace

EventFile::EventFile(std::string path, bool resume, Context context)
    : path_(std::move(path)), context_(std::move(context)) {
  fd_ = Uninterrupted([&] {
    return open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  });
  struct stat info;
  if (fd_ < 0 || fstat(fd_, &info) != 0) {
    const std::string reason = std::strerror(errno);
    Close(&fd_);
    throw IoError(path_ + ": cannot open: " + reason);
  }
  // A pipe whose reader ends would end the program.
  if (!S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode)) {
    Close(&fd_);
    throw UsageError(path_ +
                     ": is no ordinary file; for a pipe, --events - writes to standard output");
  }
  if (resume && S_ISREG(info.st_mode)) ReadLines();
}

EventFile::~EventFile() { Close(&fd_); }

void EventFile::ReadLines() {
  const FileReader file(path_);
  const uint64_t begin = file.size() - std::min(file.size(), kLooked);
  const std::string text = file.Read(begin, file.size() - begin);
  size_t start = 0;
  for (size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
    had_.insert(text.substr(start, end - start));
  }
  if (start == text.size()) return;
  const auto whole = static_cast<off_t>(begin + start);
  if (Uninterrupted([&] { return ftruncate(fd_, whole); }) != 0) {
    throw IoError(path_ + ": cannot truncate: " + std::strerror(errno));
  }
}

void EventFile::Write(const TopicEvent& event) {
  const std::string json = ToJson(event);
  if (had_.contains(json)) return;
  const std::string line = json + "\n";
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t written = Uninterrupted([&] { return write(fd_, left.data(), left.size()); });
    if (written <= 0) {
      if (!std::exchange(failed_, true)) {
        context_.Log(path_ + ": cannot write an event: " + std::strerror(errno) +
                     "; it is lost: " + json);
      }
      return;
    }
    left.remove_prefix(static_cast<size_t>(written));
  }
  failed_ = false;
}

}  // namespace sda
