#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "data/io/input.h"

namespace sda {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 17;
constexpr size_t kMagicBytes = 4;  // show how a file is compressed

using Clock = std::chrono::steady_clock;

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
        if (!between_members_ && !cut_off()) Fail("gzip data is truncated");
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
        if (!between_frames_ && !cut_off()) Fail("zstd data is truncated");
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

// Bytes that were read to detect the format, then the rest of the file.
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
