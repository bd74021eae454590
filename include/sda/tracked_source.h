#ifndef SDA_TRACKED_SOURCE_H_
#define SDA_TRACKED_SOURCE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "sda/id_set.h"
#include "sda/source.h"

namespace sda {

// How far a run is: a function of the set of minibatches that are in the posterior, and of nothing
// else, so that it always goes with the posterior it is saved with.
struct Progress {
  struct Counts {
    uint64_t items = 0;
    uint64_t weight = 0;  // whatever TrackedSource was told to sum, such as tokens
    bool operator==(const Counts&) const = default;
  };

  std::string position;  // from which the stream goes on; all before it is folded. Empty: the start
  uint64_t next = 0;     // the minibatch that comes there
  Counts before;         // of the minibatches before it
  std::map<uint64_t, Counts> after;  // of those that are folded, but come later; by id

  // Of all that is folded.
  Counts total() const {
    Counts sum = before;
    for (const auto& [id, counts] : after) {
      sum.items += counts.items;
      sum.weight += counts.weight;
    }
    return sum;
  }
};

// Hands out the minibatches of another source, whose ids are 0, 1, 2, ..., and remembers of each
// what is needed to go on from it. Memory does not grow: see At().
template <class Data>
class TrackedSource : public Source<Data> {
 public:
  using Weight = std::function<uint64_t(const Data&)>;

  // The source must outlive this.
  explicit TrackedSource(Source<Data>* source, Weight weight = {})
      : source_(*source), weight_(std::move(weight)) {}

  std::optional<Minibatch<Data>> Next() override {
    auto minibatch = source_.Next();
    if (minibatch) {
      const uint64_t weight = weight_ ? weight_(minibatch->data) : 0;
      std::lock_guard lock(mutex_);
      handed_out_[minibatch->id] = {minibatch->position, {minibatch->items, weight}};
    }
    return minibatch;
  }

  void Resume(const std::string& position) override { source_.Resume(position); }

  // Goes on from the progress of an earlier run.
  void Resume(const Progress& progress) {
    if (!progress.position.empty()) source_.Resume(progress.position);
    std::lock_guard lock(mutex_);
    progress_ = progress;
    handed_out_.clear();
    for (const auto& [id, counts] : progress.after) handed_out_[id] = {"", counts};
  }

  // The progress of a run that has folded these minibatches. Forgets what it has passed, so the
  // sets must only grow from call to call. May be called from any thread.
  Progress At(const IdSet& folded) {
    std::lock_guard lock(mutex_);
    while (folded.Contains(progress_.next)) {
      const auto entry = handed_out_.find(progress_.next);
      // Folded by an earlier run, but not yet come by again: its position is not known.
      if (entry == handed_out_.end() || entry->second.position.empty()) break;
      progress_.position = entry->second.position;
      progress_.before.items += entry->second.counts.items;
      progress_.before.weight += entry->second.counts.weight;
      handed_out_.erase(entry);
      ++progress_.next;
    }
    progress_.after.clear();
    for (const auto& [id, entry] : handed_out_) {
      if (folded.Contains(id)) progress_.after[id] = entry.counts;
    }
    return progress_;
  }

 private:
  struct Entry {
    std::string position;
    Progress::Counts counts;
  };

  Source<Data>& source_;
  const Weight weight_;
  std::mutex mutex_;
  Progress progress_;
  std::map<uint64_t, Entry> handed_out_;  // and not yet passed by progress_
};

}  // namespace sda

#endif  // SDA_TRACKED_SOURCE_H_
