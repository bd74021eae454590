#include "data/io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/system_call.h"
#include "data/io/followed_file.h"

namespace sda {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 17;
constexpr int kPollMilliseconds = 100;
constexpr std::chrono::seconds kPatience(1);  // with a file that was replaced
constexpr size_t kMagicBytes = 4;             // show how a file is compressed

using Clock = std::chrono::steady_clock;

// Does not wait for the writer of a named pipe: that is left to reading, which a request to stop
// ends at any moment. (It may come just before the wait, which no signal ends then.)
int OpenFile(const std::string& path) {
  const int fd =
      Uninterrupted([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  if (fd >= 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

// The bytes as they are on disk.
class FileInput : public Input {
 public:
  FileInput(const std::string& path, const Context& context,
            const std::optional<std::string>& follow,
            const std::function<void(const FileIdentity&)>& known, uint64_t modified)
      : FileInput(path, path == "-" ? STDIN_FILENO : OpenFile(path), context, follow) {
    known_ = known;
    if (identity_.inode != 0) identity_.modified = modified > 0 ? modified : NewestOf(*follow_);
    TellWhatIsKnown();
  }
  // Of what is open already, and closed in the end if it is not standard input.
  FileInput(const std::string& path, int fd, const Context& context,
            const std::optional<std::string>& follow)
      : name_(path == "-" ? "standard input" : path),
        context_(context),
        fd_(fd),
        is_standard_input_(path == "-"),
        follow_(follow) {
    if (fd_ < 0) Fail("cannot open");
    struct stat info;
    if (fstat(fd_, &info) != 0) Fail("cannot open");
    if (S_ISDIR(info.st_mode)) throw InputError(name_ + ": is a directory, expected a file");
    if (S_ISREG(info.st_mode)) {
      total_ = info.st_size;
      grows_ = follow.has_value();
      if (grows_ && follow->empty()) follow_ = path;
      if (grows_ && !is_standard_input_) identity_ = FileIdentity::Of(fd_);
      if (grows_ && is_standard_input_) read_ = std::max<off_t>(0, lseek(fd_, 0, SEEK_CUR));
    } else {
      may_wait_ = true;
    }
  }
  ~FileInput() override {
    if (fd_ >= 0 && !is_standard_input_) close(fd_);
  }
  FileInput(const FileInput&) = delete;
  FileInput& operator=(const FileInput&) = delete;

  size_t Read(std::span<char> buffer) override {
    while (WaitForBytes(Clock::time_point::max()) && !continues_) {
      const ssize_t n = read(fd_, buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) Fail("cannot read");
      if (n == 0 && grows_) continue;  // truncated since it was looked at
      if (identity_.inode != 0 && !BeginsAsBefore(fd_, identity_)) {
        OnTruncation();  // and written again, up to here: these are not the bytes that come next
        continue;
      }
      if (identity_.inode != 0 && identity_.head_bytes == 0) {
        ExpectNoneCopied(*follow_, name_, FileIdentity::Of(fd_), identity_);
      }
      NoteRead(n);
      return n;
    }
    return 0;
  }

  uint64_t Skip(uint64_t bytes) override {
    if (may_wait_) return Input::Skip(bytes);
    const off_t from = lseek(fd_, 0, SEEK_CUR);
    if (from < 0) return Input::Skip(bytes);
    const uint64_t left = total_ > static_cast<uint64_t>(from) ? total_ - from : 0;
    const uint64_t skipped = std::min(bytes, left);
    if (lseek(fd_, static_cast<off_t>(skipped), SEEK_CUR) < 0) Fail("cannot seek");
    NoteRead(skipped);
    return skipped;
  }

  bool WaitForBytes(Clock::time_point until) override {
    if ((!may_wait_ && !grows_) || continues_) return true;
    do {
      if (context_.StopRequested()) {
        stopped_ = true;
        return false;
      }
      if (grows_ ? HasGrown() : HasBytes()) return true;
    } while (Clock::now() < until);
    return false;
  }

  bool stopped() const override { return stopped_; }
  bool continues() const override { return continues_; }
  // A file that was truncated is read under its current name.
  std::unique_ptr<Input> OpenNext() const override {
    if (!same_file_) {
      const uint64_t modified =
          std::max(FileIdentity::Of(fd_).modified, FoundFile(*follow_).modified());
      return Decompress(OpenRaw(*follow_, context_, follow_, {}, modified));
    }
    const int fd = fcntl(fd_, F_DUPFD_CLOEXEC, 0);
    if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0) Fail("cannot read again");
    return Decompress(std::make_unique<FileInput>(name_, fd, context_, follow_));
  }
  bool cut_off() const override { return stopped_ || truncated_; }
  FileIdentity identity() const override { return identity_; }
  const std::string& name() const override { return name_; }
  uint64_t bytes_read() const override { return read_; }
  uint64_t bytes_total() const override { return total_; }

 private:
  // Both wait for a moment.
  bool HasBytes() const {
    pollfd waiting{fd_, POLLIN, 0};
    const int ready = poll(&waiting, 1, kPollMilliseconds);
    return ready > 0 || (ready < 0 && errno != EINTR);
  }
  bool HasGrown() {
    struct stat info;
    if (fstat(fd_, &info) != 0) Fail("cannot read");
    const uint64_t size = info.st_size;
    if (size < std::max(read_, identity_.head_bytes) && !truncated_) {
      OnTruncation();
      return false;
    }
    if (size > read_ && !truncated_) {
      replaced_since_.reset();
      return true;
    }
    // What comes next is opened only when there is something in it, so that no reader waits there.
    continues_ = (truncated_ && size >= kMagicBytes) || HasSuccessor(info);
    same_file_ = truncated_ && size > 0;
    if (continues_) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollMilliseconds));
    return false;
  }

  void NoteRead(uint64_t bytes) {
    read_ += bytes;
    if (identity_.inode == 0) return;
    identity_.Update(fd_, read_);
    TellWhatIsKnown();
  }

  void TellWhatIsKnown() {
    if (!known_ || identity_.inode == 0) return;
    if (told_ && identity_.head_bytes < 2 * std::max<uint64_t>(1, *told_)) return;
    told_ = identity_.head_bytes;
    known_(identity_);
  }

  // If it was copied before, the rest of it is in the copy.
  void OnTruncation() {
    if (is_standard_input_) {
      throw InputError(name_ + ": was truncated, expected a file that only grows");
    }
    const std::string copy = FindCopy(*follow_, identity_);
    if (!copy.empty()) return ContinueIn(copy);
    ExpectNewBeginning(name_, fd_, identity_);
    ExpectNoneCopied(*follow_, name_, FileIdentity::Of(fd_), identity_);
    truncated_ = true;
    context_.Log(name_ + ": was truncated; it is read from its start again once it has content");
  }

  void ContinueIn(const std::string& copy) {
    const int fd = open(copy.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) Fail("cannot open its copy");
    close(std::exchange(fd_, fd));
    if (lseek(fd_, static_cast<off_t>(read_), SEEK_SET) < 0) Fail("cannot seek in its copy");
    const uint64_t modified = identity_.modified;
    identity_ = FileIdentity::Of(fd_);
    identity_.modified = modified;
    NoteRead(0);
    context_.Log(name_ + ": was truncated; the rest of what was in it is read from " + copy);
    name_ = copy;
  }

  // Whether another file has the name. Those who have the old one open may still write to it for a
  // moment.
  bool HasSuccessor(const struct stat& info) {
    struct stat named;
    if (is_standard_input_ || stat(follow_->c_str(), &named) != 0) return false;
    if (named.st_ino == info.st_ino && named.st_dev == info.st_dev) return false;
    if (!replaced_since_) replaced_since_ = Clock::now();
    if (named.st_size < static_cast<off_t>(kMagicBytes)) return false;
    if (Clock::now() - *replaced_since_ < kPatience) return false;
    if (!truncated_) ExpectNoCopy(*follow_, identity_);
    ExpectNoneBetween(*follow_, fd_, identity_);
    context_.Log(*follow_ + ": was replaced; the new file is read");
    return true;
  }

  [[noreturn]] void Fail(const char* what) const {
    throw InputError(name_ + ": " + what + ": " + std::generic_category().message(errno));
  }

  std::string name_;
  const Context context_;
  int fd_;
  bool is_standard_input_;
  bool may_wait_ = false;              // is a pipe
  bool grows_ = false;                 // is a file that is followed
  std::optional<std::string> follow_;  // the name
  FileIdentity identity_;
  std::function<void(const FileIdentity&)> known_;
  std::optional<uint64_t> told_;  // how many bytes of the beginning known_ was told
  bool stopped_ = false;
  bool truncated_ = false;
  bool continues_ = false;
  bool same_file_ = false;                           // in this one, from its start
  std::optional<Clock::time_point> replaced_since_;  // and not grown since
  uint64_t read_ = 0;
  uint64_t total_ = 0;
};

}  // namespace

uint64_t Input::Skip(uint64_t bytes) {
  std::vector<char> scratch(std::min<uint64_t>(bytes, kBufferBytes));
  uint64_t skipped = 0;
  while (skipped < bytes) {
    const size_t wanted = std::min<uint64_t>(bytes - skipped, scratch.size());
    const size_t n = Read(std::span(scratch).first(wanted));
    if (n == 0) break;
    skipped += n;
  }
  return skipped;
}

std::unique_ptr<Input> Input::Open(const std::string& path, const Context& context,
                                   const std::optional<std::string>& follow) {
  return Decompress(OpenRaw(path, context, follow));
}

std::unique_ptr<Input> Input::OpenRaw(const std::string& path, const Context& context,
                                      const std::optional<std::string>& follow,
                                      const std::function<void(const FileIdentity&)>& known,
                                      uint64_t modified) {
  return std::make_unique<FileInput>(path, context, follow, known, modified);
}

}  // namespace sda
