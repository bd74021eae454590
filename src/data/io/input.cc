#include "data/io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace sda {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 17;
constexpr int kPollMilliseconds = 100;
constexpr std::chrono::seconds kPatience(1);  // with a file that was replaced
constexpr size_t kMagicBytes = 4;             // tell how a file is compressed

using Clock = std::chrono::steady_clock;

// The bytes as they are on disk.
class FileInput : public Input {
 public:
  FileInput(const std::string& path, const std::atomic<bool>* stop,
            const std::optional<Following>& following)
      : FileInput(path, path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC), stop,
                  following) {}
  // Of what is open already, and closed in the end if it is not standard input.
  FileInput(const std::string& path, int fd, const std::atomic<bool>* stop,
            const std::optional<Following>& following)
      : name_(path == "-" ? "standard input" : path),
        stop_(stop),
        fd_(fd),
        is_standard_input_(path == "-"),
        following_(following) {
    if (fd_ < 0) Fail("cannot open");
    struct stat info;
    if (fstat(fd_, &info) != 0) Fail("cannot open");
    if (S_ISDIR(info.st_mode)) throw InputError(name_ + ": is a directory, expected a file");
    if (S_ISREG(info.st_mode)) {
      total_ = info.st_size;
      grows_ = following.has_value();
      if (grows_ && following->name.empty()) following_->name = path;
      if (grows_ && !is_standard_input_) identity_ = FileIdentity::Of(fd_, 0);
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
    if (!WaitForBytes(Clock::time_point::max()) || continues_) return 0;
    while (true) {
      const ssize_t n = read(fd_, buffer.data(), buffer.size());
      if (n >= 0) {
        read_ += n;
        if (identity_.inode != 0) identity_.Update(fd_, read_);
        return n;
      }
      if (errno != EINTR) Fail("cannot read");
    }
  }

  uint64_t Skip(uint64_t bytes) override {
    if (may_wait_) return Input::Skip(bytes);
    const off_t from = lseek(fd_, 0, SEEK_CUR);
    if (from < 0) return Input::Skip(bytes);
    const uint64_t left = total_ > static_cast<uint64_t>(from) ? total_ - from : 0;
    const uint64_t skipped = std::min(bytes, left);
    if (lseek(fd_, static_cast<off_t>(skipped), SEEK_CUR) < 0) Fail("cannot seek");
    read_ += skipped;
    if (identity_.inode != 0) identity_.Update(fd_, read_);
    return skipped;
  }

  bool WaitForBytes(Clock::time_point until) override {
    if ((!may_wait_ && !grows_) || continues_) return true;
    if (stop_ == nullptr && may_wait_ && until == Clock::time_point::max()) return true;
    do {
      if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) {
        stopped_ = true;
        return false;
      }
      if (grows_ ? HasGrown() : HasBytes()) return true;
    } while (Clock::now() < until);
    return false;
  }

  bool stopped() const override { return stopped_; }
  bool continues() const override { return continues_; }
  // A file that was cut is read on whatever its name is by now.
  std::unique_ptr<Input> OpenNext() const override {
    if (!same_file_) return Open(following_->name, stop_, following_);
    const int fd = fcntl(fd_, F_DUPFD_CLOEXEC, 0);
    if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0) Fail("cannot read again");
    return Decompress(std::make_unique<FileInput>(name_, fd, stop_, following_));
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
    if (size < read_ && !truncated_) NoteTruncation();
    if (size > read_ && !truncated_) {
      replaced_since_.reset();
      return true;
    }
    // What comes next is opened only when there is something in it, so that nobody waits there.
    continues_ = (truncated_ && size >= kMagicBytes) || HasSuccessor(info);
    same_file_ = truncated_ && size > 0;
    if (continues_) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollMilliseconds));
    return false;
  }

  void NoteTruncation() {
    if (is_standard_input_) {
      throw InputError(name_ + ": was cut, expected a file that only grows");
    }
    truncated_ = true;
    Say(name_ + ": was cut; it is read from its start again, when there is something in it");
  }

  // Whether another file has the name. Those who have the old one open may still write to it for a
  // moment.
  bool HasSuccessor(const struct stat& info) {
    struct stat named;
    if (is_standard_input_ || stat(following_->name.c_str(), &named) != 0) return false;
    if (named.st_ino == info.st_ino && named.st_dev == info.st_dev) return false;
    if (!replaced_since_) replaced_since_ = Clock::now();
    if (named.st_size < static_cast<off_t>(kMagicBytes)) return false;
    if (Clock::now() - *replaced_since_ < kPatience) return false;
    if (!truncated_) ExpectNoCopy(following_->name, identity_);
    ExpectNoneBetween(following_->name, fd_);
    Say(following_->name + ": was replaced; the new file is read");
    return true;
  }

  void Say(const std::string& what) const {
    if (following_->said) following_->said(what);
  }

  [[noreturn]] void Fail(const char* what) const {
    throw InputError(name_ + ": " + what + ": " + std::generic_category().message(errno));
  }

  std::string name_;
  const std::atomic<bool>* stop_;
  int fd_;
  bool is_standard_input_;
  bool may_wait_ = false;  // is a pipe
  bool grows_ = false;     // is a file that is followed
  std::optional<Following> following_;
  FileIdentity identity_;
  bool stopped_ = false;
  bool truncated_ = false;
  bool continues_ = false;
  bool same_file_ = false;                           // in this one, from its start
  std::optional<Clock::time_point> replaced_since_;  // and not grown since
  uint64_t read_ = 0;
  uint64_t total_ = 0;
};

