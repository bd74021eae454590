#include <bzlib.h>
#include <lzma.h>

#include "data/io/decompressor.h"

namespace sda {
namespace {

class XzInput : public Decompressor {
 public:
  XzInput(std::unique_ptr<Input> raw, std::vector<char> head)
      : Decompressor(std::move(raw), std::move(head)) {
    // A small file may ask for a large dictionary: xz itself makes none above 1.5 GiB, and its
    // highest preset needs 65 MiB.
    constexpr uint64_t kMostMemory = uint64_t{128} << 20;
    if (lzma_stream_decoder(&stream_, kMostMemory, LZMA_CONCATENATED) != LZMA_OK) {
      Fail("out of memory for xz");
    }
  }
  ~XzInput() override { lzma_end(&stream_); }
  XzInput(const XzInput&) = delete;
  XzInput& operator=(const XzInput&) = delete;

  size_t Read(std::span<char> out) override {
    stream_.next_out = reinterpret_cast<uint8_t*>(out.data());
    stream_.avail_out = out.size();
    while (stream_.avail_out == out.size() && !at_end_) {
      const bool more = Refill();
      stream_.next_in = reinterpret_cast<const uint8_t*>(left_.data());
      stream_.avail_in = left_.size();
      const lzma_ret status = lzma_code(&stream_, more ? LZMA_RUN : LZMA_FINISH);
      left_ = left_.last(stream_.avail_in);
      at_end_ = status == LZMA_STREAM_END;
      if (status == LZMA_OK || at_end_) continue;
      if (!more && cut_off()) return 0;
      if (status == LZMA_BUF_ERROR) Fail("xz data is truncated");
      if (status == LZMA_MEMLIMIT_ERROR) Fail("xz data needs more than 128 MiB to decompress");
      Fail("xz data is corrupt");
    }
    return out.size() - stream_.avail_out;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool at_end_ = false;
};

class Bzip2Input : public Decompressor {
 public:
  Bzip2Input(std::unique_ptr<Input> raw, std::vector<char> head)
      : Decompressor(std::move(raw), std::move(head)) {
    Begin();
  }
  ~Bzip2Input() override { BZ2_bzDecompressEnd(&stream_); }
  Bzip2Input(const Bzip2Input&) = delete;
  Bzip2Input& operator=(const Bzip2Input&) = delete;

  size_t Read(std::span<char> out) override {
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<unsigned>(out.size());
    while (stream_.avail_out == out.size()) {
      if (!Refill()) {
        if (!between_streams_ && !cut_off()) Fail("bzip2 data is truncated");
        return 0;
      }
      if (between_streams_) {
        BZ2_bzDecompressEnd(&stream_);
        Begin();
      }
      stream_.next_in = left_.data();
      stream_.avail_in = static_cast<unsigned>(left_.size());
      const int status = BZ2_bzDecompress(&stream_);
      left_ = left_.last(stream_.avail_in);
      if (status != BZ_OK && status != BZ_STREAM_END) Fail("bzip2 data is corrupt");
      between_streams_ = status == BZ_STREAM_END;
    }
    return out.size() - stream_.avail_out;
  }

 private:
  // Of one stream: a file may be several, one after the other. Keeps where the output goes.
  void Begin() {
    bz_stream fresh = {};
    fresh.next_out = stream_.next_out;
    fresh.avail_out = stream_.avail_out;
    stream_ = fresh;
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) Fail("out of memory for bzip2");
    between_streams_ = false;
  }

  bz_stream stream_ = {};
  bool between_streams_ = false;  // the raw input may end here
};

}  // namespace

std::unique_ptr<Input> NewXzInput(std::unique_ptr<Input> raw, std::vector<char> head) {
  return std::make_unique<XzInput>(std::move(raw), std::move(head));
}
std::unique_ptr<Input> NewBzip2Input(std::unique_ptr<Input> raw, std::vector<char> head) {
  return std::make_unique<Bzip2Input>(std::move(raw), std::move(head));
}

}  // namespace sda
