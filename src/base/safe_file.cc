#include "base/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <utility>

#include "sda/errors.h"

namespace sda {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBufferBytes = size_t{1} << 20;

SafeFile::Fault& InjectedFault() {
  static SafeFile::Fault fault;
  return fault;
}

// The error number of a step that must not be tried; 0: try it.
int FaultOf(SaveStep step, size_t* bytes = nullptr) {
  const SafeFile::Fault& fault = InjectedFault();
  size_t ignored = 0;
  return fault ? fault(step, bytes == nullptr ? &ignored : bytes) : 0;
}

// A system call that returns a negative number and sets errno, or the fault in its place.
template <class Call>
int ErrorOf(SaveStep step, const Call& call) {
  const int fault = FaultOf(step);
  if (fault != 0) return fault;
  return call() < 0 ? errno : 0;
}

std::string Folder(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

std::string ErrorText() { return std::generic_category().message(errno); }

uint32_t Checksum(std::string_view bytes, uint32_t before) {
  if (bytes.empty()) return before;  // zlib takes a null pointer as a request to start from scratch
  return static_cast<uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void SafeFile::InjectFaults(Fault fault) { InjectedFault() = std::move(fault); }

void RemoveLeftovers(const std::string& path) {
  const std::string prefix = fs::path(path).filename().string() + ".tmp.";
  std::error_code ignored;
  for (fs::directory_iterator i(Folder(path), ignored), end; i != end; i.increment(ignored)) {
    const std::string name = i->path().filename().string();
    if (!name.starts_with(prefix) || name.size() == prefix.size() ||
        !std::all_of(name.begin() + prefix.size(), name.end(), ::isdigit)) {
      continue;  // of another process
    }
    const int fd = open(i->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) continue;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) fs::remove(i->path(), ignored);
    close(fd);
  }
}

SafeFile::SafeFile(const std::string& path)
    : path_(fs::is_symlink(path) ? fs::weakly_canonical(path).string() : path),
      temporary_(path_ + ".tmp." + std::to_string(getpid())) {
  RemoveLeftovers(path_);
  const int error = ErrorOf(SaveStep::kOpen, [&] {
    return fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  });
  Check(error, "cannot write");
  flock(fd_, LOCK_EX | LOCK_NB);  // see RemoveLeftovers
}

SafeFile::~SafeFile() {
  if (fd_ >= 0) close(fd_);
  if (!renamed_) unlink(temporary_.c_str());
}

void SafeFile::Write(const void* data, size_t size) {
  const std::string_view bytes(static_cast<const char*>(data), size);
  checksum_ = Checksum(bytes, checksum_);
  if (buffer_.size() + size > kBufferBytes) Flush();
  if (size > kBufferBytes) return WriteNow(bytes.data(), bytes.size());
  buffer_.append(bytes);
}

void SafeFile::WriteAt(uint64_t offset, std::string_view bytes) {
  Flush();
  if (lseek(fd_, static_cast<off_t>(offset), SEEK_SET) < 0) Check(errno, "cannot write");
  WriteNow(bytes.data(), bytes.size());
  if (lseek(fd_, 0, SEEK_END) < 0) Check(errno, "cannot write");
}

void SafeFile::Commit() {
  Flush();
  Check(ErrorOf(SaveStep::kSync, [&] { return fsync(fd_); }), "cannot sync");
  Check(ErrorOf(SaveStep::kClose, [&] { return close(std::exchange(fd_, -1)); }), "cannot close");
  Check(ErrorOf(SaveStep::kRename, [&] { return rename(temporary_.c_str(), path_.c_str()); }),
        "cannot rename the new file to it");
  renamed_ = true;
  SyncDirectory();
}

void SafeFile::SyncDirectory() const {
  const int directory = open(Folder(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;  // may be written to but not read: the rename is still whole
  const int error = ErrorOf(SaveStep::kSyncDirectory, [&] { return fsync(directory); });
  close(directory);
  if (error == EINVAL || error == ENOTSUP) return;  // some file systems cannot
  Check(error, "cannot sync its directory");
}

void SafeFile::Flush() {
  WriteNow(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void SafeFile::WriteNow(const char* at, size_t size) {
  while (size > 0) {
    size_t now = size;
    Check(FaultOf(SaveStep::kWrite, &now), "cannot write");
    const ssize_t n = write(fd_, at, now);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) Check(errno, "cannot write");
    at += n;
    size -= n;
  }
}

void SafeFile::Check(int error, const char* what) const {
  if (error == 0) return;
  throw IoError(path_ + ": " + what + ": " + std::generic_category().message(error));
}

bool CanReadTwice(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  return path != "-" && (fs::is_regular_file(path, ignored) || !fs::exists(path, ignored));
}

}  // namespace sda
