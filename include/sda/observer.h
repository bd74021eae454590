#ifndef SDA_OBSERVER_H_
#define SDA_OBSERVER_H_

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

#include "sda/export.h"
#include "sda/source.h"

namespace SDA_EXPORT sda {

// How well a prior predicted items of a minibatch before they were learnt from: log predictive
// probability, natural logarithm.
struct Prediction {
  double log_sum = 0;   // over what was tested
  uint64_t tested = 0;  // tokens or rows; 0: nothing was
};

// What a run did. Observers see it grow; Run() returns it at the end.
struct Summary {
  uint64_t minibatches = 0;      // folded
  Counts counts;                 // of them
  uint64_t duplicates = 0;       // minibatches offered that were in the posterior already
  uint64_t last_minibatch = 0;   // the id folded last
  double seconds = 0;            // since the run began
  double computing_seconds = 0;  // in the primitive, over all workers
  Prediction prediction;         // of all minibatches; if the run was given a Scorer
  Prediction last_prediction;    // of the one folded last

  // Of the minibatches and counts, those of a model that was continued: another run did them.
  uint64_t minibatches_before = 0;
  uint64_t items_before = 0;

  // Staleness of a delta: how many others were folded between its worker's snapshot and its add.
  uint64_t staleness_last = 0;
  uint64_t staleness_max = 0;
  uint64_t staleness_sum = 0;

  bool whole_round = true;  // false between the folds of one synchronous round

  bool stopped = false;   // ended by a stop request, with something of the stream not folded
  bool finished = false;  // nothing more will be folded

  double staleness_mean() const {
    const uint64_t own = minibatches - minibatches_before;
    return own == 0 ? 0 : static_cast<double>(staleness_sum) / static_cast<double>(own);
  }
  double items_per_second() const {
    return seconds > 0 ? static_cast<double>(counts.items - items_before) / seconds : 0;
  }

  // What was done before and what a later run did: sums, and the state of the later one.
  Summary& operator+=(const Summary& later);
};

// The one hook. Called after every fold, and once more at the end of the run with finished set;
// never by two threads at once, but by any thread. The store may be read from it. It changes
// nothing; if it throws, the run ends as if the primitive had.
using Observer = std::function<void(const Summary&)>;

// An observer of what is about to be learnt from: sees a minibatch and its prior, and returns how
// well the one was predicted by the other. In a stream that never ends, nothing has to be held out.
// Called by several workers at once.
template <class Data, class Params>
using Scorer = std::function<Prediction(const Minibatch<Data>&, const Params& prior)>;

// One observer that calls each in turn.
Observer Observers(Observer first, Observer second);

// Shows items seen, rate, elapsed time and staleness: one line that is rewritten if `out` is a
// terminal, else a line at times. Quiet for runs shorter than a second or two. What details says,
// if given, is shown too.
Observer ShowProgress(std::FILE* out, std::string items_name,
                      std::function<std::string(const Summary&)> details = {});

// The summary as a JSON object, for reports. Keys are the field names, items under items_name.
std::string ToJson(const Summary& summary, const std::string& items_name);

// The numbers of a summary that a later run adds to, as text for a checkpoint, and back. Throws
// InputError.
std::string SerializeSummary(const Summary& summary);
Summary DeserializeSummary(const std::string& text);

}  // namespace sda

#endif  // SDA_OBSERVER_H_
