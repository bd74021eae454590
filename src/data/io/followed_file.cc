#include "data/io/followed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/safe_file.h"
#include "sda/errors.h"

namespace sda {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kHeadBytes = uint64_t{1} << 16;
// Two files with this many equal bytes at their beginnings are the same, or one is a copy.
constexpr uint64_t kTellingBytes = 1024;

uint64_t HeadChecksum(int fd, uint64_t bytes) {
  std::string head(bytes, '\0');
  uint64_t filled = 0;
  while (filled < bytes) {
    const ssize_t n = pread(fd, head.data() + filled, bytes - filled, static_cast<off_t>(filled));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    filled += n;
  }
  return Checksum(std::string_view(head).substr(0, filled));
}

// When the file was made, in nanoseconds; 0 if that is not known.
uint64_t BirthOf(int fd) {
  struct statx info;
  if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &info) != 0) return 0;
  if ((info.stx_mask & STATX_BTIME) == 0) return 0;
  return static_cast<uint64_t>(info.stx_btime.tv_sec) * 1'000'000'000 + info.stx_btime.tv_nsec;
}

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    good_ = fd_ >= 0 && fstat(fd_, &info_) == 0 && S_ISREG(info_.st_mode);
  }
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool SameInode(const FileIdentity& identity) const {
    if (!good_ || info_.st_ino != identity.inode || info_.st_dev != identity.device) return false;
    const uint64_t birth = identity.birth == 0 ? 0 : BirthOf(fd_);
    return birth == 0 || birth == identity.birth;
  }
  bool SameContent(const FileIdentity& identity) const {
    return good_ && size() >= identity.size && SameHead(identity);
  }
  bool SameHead(const FileIdentity& identity) const {
    return good_ && size() >= identity.head_bytes &&
           HeadChecksum(fd_, identity.head_bytes) == identity.head_checksum;
  }
  bool BeginsAsBefore(const FileIdentity& identity) const {
    return good_ && size() >= identity.first_bytes &&
           HeadChecksum(fd_, identity.first_bytes) == identity.first_checksum;
  }
  uint64_t size() const { return info_.st_size; }

 private:
  int fd_;
  bool good_ = false;
  struct stat info_ = {};
};

// The files beside it whose names begin with its own, and then . or -.
std::vector<std::string> Relatives(const std::string& name) {
  const fs::path path(name);
  const std::string own = path.filename().string();
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> found;
  std::error_code ignored;
  for (fs::directory_iterator i(folder, ignored), end; i != end; i.increment(ignored)) {
    const std::string other = i->path().filename().string();
    if (other.size() <= own.size() || !other.starts_with(own)) continue;
    if (other[own.size()] != '.' && other[own.size()] != '-') continue;
    found.push_back(path.has_parent_path() ? i->path().string() : other);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// As logrotate and its like name what they rotate: NAME.1, NAME-20260131, NAME.2026-01-31.gz.
bool IsRotated(const std::string& relative, const std::string& name) {
  const std::string own = fs::path(name).filename().string();
  const std::string rest = fs::path(relative).filename().string().substr(own.size() + 1);
  return !rest.empty() && rest[0] >= '0' && rest[0] <= '9';
}

bool IsLater(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

}  // namespace

FileIdentity FileIdentity::Of(int fd, uint64_t bytes_read) {
  struct stat info;
  if (fstat(fd, &info) != 0) throw std::system_error(errno, std::generic_category(), "fstat");
  FileIdentity identity;
  identity.device = info.st_dev;
  identity.inode = info.st_ino;
  identity.birth = BirthOf(fd);
  identity.Update(fd, bytes_read);
  return identity;
}

void FileIdentity::Update(int fd, uint64_t bytes_read) {
  size = bytes_read;
  const uint64_t wanted = std::min(bytes_read, kHeadBytes);
  if (wanted <= head_bytes) return;
  head_bytes = wanted;
  head_checksum = HeadChecksum(fd, wanted);
  first_bytes = std::min(wanted, kTellingBytes);
  first_checksum = HeadChecksum(fd, first_bytes);
}

std::array<uint64_t, FileIdentity::kNumbers> FileIdentity::ToNumbers() const {
  return {device, inode, size, head_bytes, head_checksum, first_bytes, first_checksum, birth};
}

FileIdentity FileIdentity::FromNumbers(std::span<const uint64_t, kNumbers> numbers) {
  return {numbers[0], numbers[1], numbers[2], numbers[3],
          numbers[4], numbers[5], numbers[6], numbers[7]};
}

FollowedPlace FindFollowed(const std::string& name, const FileIdentity& identity) {
  const OpenFile named(name);
  if (named.SameInode(identity) && named.SameContent(identity)) return {name};
  const std::vector<std::string> relatives = Relatives(name);
  for (const std::string& path : relatives) {
    const OpenFile file(path);
    if (file.SameInode(identity) && file.SameContent(identity)) return {path};
  }
  if (identity.head_bytes >= kTellingBytes) {
    if (named.SameContent(identity)) return {name};
    for (const std::string& path : relatives) {
      if (OpenFile(path).SameContent(identity)) return {path};
    }
  }
  if (named.SameInode(identity) && named.BeginsAsBefore(identity)) {
    throw InputError(
        fmt::format("{}: has {} bytes, but {} were read before, and begins as it did, so that its "
                    "first documents would be counted twice; restore the earlier content",
                    name, named.size(), identity.size));
  }
  if (named.SameInode(identity)) return {name, true};
  throw InputError(
      fmt::format("{}: is another file than the one that was followed, of which {} bytes are read: "
                  "that one is missing, also as {}.1 or a similar name; put it there, not "
                  "compressed, so that the rest of it is read",
                  name, identity.size, name));
}

void ExpectNoneFolded(const std::string& name, bool from_start, std::span<const uint64_t> items) {
  if (!from_start || items.empty()) return;
  throw InputError(
      fmt::format("{}: was truncated since the checkpoint, which holds some of the data after the "
                  "place to resume from, but not all: the rest is lost; restore the earlier "
                  "content, as {} or as {}.1, or start from scratch",
                  name, name, name));
}

void ExpectNoCopy(const std::string& name, const FileIdentity& identity) {
  if (identity.head_bytes < kTellingBytes || !OpenFile(name).SameHead(identity)) return;
  throw InputError(fmt::format(
      "{}: was replaced by a file that begins as the one before, so that its first documents would "
      "be counted twice; a run with --checkpoint continues in it with --resume",
      name));
}

void ExpectNoneBetween(const std::string& name, int fd) {
  struct stat old_file;
  struct stat named_file;
  if (fstat(fd, &old_file) != 0 || stat(name.c_str(), &named_file) != 0) return;
  for (const std::string& path : Relatives(name)) {
    struct stat other;
    if (!IsRotated(path, name) || stat(path.c_str(), &other) != 0 || other.st_size == 0) continue;
    const bool one_of_them = other.st_ino == old_file.st_ino || other.st_ino == named_file.st_ino;
    if (one_of_them || !IsLater(other.st_mtim, old_file.st_mtim)) continue;
    throw InputError(fmt::format(
        "{}: was replaced more than once while it was not read: {} seems to come between the file "
        "that was read and the current one; append it to the file before it, remove it, and resume",
        name, path));
  }
}

}  // namespace sda
