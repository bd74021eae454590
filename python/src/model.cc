#include "model.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "sda/cut_source.h"
#include "sda/errors.h"
#include "waiting.h"

namespace sda::python {
namespace {

// Rows that are inferred or scored between two looks at Ctrl-C.
constexpr size_t kRowsAtOnce = 2048;
constexpr size_t kRowsSampledAtOnce = 64;

// Calls body(first, last) for parts of the rows, on a thread of its own.
template <class Body>
void ForParts(size_t rows, const Body& body, size_t at_once = kRowsAtOnce) {
  std::atomic<bool> interrupted = false;
  WaitFor(
      [&] {
        for (size_t first = 0; first < rows && !interrupted; first += at_once) {
          body(first, std::min(rows, first + at_once));
        }
      },
      [&] { interrupted = true; });
}

bool AppendRow(const Bags& bags, size_t row, Documents* documents) {
  const size_t before = documents->words.size();
  bags.Append(row, documents);
  if (documents->words.size() > before) return true;
  documents->offsets.pop_back();
  documents->numbers.pop_back();
  return false;
}

// Documents so far, for a thread that shows them.
struct Shown {
  std::atomic<uint64_t> documents = 0;
  std::atomic<uint64_t> minibatches = 0;
};

}  // namespace

Model::Model(const std::string& options, std::vector<std::string> vocabulary, int threads)
    : held_(new Held{std::make_unique<TopicStream>(TopicOptions::FromJson(options),
                                                   std::move(vocabulary), Context(threads)),
                     {}}) {}

Model::Model(const std::string& path, int threads, Documents kept, uint64_t formed,
             const std::string& notes)
    : held_(new Held{std::make_unique<TopicStream>(LoadTopicModel(path), Context(threads),
                                                   std::move(kept), formed, notes),
                     {}}) {}

Model::~Model() {
  if (process_.Here()) delete held_;
}

Model::Held& Model::Usable() const {
  process_.ExpectHere();
  return *held_;
}

void Model::Learn(const std::function<void(TopicStream*)>& learn,
                  const std::function<void()>& poll) {
  Held& held = Usable();
  const Context context = held.stream->context();
  WaitFor(
      [&] {
        std::lock_guard lock(held.learning);
        context.ClearInterrupt();
        learn(held.stream.get());
      },
      [&] { context.Interrupt(); }, poll);
}

void Model::Fit(const Bags& bags, const Progress& progress) {
  Shown shown;
  const auto poll = [&] {
    if (progress) progress(shown.documents, shown.minibatches);
  };
  Learn(
      [&](TopicStream* stream) {
        size_t row = 0;
        CutSource source(stream->session()->options().Corpus(),
                         [&](Documents* batch, uint64_t* skipped) {
                           if (row == bags.rows()) return false;
                           if (!AppendRow(bags, row++, batch)) ++*skipped;
                           return true;
                         });
        const Summary summary = stream->Run(source, [&](const Summary& so_far) {
          shown.documents = so_far.counts.items;
          shown.minibatches = so_far.minibatches;
        });
        if (summary.minibatches == 0) {
          throw InputError("X has " + std::to_string(bags.rows()) +
                           " documents, none with a word, expected some");
        }
        if (stream->session()->options().SamplesIntervals()) stream->Refit();
      },
      poll);
  poll();
}

void Model::Refit() {
  if (!session()->options().SamplesIntervals()) {
    throw UsageError("refit needs --intervals sampled: no documents were kept");
  }
  Learn(
      [](TopicStream* stream) {
        if (stream->Refit()) return;
        throw UsageError("refit has no documents: a saved model has none of those it learnt from");
      },
      {});
}

bool Model::Update(const Bags& bags) {
  bool learnt = true;
  Learn(
      [&](TopicStream* stream) {
        Documents documents = DocumentsOf(bags, 0, bags.rows(), false);
        const TopicOptions options = stream->session()->options();
        learnt = documents.weights.empty() || options.primitive == "vb";
        // The first piece chooses the number of topics, and is refused if it is empty.
        const bool needed = documents.size() > 0 || options.topics == kAutoTopics;
        if (learnt && needed) stream->Update(std::move(documents));
      },
      {});
  return learnt;
}

std::vector<double> Model::Proportions(const Bags& bags) const {
  const auto now = session();
  const size_t topics = now->spec().topics;
  std::vector<double> all(bags.rows() * topics);
  ForParts(bags.rows(), [&](size_t first, size_t last) {
    const std::vector<double> part = now->Proportions(DocumentsOf(bags, first, last, true));
    std::copy(part.begin(), part.end(), all.begin() + first * topics);
  });
  return all;
}

std::vector<double> Model::Intervals(const Bags& bags, const InferOptions& options) const {
  options.Validate();
  const auto now = session();
  const size_t topics = now->spec().topics;
  std::vector<double> all(bags.rows() * topics * 2);
  const auto body = [&](size_t first, size_t last) {
    const auto part = now->Infer(DocumentsOf(bags, first, last, true), 0, options);
    for (size_t d = 0; d < part.size(); ++d) {
      for (const TopicShare& share : part[d].topics) {
        double* const ends = all.data() + ((first + d) * topics + share.topic) * 2;
        ends[0] = share.proportion.lower;
        ends[1] = share.proportion.upper;
      }
    }
  };
  ForParts(bags.rows(), body, kRowsSampledAtOnce);
  return all;
}

std::pair<double, double> Model::Score(const Bags& bags) const {
  const auto now = session();
  double sum = 0, tested = 0;
  ForParts(bags.rows(), [&](size_t first, size_t last) {
    const HeldOutSplit split = SplitHeldOut(DocumentsOf(bags, first, last, true));
    double weight = 0;
    for (size_t i = 0; i < split.tested.words.size(); ++i) weight += split.tested.weight(i);
    if (weight == 0) return;
    sum += now->Score(split).log_predictive * weight;
    tested += weight;
  });
  return {sum, tested};
}

std::vector<double> Model::Lambda() const {
  const auto now = session();
  std::vector<double> lambda;
  ForParts(1, [&](size_t, size_t) {
    const TopicModel model = now->Snapshot();
    const size_t words = model.vocabulary.size();
    const size_t topics = model.posterior.width();
    lambda.resize(words * topics);
    for (size_t word = 0; word < words; ++word) {
      const auto row = model.posterior.At(word);
      for (size_t k = 0; k < topics; ++k) lambda[k * words + word] = row[k];
    }
  });
  return lambda;
}

std::shared_ptr<const TopicSession> Model::session() const { return Usable().stream->session(); }

void Model::Save(const std::string& path) const {
  const auto now = session();
  ForParts(1, [&](size_t, size_t) { now->Save(path); });
}

Model::Kept Model::SaveAll(const std::string& path) const {
  Held& held = Usable();
  std::atomic<bool> interrupted = false;
  return WaitFor(
      [&] {
        std::unique_lock lock(held.learning, std::defer_lock);
        while (!lock.try_lock()) {
          if (interrupted) return Kept();
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        const auto now = session();
        now->Save(path);
        return Kept{held.stream->kept(), held.stream->formed(),
                    now->options().SamplesIntervals() ? now->Notes() : ""};
      },
      [&] { interrupted = true; });
}

}  // namespace sda::python
