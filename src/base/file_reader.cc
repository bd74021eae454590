#include "base/file_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>

#include "base/safe_file.h"
#include "base/system_call.h"
#include "sda/errors.h"

namespace sda {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

}  // namespace

FileReader::FileReader(const std::string& path)
    : path_(path), fd_(Uninterrupted([&] {
        // Not to wait for a writer, should it be a named pipe.
        return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
      })) {
  if (fd_ < 0) throw IoError(path_ + ": cannot open: " + ErrorText());
  struct stat info;
  const bool known = fstat(fd_, &info) == 0;
  if (known && S_ISREG(info.st_mode)) {
    size_ = info.st_size;
    return;
  }
  const std::string reason = ErrorText();
  Close(&fd_);
  if (known) throw InputError(path_ + ": is not a file");
  throw IoError(path_ + ": cannot open: " + reason);
}

FileReader::~FileReader() { Close(&fd_); }

void FileReader::Read(uint64_t begin, void* data, size_t size) const {
  char* at = static_cast<char*>(data);
  for (size_t done = 0; done < size;) {
    const ssize_t n = Uninterrupted(
        [&] { return pread(fd_, at + done, size - done, static_cast<off_t>(begin + done)); });
    if (n < 0) throw IoError(path_ + ": cannot read: " + ErrorText());
    if (n == 0) {
      throw InputError(fmt::format(
          "{}: was cut off while it was read: it had {} bytes when it was opened", path_, size_));
    }
    done += n;
  }
}

std::string FileReader::Read(uint64_t begin, size_t size) const {
  std::string bytes(size, '\0');
  Read(begin, bytes.data(), size);
  return bytes;
}

void FileReader::ForEachPiece(uint64_t begin, uint64_t end, size_t unit,
                              const std::function<void(std::string_view piece)>& use) const {
  const size_t most = std::max(kPieceBytes / unit, size_t{1}) * unit;
  const auto piece = std::make_unique_for_overwrite<char[]>(std::min<uint64_t>(most, end - begin));
  while (begin < end) {
    const size_t size = std::min<uint64_t>(most, end - begin);
    Read(begin, piece.get(), size);
    use({piece.get(), size});
    begin += size;
  }
}

uint32_t FileReader::ChecksumOf(uint64_t begin, uint64_t end) const {
  uint32_t checksum = 0;
  ForEachPiece(begin, end, 1,
               [&](std::string_view piece) { checksum = Checksum(piece, checksum); });
  return checksum;
}

}  // namespace sda
