#include "base/unfinished_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/folder.h"
#include "base/system_call.h"
#include "sda/errors.h"

namespace sda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = ".tmp.";
constexpr size_t kDigits = 16;

bool IsLeftoverName(const std::string& name, const std::string& prefix) {
  return name.size() == prefix.size() + kDigits && name.starts_with(prefix) &&
         name.find_first_not_of("0123456789abcdef", prefix.size()) == std::string::npos;
}

int LockNow(int fd) {
  return Uninterrupted([&] { return flock(fd, LOCK_EX | LOCK_NB); }) == 0 ? 0 : errno;
}

void RemoveIfLeft(const std::string& path) {
  // For writing, as some file systems lock only what is open for it.
  constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  int fd = Uninterrupted([&] { return open(path.c_str(), kFlags); });
  if (fd < 0) return;
  struct stat info;
  const bool ours = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid();
  if (ours && LockNow(fd) == 0) unlink(path.c_str());
  Close(&fd);
}

}  // namespace

UnfinishedFile::~UnfinishedFile() { Discard(); }

void UnfinishedFile::Discard() {
  if (!name_.empty()) unlink(name_.c_str());
  name_.clear();
  Close();
  sda::Close(&lock_);
}

int UnfinishedFile::Open(const std::string& path, mode_t mode) {
  constexpr int kTries = 100;
  int error = 0;
  for (int i = 0; i < kTries; ++i) {
    uint64_t random = 0;
    if (Uninterrupted([&] { return getrandom(&random, sizeof(random), 0); }) < 0) return errno;
    error = OpenOnce(fmt::format("{}{}{:016x}", path, kMark, random), mode);
    if (error != EEXIST) break;
  }
  return error;
}

// EEXIST: another name must be tried.
int UnfinishedFile::OpenOnce(const std::string& name, mode_t mode) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  fd_ = Uninterrupted([&] { return open(name.c_str(), kFlags, mode); });
  if (fd_ < 0) return errno;
  name_ = name;
  const int error = Lock();
  if (error != 0) Discard();
  return error;
}

// EEXIST: another process has taken it for a leftover before it was locked.
int UnfinishedFile::Lock() {
  lock_ = fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  if (lock_ < 0) return errno;
  if (LockNow(fd_) == EWOULDBLOCK) return EEXIST;
  struct stat info;
  if (fstat(fd_, &info) != 0) return errno;
  return info.st_nlink > 0 ? 0 : EEXIST;
}

int UnfinishedFile::Sync() {
  return Uninterrupted([&] { return fsync(fd_); }) == 0 ? 0 : errno;
}

int UnfinishedFile::Close() { return sda::Close(&fd_); }

int UnfinishedFile::RenameTo(const std::string& path) {
  if (rename(name_.c_str(), path.c_str()) != 0) return errno;
  name_.clear();
  sda::Close(&lock_);
  return 0;
}

void RemoveLeftovers(const std::string& path) {
  const std::string prefix = fs::path(path).filename().string() + kMark;
  std::vector<std::string> names;
  try {
    names = NamesIn(FolderOf(path));
  } catch (const IoError&) {
    return;  // a folder that may be written to but not read
  }
  for (const std::string& name : names) {
    if (IsLeftoverName(name, prefix)) RemoveIfLeft(FolderOf(path) + "/" + name);
  }
}

}  // namespace sda
