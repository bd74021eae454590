#ifndef SDA_TRACKED_SOURCE_H_
#define SDA_TRACKED_SOURCE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sda/export.h"
#include "sda/id_set.h"
#include "sda/input_error.h"
#include "sda/source.h"

namespace SDA_EXPORT sda {

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
  std::vector<uint64_t> cut;  // items of the minibatches from there on, up to the last of those

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
      const Progress::Counts counts{minibatch->items, weight_ ? weight_(minibatch->data) : 0};
      std::lock_guard lock(mutex_);
      const auto folded_before = handed_out_.find(minibatch->id);
      if (folded_before != handed_out_.end() && folded_before->second.counts != counts) {
        throw InputError(
            "the input is not cut into minibatches as it was before, so that minibatch " +
            std::to_string(minibatch->id) +
            ", which is in the posterior, cannot be told from new data");
      }
      handed_out_[minibatch->id] = {minibatch->position, counts};
      items_[minibatch->id] = minibatch->items;
    }
    return minibatch;
  }

  void Resume(const std::string& position) override { source_.Resume(position); }

  // Goes on from the progress of an earlier run.
  void Resume(const Progress& progress) {
    if (!progress.position.empty()) source_.Resume(progress.position);
    source_.CutAsBefore(progress.cut);
    std::lock_guard lock(mutex_);
    progress_ = progress;
    handed_out_.clear();
    for (const auto& [id, counts] : progress.after) handed_out_[id] = {"", counts};
    items_.clear();
    for (uint64_t i = 0; i < progress.cut.size(); ++i) items_[progress.next + i] = progress.cut[i];
  }

  // The counts of a run that has folded these minibatches. The sets must only grow from call to
  // call, but may be ahead of those of At(), whose memory this needs. May be called from any
  // thread.
  Progress::Counts Total(const IdSet& folded) {
    std::lock_guard lock(mutex_);
    if (counted_next_ < progress_.next) {
      counted_next_ = progress_.next;
      counted_ = progress_.before;
    }
    auto entry = handed_out_.lower_bound(counted_next_);
    for (; entry != handed_out_.end() && entry->first == counted_next_ &&
           folded.Contains(counted_next_);
         ++entry, ++counted_next_) {
      Add(entry->second.counts, &counted_);
    }
    Progress::Counts sum = counted_;
    for (; entry != handed_out_.end(); ++entry) {
      if (folded.Contains(entry->first)) Add(entry->second.counts, &sum);
    }
    return sum;
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
      Add(entry->second.counts, &progress_.before);
      handed_out_.erase(entry);
      ++progress_.next;
    }
    progress_.after.clear();
    for (const auto& [id, entry] : handed_out_) {
      if (folded.Contains(id)) progress_.after[id] = entry.counts;
    }
    items_.erase(items_.begin(), items_.lower_bound(progress_.next));
    progress_.cut.clear();
    for (const auto& [id, items] : items_) {
      if (progress_.after.empty() || id > progress_.after.rbegin()->first) break;
      progress_.cut.push_back(items);
    }
    return progress_;
  }

 private:
  struct Entry {
    std::string position;
    Progress::Counts counts;
  };

  static void Add(const Progress::Counts& counts, Progress::Counts* sum) {
    sum->items += counts.items;
    sum->weight += counts.weight;
  }

  Source<Data>& source_;
  const Weight weight_;
  std::mutex mutex_;
  uint64_t counted_next_ = 0;  // all minibatches before it are in counted_
  Progress::Counts counted_;
  Progress progress_;
  std::map<uint64_t, Entry> handed_out_;  // and not yet passed by progress_
  std::map<uint64_t, uint64_t> items_;    // of these, and of those between them that are not folded
};

}  // namespace sda

#endif  // SDA_TRACKED_SOURCE_H_
