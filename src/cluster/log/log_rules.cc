#include "cluster/log/log_rules.h"

#include <zstd.h>

#include <algorithm>

#include "data/io/numbers.h"

namespace sda::cluster {
namespace {

// Words are chosen from at most 256 MB of documents (word_sample.h).
constexpr uint64_t kMostWordBytes = uint64_t{256} << 20;
constexpr uint64_t kLittle = uint64_t{256} << 20;  // memory that is always there

// A transaction of Kafka takes a quarter of an hour at most, unless the brokers are told otherwise;
// this is twice that.
constexpr int64_t kMostMilliseconds = 30 * 60 * 1000;

// Several of the largest, of usual ones hundreds; but the words come once.
Assembler::Limits LimitsFor(uint64_t row_bytes, uint64_t word_bytes) {
  const uint64_t packed = ZSTD_compressBound(row_bytes + word_bytes);
  return {.chunks = packed / kChunkBytes + 1,
          .bytes = std::max(kLittle, packed + 7 * ZSTD_compressBound(row_bytes))};
}

}  // namespace

LogRules LogRules::Of(const Job& job, const JobSettings& settings) {
  const TopicOptions& options = settings.options;
  return {.job = job.id,
          .topic = job.deltas_topic(),
          .prior = settings.Prior(),
          .words = settings.vocabulary.size(),
          .most_words = std::min<uint64_t>(options.max_vocab, kMaxWords),
          .minibatch = static_cast<uint64_t>(options.minibatch.value()),
          .first_minibatch = static_cast<uint64_t>(options.first_minibatch.value()),
          .half_life = options.half_life};
}

uint64_t LogRules::MostRowBytes(uint64_t words_known) const {
  constexpr uint64_t kSizes = 8;
  const uint64_t settled = std::max(words, words_known);
  const uint64_t rows = 2 + (settled > 0 ? settled : most_words);  // a snapshot has two more
  constexpr uint64_t kWithVariances = 2;                           // they are as large as the rows
  return kWithVariances * (kSizes + rows * (1 + static_cast<uint64_t>(prior.width()))) *
         sizeof(uint64_t);
}

uint64_t LogRules::MostWordBytes() const {
  return words > 0 ? 0 : most_words * sizeof(uint64_t) + kMostWordBytes;
}

Assembler::Limits LogRules::DeltaLimits() const {
  Assembler::Limits limits = SnapshotLimits();
  limits.milliseconds = kMostMilliseconds;
  return limits;
}

Assembler::Limits LogRules::SnapshotLimits() const {
  return LimitsFor(MostRowBytes(0), MostWordBytes());
}

}  // namespace sda::cluster
