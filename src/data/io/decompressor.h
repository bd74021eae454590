#ifndef SDA_DATA_IO_DECOMPRESSOR_H_
#define SDA_DATA_IO_DECOMPRESSOR_H_

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/io/input.h"

namespace sda {

// What the decompressors share: a raw input and a buffer of it that is yet to be decoded.
class Decompressor : public Input {
 public:
  Decompressor(std::unique_ptr<Input> raw, std::vector<char> head)
      : raw_(std::move(raw)), buffer_(std::move(head)), left_(buffer_) {}
  // What is left may not be enough for a byte of output, so this is a guess; see Open().
  bool WaitForBytes(std::chrono::steady_clock::time_point until) override {
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
  static constexpr size_t kBufferBytes = size_t{1} << 17;

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

// `head` is the beginning of the raw input, which was read from it.
std::unique_ptr<Input> NewXzInput(std::unique_ptr<Input> raw, std::vector<char> head);
std::unique_ptr<Input> NewBzip2Input(std::unique_ptr<Input> raw, std::vector<char> head);

}  // namespace sda

#endif  // SDA_DATA_IO_DECOMPRESSOR_H_
