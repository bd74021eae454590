#include "base/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/folder.h"
#include "base/system_call.h"
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

// The error number of a step, or the fault in its place.
template <class Call>
int ErrorOf(SaveStep step, const Call& call) {
  const int fault = FaultOf(step);
  return fault != 0 ? fault : call();
}

// Gives an open file the permissions of the one it replaces. Its owner and group, too, if they may
// be given; without its group, nobody else's has the permissions of that. An error number, or 0.
int KeepPermissions(int fd, const struct stat& old) {
  struct stat now;
  if (fstat(fd, &now) != 0) return errno;
  auto give_to = [&](uid_t user) {
    return Uninterrupted([&] { return fchown(fd, user, old.st_gid); }) == 0;
  };
  constexpr uid_t kAsItIs = -1;
  const bool same_group = (now.st_uid == old.st_uid && now.st_gid == old.st_gid) ||
                          give_to(old.st_uid) || now.st_gid == old.st_gid || give_to(kAsItIs);
  const mode_t mode = old.st_mode & (same_group ? 0777 : 0707);
  if (mode == (now.st_mode & 0777)) return 0;
  return Uninterrupted([&] { return fchmod(fd, mode); }) == 0 ? 0 : errno;
}

// In a folder that everyone may write to, such as /tmp, anyone can make a link under a name that
// others will write. Linux does not follow such links either, where it is told not to
// (fs.protected_symlinks); here the folder and the link are looked at as it does.
void ExpectNotPlanted(const std::string& link, const std::string& folder) {
  struct stat of_link, of_folder;
  if (lstat(link.c_str(), &of_link) != 0 || stat(folder.c_str(), &of_folder) != 0) return;
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  if ((of_folder.st_mode & kShared) != kShared) return;
  if (of_link.st_uid == geteuid() || of_link.st_uid == of_folder.st_uid) return;
  throw IoError(link +
                ": is a link that another user made in a folder that everyone may write to, and "
                "will not be followed");
}

}  // namespace

std::string ErrorText() { return std::generic_category().message(errno); }

uint32_t Checksum(std::string_view bytes, uint32_t before) {
  if (bytes.empty()) return before;  // zlib takes a null pointer as a request to start from scratch
  return static_cast<uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

uint32_t CombinedChecksum(uint32_t before, uint32_t after, uint64_t bytes_after) {
  return static_cast<uint32_t>(crc32_combine(before, after, static_cast<z_off_t>(bytes_after)));
}

void SafeFile::InjectFaults(Fault fault) { InjectedFault() = std::move(fault); }

// Also if nothing is there yet.
std::string SafeFile::TargetOf(const std::string& path) {
  constexpr int kMostLinks = 40;  // as in Linux; more of them is an error when it is opened
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(target, error)); ++i) {
    const fs::path link = fs::read_symlink(target, error);
    if (error) break;
    ExpectNotPlanted(target.string(), FolderOf(target.string()));
    target = target.parent_path() / link;  // the link alone, if it begins at the root
  }
  return target.string();
}

SafeFile::SafeFile(const std::string& path) : path_(TargetOf(path)) {
  RemoveLeftovers(path_);
  Open();
}

void SafeFile::Open() {
  struct stat old;
  const bool exists = stat(path_.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) Check(errno, "cannot write");
  if (exists && !S_ISREG(old.st_mode)) {
    throw IoError(path_ + ": is not an ordinary file, and will not be overwritten");
  }
  // What replaces a private file is private from the beginning.
  const mode_t mode = exists ? 0600 : 0666;
  Check(ErrorOf(SaveStep::kOpen, [&] { return file_.Open(path_, mode); }), "cannot write");
  if (exists) Check(KeepPermissions(file_.fd(), old), "cannot keep its permissions");
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
  if (lseek(file_.fd(), static_cast<off_t>(offset), SEEK_SET) < 0) Check(errno, "cannot write");
  WriteNow(bytes.data(), bytes.size());
  if (lseek(file_.fd(), 0, SEEK_END) < 0) Check(errno, "cannot write");
}

void SafeFile::Commit() {
  Flush();
  Check(ErrorOf(SaveStep::kSync, [&] { return file_.Sync(); }), "cannot sync");
  Check(ErrorOf(SaveStep::kClose, [&] { return file_.Close(); }), "cannot close");
  Check(ErrorOf(SaveStep::kRename, [&] { return file_.RenameTo(path_); }),
        "cannot rename the new file to it");
  Check(ErrorOf(SaveStep::kSyncDirectory, [&] { return SyncFolder(FolderOf(path_)); }),
        "cannot sync its directory");
}

void SafeFile::Flush() {
  WriteNow(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void SafeFile::WriteNow(const char* at, size_t size) {
  while (size > 0) {
    size_t now = size;
    Check(FaultOf(SaveStep::kWrite, &now), "cannot write");
    const ssize_t n = Uninterrupted([&] { return write(file_.fd(), at, now); });
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
  std::error_code ignored;
  const fs::file_type type = fs::status(path, ignored).type();
  return path != "-" && (type == fs::file_type::regular || type == fs::file_type::directory ||
                         type == fs::file_type::not_found || type == fs::file_type::none);
}

}  // namespace sda