// What the two decompressors share: a raw input and a buffer of it that is yet to be decoded.
class Decompressor : public Input {
 public:
  Decompressor(std::unique_ptr<Input> raw, std::vector<char> head)
      : raw_(std::move(raw)), buffer_(std::move(head)), left_(buffer_) {}
  // What is left may not be enough for a byte of output, so this is a guess; see Open().
  bool WaitForBytes(Clock::time_point until) override {
    return !left_.empty() || raw_->WaitForBytes(until);
  }
  bool stopped() const override { return raw_->stopped(); }
  bool continues() const override { return raw_->continues(); }
  std::unique_ptr<Input> OpenNext() const override { return raw_->OpenNext(); }
  bool cut_off() const override { return raw_->cut_off(); }
  FileIdentity identity() const override { return raw_->identity(); }
  const std::string& name() const override { return raw_->name(); }
  uint64_t bytes_read() const override { return raw_->bytes_read() - left_.size(); }
  uint64_t bytes_total() const override { return raw_->bytes_total(); }

 protected:
  // Makes left_ not empty. False at the end of the raw input.
  bool Refill() {
    if (!left_.empty()) return true;
    buffer_.resize(kBufferBytes);
    left_ = std::span(buffer_).first(raw_->Read(buffer_));
    return !left_.empty();
  }
  [[noreturn]] void Fail(const std::string& what) const { throw InputError(name() + ": " + what); }

  std::unique_ptr<Input> raw_;
  std::vector<char> buffer_;
  std::span<char> left_;
};

class GzipInput : public Decompressor {
 public:
  GzipInput(std::unique_ptr<Input> raw, std::vector<char> head)
      : Decompressor(std::move(raw), std::move(head)) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) Fail("out of memory for gzip");
  }
  ~GzipInput() override { inflateEnd(&stream_); }
  GzipInput(const GzipInput&) = delete;
  GzipInput& operator=(const GzipInput&) = delete;

  size_t Read(std::span<char> out) override {
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = out.size();
    while (stream_.avail_out == out.size()) {
      if (!Refill()) {
        if (!between_members_ && !cut_off()) Fail("gzip data is cut off");
        return 0;
      }
      if (between_members_ && inflateReset(&stream_) != Z_OK) Fail("gzip data is corrupt");
      stream_.next_in = reinterpret_cast<Bytef*>(left_.data());
      stream_.avail_in = left_.size();
      const int status = inflate(&stream_, Z_NO_FLUSH);
      left_ = left_.last(stream_.avail_in);
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        Fail(std::string("gzip data is corrupt") +
             (stream_.msg == nullptr ? "" : std::string(": ") + stream_.msg));
      }
      between_members_ = status == Z_STREAM_END;
    }
    return out.size() - stream_.avail_out;
  }

 private:
  z_stream stream_ = {};
  bool between_members_ = false;  // the raw input may end here
};

