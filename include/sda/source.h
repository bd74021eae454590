#ifndef SDA_SOURCE_H_
#define SDA_SOURCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sda/errors.h"
#include "sda/export.h"

namespace SDA_EXPORT sda {

// What a minibatch consists of. It travels with the minibatch, its delta and the run's summary.
struct Counts {
  uint64_t items = 0;    // rows or documents to learn from
  uint64_t tokens = 0;   // words in the documents; 0 for rows
  uint64_t skipped = 0;  // documents without a known word, read and ignored
  uint64_t bad = 0;      // messages that are not documents, read and ignored

  bool operator==(const Counts&) const = default;
  Counts& operator+=(const Counts& other) {
    items += other.items;
    tokens += other.tokens;
    skipped += other.skipped;
    bad += other.bad;
    return *this;
  }
};

// Some consecutive items of a stream.
template <class Data>
struct Minibatch {
  uint64_t id = 0;       // unique in the stream; the same data always have the same id
  Counts counts;         // at least one item
  std::string position;  // where the stream continues after this minibatch, for Source::Resume
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
  // Continues as if the minibatch with that position had just been handed out; an empty position is
  // the start of the stream. The next minibatches had these numbers of items when they were handed
  // out before, and must have them again: some sources need not divide the same data in the same
  // way again, since they divide it by the clock, or at an end that has moved since.
  virtual void Resume(const std::string& position, const std::vector<uint64_t>& cut) = 0;
};

// The counts of a minibatch in memory. Overload it for data that have more than a size.
template <class Data>
Counts CountsOf(const Data& data) {
  return {.items = data.size()};
}

// A source of minibatches that are in memory already; it hands out copies.
template <class Data>
class MemorySource : public Source<Data> {
 public:
  // count(data) counts one minibatch.
  template <class Count>
  MemorySource(std::vector<Data> minibatches, Count count) : data_(std::move(minibatches)) {
    counts_.reserve(data_.size());
    for (const Data& data : data_) counts_.push_back(count(data));
  }
  explicit MemorySource(std::vector<Data> minibatches)
      : MemorySource(std::move(minibatches), [](const Data& data) { return CountsOf(data); }) {}

  std::optional<Minibatch<Data>> Next() override {
    if (next_ == data_.size()) return std::nullopt;
    const size_t i = next_++;
    return Minibatch<Data>{i, counts_[i], std::to_string(next_), data_[i]};
  }

  void Resume(const std::string& position, const std::vector<uint64_t>& /*cut*/) override {
    const size_t next = position.empty() ? 0 : std::stoull(position);
    if (next > data_.size()) throw InputError("no position " + position + " in source");
    next_ = next;
  }

 private:
  std::vector<Data> data_;
  std::vector<Counts> counts_;
  size_t next_ = 0;
};

}  // namespace sda

#endif  // SDA_SOURCE_H_
