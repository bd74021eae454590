#ifndef SDA_TRACKED_SOURCE_H_
#define SDA_TRACKED_SOURCE_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sda/errors.h"
#include "sda/export.h"
#include "sda/id_set.h"
#include "sda/source.h"

namespace SDA_EXPORT sda {

// How far a run is: a function of the set of minibatches that are in the posterior, and of nothing
// else, so that it always matches the posterior it is saved with.
struct Progress {
  std::string position;  // where the stream continues; all before it is folded. Empty: the start
  uint64_t next = 0;     // the minibatch that comes there
  Counts before;         // of the minibatches before it
  std::map<uint64_t, Counts> after;  // of those that are folded, but come later; by id
  std::vector<uint64_t> cut;  // items of the minibatches from there on, up to the last of those

  // Of all that is folded.
  Counts total() const {
    Counts sum = before;
    for (const auto& [id, counts] : after) sum += counts;
    return sum;
  }
};

// Hands out the minibatches of another source, whose ids are 0, 1, 2, ..., and remembers of each
// what is needed to resume from it. Memory does not grow: see At().
template <class Data>
class TrackedSource : public Source<Data> {
 public:
  // The source must outlive this. If its first minibatch is not 0, `start` has its number, and the
  // counts of those before it.
  explicit TrackedSource(Source<Data>* source, Progress start = {})
      : source_(*source), progress_(std::move(start)) {}

  std::optional<Minibatch<Data>> Next() override {
    auto minibatch = source_.Next();
    if (minibatch) {
      const Counts& counts = minibatch->counts;
      std::lock_guard lock(mutex_);
      const auto folded_before = handed_out_.find(minibatch->id);
      if (folded_before != handed_out_.end() && folded_before->second.counts != counts) {
        throw InputError(
            "the input is not divided into minibatches as it was before, so that minibatch " +
            std::to_string(minibatch->id) +
            ", which is in the posterior, cannot be distinguished from new data");
      }
      handed_out_[minibatch->id] = {minibatch->position, counts};
      items_[minibatch->id] = counts.items;
    }
    return minibatch;
  }

  void Resume(const std::string& position, const std::vector<uint64_t>& cut) override {
    source_.Resume(position, cut);
  }

  // Resumes from the progress of an earlier run.
  void Resume(const Progress& progress) {
    source_.Resume(progress.position, progress.cut);
    std::lock_guard lock(mutex_);
    progress_ = progress;
    handed_out_.clear();
    for (const auto& [id, counts] : progress.after) handed_out_[id] = {"", counts};
    items_.clear();
    for (uint64_t i = 0; i < progress.cut.size(); ++i) items_[progress.next + i] = progress.cut[i];
  }

  // The progress of a run that has folded these minibatches. Forgets what it has passed, so the
  // sets must only grow from call to call. May be called from any thread.
  Progress At(const IdSet& folded) {
    std::lock_guard lock(mutex_);
    while (folded.Contains(progress_.next)) {
      const auto entry = handed_out_.find(progress_.next);
      // Folded by an earlier run, but not yet handed out again: its position is not known.
      if (entry == handed_out_.end() || entry->second.position.empty()) break;
      progress_.position = entry->second.position;
      progress_.before += entry->second.counts;
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
    Counts counts;
  };

  Source<Data>& source_;
  std::mutex mutex_;
  Progress progress_;
  std::map<uint64_t, Entry> handed_out_;  // and not yet passed by progress_
  std::map<uint64_t, uint64_t> items_;    // of these, and of those between them that are not folded
};

}  // namespace sda

#endif  // SDA_TRACKED_SOURCE_H_
