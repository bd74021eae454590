#ifndef SDA_SOURCE_H_
#define SDA_SOURCE_H_

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// Some consecutive items of a stream.
template <class Data>
struct Minibatch {
  uint64_t id = 0;       // unique in the stream; the same data always has the same id
  uint64_t items = 0;    // rows or documents in data; at least 1
  std::string position;  // where the stream goes on after this minibatch, for Source::Resume
  Data data;
};

// Where minibatches come from.
//
// Next() is called from one thread at a time: the thread that called Run(). It may block. A source
// that fails throws; the run then ends with everything folded so far kept.
template <class Data>
class Source {
 public:
  virtual ~Source() = default;
  // The next minibatch; nothing at the end of the stream.
  virtual std::optional<Minibatch<Data>> Next() = 0;
  // Goes on as if the minibatch with that position had just been handed out.
  virtual void Resume(const std::string& position) = 0;
  // After Resume(), or at the start: the minibatches that come next had so many items each when
  // they were handed out before, and are to have them again. For sources of which the same data
  // need not be cut in the same way: by the clock, or at an end that is no longer one.
  virtual void CutAsBefore(const std::vector<uint64_t>& /*items*/) {}
};

// A source of minibatches that are in memory already; it hands out copies.
template <class Data>
class MemorySource : public Source<Data> {
 public:
  // items(data) counts the items of one minibatch.
  template <class CountItems>
  MemorySource(std::vector<Data> minibatches, CountItems items) : data_(std::move(minibatches)) {
    items_.reserve(data_.size());
    for (const Data& data : data_) items_.push_back(items(data));
  }
  explicit MemorySource(std::vector<Data> minibatches)
      : MemorySource(std::move(minibatches),
                     [](const Data& data) -> uint64_t { return data.size(); }) {}

  std::optional<Minibatch<Data>> Next() override {
    if (next_ == data_.size()) return std::nullopt;
    const size_t i = next_++;
    return Minibatch<Data>{i, items_[i], std::to_string(next_), data_[i]};
  }

  void Resume(const std::string& position) override {
    const size_t next = std::stoull(position);
    if (next > data_.size()) throw std::invalid_argument("no position " + position + " in source");
    next_ = next;
  }

 private:
  std::vector<Data> data_;
  std::vector<uint64_t> items_;
  size_t next_ = 0;
};

}  // namespace sda

#endif  // SDA_SOURCE_H_
