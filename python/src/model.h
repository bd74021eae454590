#ifndef SDA_PYTHON_MODEL_H_
#define SDA_PYTHON_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bags.h"
#include "process.h"
#include "sda/topic_stream.h"

namespace sda::python {

// Called now and then while a model learns: documents and minibatches so far.
using Progress = std::function<void(uint64_t documents, uint64_t minibatches)>;

// A topic stream as Python holds it. Its threads are those of the process that made it: in a
// process that was forked off, every function throws, and nothing is destroyed, since that would
// wait for them for ever. All functions expect the lock of the interpreter and release it while
// they compute.
class Model {
 public:
  // options: the JSON of TopicOptions. threads: 0 means all processors.
  Model(const std::string& options, std::vector<std::string> vocabulary, int threads);
  // From a file; and what its stream had kept.
  Model(const std::string& path, int threads, Documents kept, uint64_t formed,
        const std::string& notes);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Learns from the rows, cut into minibatches as `sda fit` cuts a file of them.
  void Fit(const Bags& bags, const Progress& progress);
  // Learns from the rows as one piece of a stream. Rows without a word are left out. Looks at all
  // of them before; returns false, having learnt nothing, if it finds weights that are not whole
  // numbers and the primitive needs counts.
  bool Update(const Bags& bags);

  // Fits the documents that were kept together: TopicSession::Refit(). Throws UsageError if none
  // was.
  void Refit();

  // Dirichlet parameters of the rows' topics, rows x topics.
  std::vector<double> Proportions(const Bags& bags) const;
  // Lower and upper ends of credible intervals of the rows' topic proportions, rows x topics x 2.
  std::vector<double> Intervals(const Bags& bags, const InferOptions& options) const;
  // Sum over the tested tokens, and their number.
  std::pair<double, double> Score(const Bags& bags) const;
  // The parameters of the topics, topics x words.
  std::vector<double> Lambda() const;

  std::shared_ptr<const TopicSession> session() const;
  Context context() const { return Usable().stream->context(); }
  void Save(const std::string& path) const;

  // What a stream has beside the model in its file: the documents that it keeps until its topics
  // form for the last time, how many there were when they formed last, and the notes of those that
  // are kept for Refit() (empty if none are).
  struct Kept {
    Documents documents;
    uint64_t formed = 0;
    std::string notes;
  };
  // Saves the model, and returns the rest of the same moment: it waits for a thread that learns.
  Kept SaveAll(const std::string& path) const;

 private:
  struct Held {
    std::unique_ptr<TopicStream> stream;
    std::mutex learning;
  };
  // Throws std::runtime_error in a process that was forked off.
  Held& Usable() const;
  void Learn(const std::function<void(TopicStream*)>& learn, const std::function<void()>& poll);

  const OfOneProcess process_;
  Held* const held_;
};

}  // namespace sda::python

#endif  // SDA_PYTHON_MODEL_H_
