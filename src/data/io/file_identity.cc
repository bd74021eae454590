#include "data/io/file_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/safe_file.h"
#include "sda/errors.h"

namespace sda {
namespace {

constexpr uint64_t kHeadBytes = uint64_t{1} << 16;

// Of the file's first bytes; fewer if it has no more, and their number is then lowered.
uint64_t HeadChecksum(int fd, uint64_t* bytes) {
  std::string head(*bytes, '\0');
  uint64_t filled = 0;
  while (filled < head.size()) {
    const ssize_t n =
        pread(fd, head.data() + filled, head.size() - filled, static_cast<off_t>(filled));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    filled += n;
  }
  *bytes = filled;
  return Checksum(std::string_view(head).substr(0, filled));
}

bool BeginsWith(int fd, uint64_t bytes, uint64_t checksum) {
  if (bytes > kHeadBytes) return false;  // no identity has so many
  uint64_t found = bytes;
  return HeadChecksum(fd, &found) == checksum && found == bytes;
}

// When the file was made, in nanoseconds; 0 if that is not known.
uint64_t BirthOf(int fd) {
  struct statx info;
  if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &info) != 0) return 0;
  if ((info.stx_mask & STATX_BTIME) == 0) return 0;
  return static_cast<uint64_t>(info.stx_btime.tv_sec) * 1'000'000'000 + info.stx_btime.tv_nsec;
}

uint64_t Nanoseconds(const timespec& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

void LearnHead(int fd, uint64_t bytes, FileIdentity* identity) {
  uint64_t wanted = std::min(bytes, kHeadBytes);
  if (wanted <= identity->head_bytes) return;
  const uint64_t checksum = HeadChecksum(fd, &wanted);
  if (wanted <= identity->head_bytes) return;  // truncated meanwhile
  identity->head_bytes = wanted;
  identity->head_checksum = checksum;
  identity->first_bytes = std::min(wanted, FileIdentity::kTellingBytes);
  identity->first_checksum = HeadChecksum(fd, &identity->first_bytes);
}

}  // namespace

FileIdentity FileIdentity::Of(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0) throw std::system_error(errno, std::generic_category(), "fstat");
  FileIdentity identity;
  identity.device = info.st_dev;
  identity.inode = info.st_ino;
  identity.birth = BirthOf(fd);
  identity.modified = Nanoseconds(info.st_mtim);
  LearnHead(fd, info.st_size, &identity);
  return identity;
}

FileIdentity FileIdentity::Of(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw InputError(path + ": cannot open: " + ErrorText());
  try {
    const FileIdentity identity = Of(fd);
    close(fd);
    return identity;
  } catch (...) {
    close(fd);
    throw;
  }
}

void FileIdentity::Update(int fd, uint64_t bytes_read) {
  size = bytes_read;
  LearnHead(fd, bytes_read, this);
}

std::array<uint64_t, FileIdentity::kNumbers> FileIdentity::ToNumbers() const {
  return {device,      inode,          size,  head_bytes, head_checksum,
          first_bytes, first_checksum, birth, modified};
}

FileIdentity FileIdentity::FromNumbers(std::span<const uint64_t, kNumbers> numbers) {
  return {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4],
          numbers[5], numbers[6], numbers[7], numbers[8]};
}

FoundFile::FoundFile(const std::string& path)
    : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  good_ = fd_ >= 0 && fstat(fd_, &info_) == 0 && S_ISREG(info_.st_mode);
}

FoundFile::~FoundFile() {
  if (fd_ >= 0) close(fd_);
}

bool FoundFile::SameInode(const FileIdentity& identity) const {
  if (!good_ || info_.st_ino != identity.inode || info_.st_dev != identity.device) return false;
  const uint64_t birth = identity.birth == 0 ? 0 : BirthOf(fd_);
  return birth == 0 || birth == identity.birth;
}

uint64_t FoundFile::modified() const { return good_ ? Nanoseconds(info_.st_mtim) : 0; }

uint64_t FoundFile::birth() const { return good_ ? BirthOf(fd_) : 0; }

bool FoundFile::SameHead(const FileIdentity& identity) const {
  return good_ && BeginsWith(fd_, identity.head_bytes, identity.head_checksum);
}

bool BeginsAsBefore(int fd, const FileIdentity& identity) {
  return BeginsWith(fd, identity.first_bytes, identity.first_checksum);
}

bool BeginsAsFarAsKnown(int fd, const FileIdentity& identity) {
  struct stat info;
  if (fstat(fd, &info) != 0 || static_cast<uint64_t>(info.st_size) < identity.head_bytes) {
    return BeginsAsBefore(fd, identity);
  }
  return BeginsWith(fd, identity.head_bytes, identity.head_checksum);
}

}  // namespace sda
