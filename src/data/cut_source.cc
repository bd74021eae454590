#include "sda/cut_source.h"

#include <utility>

#include "sda/errors.h"

namespace sda {

CutSource::CutSource(CorpusOptions options, Read read)
    : options_(std::move(options)), read_(std::move(read)) {}

std::optional<Minibatch<Documents>> CutSource::Next() {
  Minibatch<Documents> cut;
  Documents& batch = cut.data;
  const bool first = next_ == 0 && options_.first_minibatch > 0;
  const uint64_t size = first ? options_.first_minibatch : options_.minibatch;
  const uint64_t most_draws = size >= kWholeStream ? UINT64_MAX : kMaxMinibatchDraws;
  uint64_t draws = 0;
  uint64_t skipped = 0;
  while (batch.size() < size && draws < most_draws) {
    const size_t before = batch.size();
    if (!read_(&batch, &skipped)) break;
    if (batch.size() > before) draws += Draws(batch, before);
  }
  if (batch.size() == 0) return std::nullopt;
  cut.id = next_++;
  cut.counts = CountsOf(batch);
  cut.counts.skipped = skipped;
  return cut;
}

void CutSource::Resume(const std::string& /*position*/, const std::vector<uint64_t>& /*cut*/) {
  throw InputError("documents in memory have no position to resume from");
}

}  // namespace sda
