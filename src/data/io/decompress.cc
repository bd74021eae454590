#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "data/io/decompressor.h"
#include "data/io/input.h"

namespace sda {
namespace {

constexpr size_t kMagicBytes = 4;  // show how a file is compressed

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

bool IsGzip(const std::vector<char>& head) { return StartsWith(head, {0x1f, 0x8b}); }

// A file may also begin with frames of other programs' data, of 16 kinds, which are skipped.
bool IsZstd(std::vector<char> head) {
  if (StartsWith(head, {0x28, 0xb5, 0x2f, 0xfd})) return true;
  if (!head.empty()) head[0] = static_cast<char>(head[0] & 0xf0);
  return StartsWith(head, {0x50, 0x2a, 0x4d, 0x18});
}

bool IsXz(const std::vector<char>& head) { return StartsWith(head, {0xfd, '7', 'z', 'X'}); }
bool IsBzip2(const std::vector<char>& head) {
  return StartsWith(head, {'B', 'Z', 'h'}) && head.size() > 3 && head[3] >= '1' && head[3] <= '9';
}

// What is often given and cannot be read, and what to do.
void ExpectReadable(const std::vector<char>& head, const std::string& name) {
  const auto refuse = [&](const char* what) { throw InputError(name + ": is " + what); };
  if (StartsWith(head, {'P', 'K', 3, 4}) || StartsWith(head, {'P', 'K', 5, 6})) {
    refuse(
        "a zip archive (or an office document), expected text or a bag of words; unpack it, and "
        "give the files or the folder");
  }
  if (StartsWith(head, {'P', 'A', 'R', '1'})) {
    refuse(
        "a Parquet file, expected text or CSV; write it as one, with Python: "
        "pandas.read_parquet(FILE).to_csv(OTHER, index=False)");
  }
  if (StartsWith(head, {'7', 'z', 0xbc, 0xaf})) {
    refuse("a 7z archive, expected text or a bag of words; unpack it, and give the files");
  }
  if (StartsWith(head, {'%', 'P', 'D', 'F'})) {
    refuse("a PDF, expected text; write its text to a file, such as with pdftotext");
  }
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
  if (IsGzip(head)) {
    return std::make_unique<GzipInput>(std::move(raw), std::move(head));
  }
  if (IsZstd(head)) {
    return std::make_unique<ZstdInput>(std::move(raw), std::move(head));
  }
  if (IsXz(head)) return NewXzInput(std::move(raw), std::move(head));
  if (IsBzip2(head)) return NewBzip2Input(std::move(raw), std::move(head));
  ExpectReadable(head, raw->name());
  return std::make_unique<PlainInput>(std::move(raw), std::move(head));
}

}  // namespace sda