class ZstdInput : public Decompressor {
 public:
  ZstdInput(std::unique_ptr<Input> raw, std::vector<char> head)
      : Decompressor(std::move(raw), std::move(head)), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) Fail("out of memory for zstd");
  }
  ~ZstdInput() override { ZSTD_freeDStream(stream_); }
  ZstdInput(const ZstdInput&) = delete;
  ZstdInput& operator=(const ZstdInput&) = delete;

  size_t Read(std::span<char> buffer) override {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    while (out.pos == 0) {
      // The decoder may hold output that needs no further input.
      if (!Refill() && !more_to_flush_) {
        if (!between_frames_ && !cut_off()) Fail("zstd data is cut off");
        return 0;
      }
      ZSTD_inBuffer in{left_.data(), left_.size(), 0};
      const size_t status = ZSTD_decompressStream(stream_, &out, &in);
      if (ZSTD_isError(status)) {
        Fail(std::string("zstd data is corrupt: ") + ZSTD_getErrorName(status));
      }
      left_ = left_.subspan(in.pos);
      between_frames_ = status == 0;
      more_to_flush_ = out.pos == out.size && !between_frames_;
    }
    return out.pos;
  }

 private:
  ZSTD_DStream* stream_;
  bool between_frames_ = false;  // the raw input may end here
  bool more_to_flush_ = false;
};

// Bytes that were read to tell the format, then the rest of the file.
class PlainInput : public Decompressor {
 public:
  using Decompressor::Decompressor;
  size_t Read(std::span<char> out) override {
    if (left_.empty()) return raw_->Read(out);
    const size_t n = std::min(out.size(), left_.size());
    std::memcpy(out.data(), left_.data(), n);
    left_ = left_.subspan(n);
    return n;
  }
  uint64_t Skip(uint64_t bytes) override {
    const uint64_t n = std::min<uint64_t>(bytes, left_.size());
    left_ = left_.subspan(n);
    return n + (bytes > n ? raw_->Skip(bytes - n) : 0);
  }
};

bool StartsWith(const std::vector<char>& head, std::initializer_list<unsigned char> magic) {
  if (head.size() < magic.size()) return false;
  return std::memcmp(head.data(), magic.begin(), magic.size()) == 0;
}

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

std::unique_ptr<Input> Input::Open(const std::string& path, const std::atomic<bool>* stop,
                                   const std::optional<Following>& following) {
  return Decompress(std::make_unique<FileInput>(path, stop, following));
}

std::unique_ptr<Input> Input::Decompress(std::unique_ptr<Input> raw) {
  std::vector<char> head(kMagicBytes);
  size_t filled = 0;
  while (filled < head.size()) {
    const size_t n = raw->Read(std::span(head).subspan(filled));
    if (n == 0) break;
    filled += n;
  }
  head.resize(filled);
  if (StartsWith(head, {0x1f, 0x8b})) {
    return std::make_unique<GzipInput>(std::move(raw), std::move(head));
  }
  if (StartsWith(head, {0x28, 0xb5, 0x2f, 0xfd})) {
    return std::make_unique<ZstdInput>(std::move(raw), std::move(head));
  }
  return std::make_unique<PlainInput>(std::move(raw), std::move(head));
}

}  // namespace sda
