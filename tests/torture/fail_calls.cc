// Loaded into a program (LD_PRELOAD), it counts the program's system calls on files and lets one of
// them fail. See calls.py.
//
//   SDA_FAULT_LOG=FILE    a line for each call: its name and the file
//   SDA_FAULT_CALL=N      the call that fails, 1: the first
//   SDA_FAULT_KIND=KIND   ENOSPC, EIO, EINTR: with this error; short: half of the bytes
//
// What comes before main() is not counted, nor are pipes, sockets, /proc, /sys and /dev, nor what
// libc calls within itself: that is how standard output is written. A program that this one starts
// has no faults.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <string>

namespace {

constexpr int kFiles = 1024;

struct Settings {
  bool on = false;  // since main() has begun
  int log = -1;
  long call = 0;
  int error = 0;  // 0: short
};

Settings settings;
std::atomic<long> calls = 0;
std::string* names[kFiles] = {};  // of open files that are watched

// The function of libc that the one here hides.
template <class Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool IsWatched(const char* path) {
  const std::string name = path == nullptr ? "" : path;
  for (const char* folder : {"/proc/", "/sys/", "/dev/"}) {
    if (name.starts_with(folder)) return false;
  }
  return settings.on;
}
bool IsWatched(int fd) { return settings.on && fd >= 0 && fd < kFiles && names[fd] != nullptr; }

// Whether this call is the one.
bool IsDue(const char* call, const std::string& path) {
  const long number = ++calls;
  if (settings.log >= 0) {
    const std::string line = std::string(call) + " " + path + "\n";
    syscall(SYS_write, settings.log, line.data(), line.size());
  }
  return number == settings.call;
}

// The other calls are not interrupted by signals.
bool MayBeInterrupted(const std::string& call) {
  for (const char* name :
       {"open", "close", "fsync", "fdatasync", "ftruncate", "flock", "fchmod", "fchown"}) {
    if (call == name) return true;
  }
  return false;
}

bool Fails(const char* call, const std::string& path) {
  if (!IsDue(call, path) || settings.error == 0) return false;
  if (settings.error == EINTR && !MayBeInterrupted(call)) return false;
  errno = settings.error;
  return true;
}
bool Fails(const char* call, int fd) { return IsWatched(fd) && Fails(call, *names[fd]); }
bool Fails(const char* call, const char* path) {
  return IsWatched(path) && Fails(call, std::string(path));
}

// Of a call that moves bytes. Returns whether it fails; may lower *size.
bool FailsOrShortens(const char* call, int fd, size_t* size) {
  if (!IsWatched(fd) || !IsDue(call, *names[fd])) return false;
  if (settings.error == 0) {
    *size = (*size + 1) / 2;
    return false;
  }
  errno = settings.error;
  return true;
}

void Forget(int fd) {
  if (fd < 0 || fd >= kFiles) return;
  delete names[fd];
  names[fd] = nullptr;
}

int Opened(int fd, const char* path) {
  Forget(fd);
  if (fd >= 0 && fd < kFiles && IsWatched(path)) names[fd] = new std::string(path);
  return fd;
}

int OpenAt(int folder, const char* path, int flags, mode_t mode) {
  if (Fails("open", path)) return -1;
  return Opened(static_cast<int>(syscall(SYS_openat, folder, path, flags, mode)), path);
}

int (*real_main)(int, char**, char**);

int CountedMain(int argc, char** argv, char** environment) {
  if (const char* log = getenv("SDA_FAULT_LOG")) {
    settings.log = static_cast<int>(
        syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  }
  if (const char* call = getenv("SDA_FAULT_CALL")) settings.call = atol(call);
  const char* kind = getenv("SDA_FAULT_KIND");
  const std::string name = kind == nullptr ? "short" : kind;
  settings.error = name == "ENOSPC" ? ENOSPC : name == "EIO" ? EIO : name == "EINTR" ? EINTR : 0;
  for (const char* variable : {"SDA_FAULT_LOG", "SDA_FAULT_CALL", "SDA_FAULT_KIND", "LD_PRELOAD"}) {
    unsetenv(variable);
  }
  settings.on = true;
  const int status = real_main(argc, argv, environment);
  settings.on = false;
  return status;
}

}  // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(),
                      void (*fini)(), void (*loader_fini)(), void* stack_end) {
  real_main = main;
  return Real<decltype(__libc_start_main)>("__libc_start_main")(CountedMain, argc, argv, init, fini,
                                                                loader_fini, stack_end);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return OpenAt(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return OpenAt(folder, path, flags, mode);
}
FILE* fopen(const char* path, const char* mode) {
  if (Fails("open", path)) return nullptr;
  FILE* const file = Real<decltype(fopen)>("fopen")(path, mode);
  if (file != nullptr) Opened(fileno(file), path);
  return file;
}
FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }

ssize_t read(int fd, void* data, size_t size) {
  if (FailsOrShortens("read", fd, &size)) return -1;
  return syscall(SYS_read, fd, data, size);
}
ssize_t pread(int fd, void* data, size_t size, off_t offset) {
  if (FailsOrShortens("pread", fd, &size)) return -1;
  return syscall(SYS_pread64, fd, data, size, offset);
}
ssize_t write(int fd, const void* data, size_t size) {
  if (FailsOrShortens("write", fd, &size)) return -1;
  return syscall(SYS_write, fd, data, size);
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t offset) {
  if (FailsOrShortens("pwrite", fd, &size)) return -1;
  return syscall(SYS_pwrite64, fd, data, size, offset);
}
ssize_t readv(int fd, const iovec* parts, int count) {
  size_t size = parts[0].iov_len;
  if (FailsOrShortens("readv", fd, &size)) return -1;
  if (size < parts[0].iov_len) return syscall(SYS_read, fd, parts[0].iov_base, size);
  return syscall(SYS_readv, fd, parts, count);
}
ssize_t writev(int fd, const iovec* parts, int count) {
  size_t size = parts[0].iov_len;
  if (FailsOrShortens("writev", fd, &size)) return -1;
  if (size < parts[0].iov_len) return syscall(SYS_write, fd, parts[0].iov_base, size);
  return syscall(SYS_writev, fd, parts, count);
}

int fsync(int fd) { return Fails("fsync", fd) ? -1 : static_cast<int>(syscall(SYS_fsync, fd)); }
int fdatasync(int fd) {
  return Fails("fdatasync", fd) ? -1 : static_cast<int>(syscall(SYS_fdatasync, fd));
}
int ftruncate(int fd, off_t size) {
  return Fails("ftruncate", fd) ? -1 : static_cast<int>(syscall(SYS_ftruncate, fd, size));
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"  // there is a struct flock, too
int flock(int fd, int operation) {
  return Fails("flock", fd) ? -1 : static_cast<int>(syscall(SYS_flock, fd, operation));
}
#pragma GCC diagnostic pop
int fchmod(int fd, mode_t mode) {
  return Fails("fchmod", fd) ? -1 : static_cast<int>(syscall(SYS_fchmod, fd, mode));
}
int fchown(int fd, uid_t user, gid_t group) {
  return Fails("fchown", fd) ? -1 : static_cast<int>(syscall(SYS_fchown, fd, user, group));
}
int fstat(int fd, struct stat* info) {
  return Fails("fstat", fd) ? -1 : Real<decltype(fstat)>("fstat")(fd, info);
}
// As in Linux, it is closed also when that fails.
int close(int fd) {
  const bool fails = Fails("close", fd);
  const int error = errno;
  Forget(fd);
  const int result = static_cast<int>(syscall(SYS_close, fd));
  if (fails) errno = error;
  return fails ? -1 : result;
}
int fclose(FILE* file) {
  Forget(fileno(file));
  return Real<decltype(fclose)>("fclose")(file);
}
int closedir(DIR* folder) {
  Forget(dirfd(folder));
  return Real<decltype(closedir)>("closedir")(folder);
}
void* mmap(void* place, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  if (Fails("mmap", fd)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, place, size, protection, flags, fd, offset));
}

int stat(const char* path, struct stat* info) {
  return Fails("stat", path) ? -1 : Real<decltype(stat)>("stat")(path, info);
}
int rename(const char* from, const char* to) {
  if (Fails("rename", to)) return -1;
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int link(const char* from, const char* to) {
  if (Fails("link", to)) return -1;
  return static_cast<int>(syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  if (Fails("link", to)) return -1;
  return static_cast<int>(syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}
int unlink(const char* path) {
  if (Fails("unlink", path)) return -1;
  return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}
int remove(const char* path) {
  return Fails("unlink", path) ? -1 : Real<decltype(remove)>("remove")(path);
}
int mkdir(const char* path, mode_t mode) {
  if (Fails("mkdir", path)) return -1;
  return static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

}  // extern "C"
