#include "lda/vb/expectation.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>

namespace sda::lda {
namespace {

constexpr size_t kDocumentsPerChunk = 32;
constexpr size_t kWordsPerChunk = 64;

// Of each number, then zeros.
template <class T>
std::vector<T> Digamma(const std::vector<double>& x, size_t padded) {
  std::vector<T> result(padded);
  for (size_t i = 0; i < x.size(); ++i) result[i] = static_cast<T>(boost::math::digamma(x[i]));
  return result;
}

// body(chunk, first, last) for chunks of [0, count).
template <class Body>
void ParallelChunks(ThreadPool* pool, size_t count, size_t chunk, Body body) {
  pool->ParallelFor((count + chunk - 1) / chunk,
                    [&](size_t i) { body(i, i * chunk, std::min(count, (i + 1) * chunk)); });
}

}  // namespace

template <class T>
Expectation<T>::Expectation(const LdaSpec& spec, const LocalVbOptions& local,
                            const Documents& documents, const WordIndex& index, ThreadPool* pool,
                            Workspace<T>* workspace)
    : documents_(documents),
      index_(index),
      pool_(pool),
      topics_(spec.topics),
      stride_(PaddedWidth<T>(topics_)),
      tolerance_(local.tolerance),
      max_updates_(local.updates),
      alpha_(spec.Alpha()),
      kernel_alpha_(stride_, T(1)),
      workspace_(workspace),
      rows_(workspace->rows.Get(index.size() * stride_)) {
  std::copy(alpha_.begin(), alpha_.end(), kernel_alpha_.begin());
}

template <class T>
void Expectation<T>::ExpectRows(const Topics& topics) {
  const std::vector<T> digamma_of_sum = Digamma<T>(topics.sums, stride_);
  ParallelChunks(pool_, index_.size(), kWordsPerChunk, [&](size_t, size_t first, size_t last) {
    std::vector<double> lambda(topics_);
    std::vector<T> scratch(stride_);
    for (size_t v = first; v < last; ++v) {
      topics.row(v, lambda.data());
      ExpectedRow(lambda.data(), digamma_of_sum.data(), topics_, scratch.data(),
                  rows_ + v * stride_);
    }
  });
}

template <class T>
LocalProblem<T> Expectation<T>::ProblemAt(const Topics& topics) const {
  LocalProblem<T> problem;
  problem.topics = topics_;
  problem.rows = rows_;
  problem.alpha = kernel_alpha_.data();
  problem.tolerance = tolerance_;
  problem.updates = max_updates_;
  problem.offsets = documents_.offsets.data();
  problem.words = index_.numbers.data();
  problem.counts = documents_.counts.data();
  if (!documents_.weights.empty()) problem.fractions = documents_.weights.data();
  problem.expected_log_beta = [this, &topics](uint32_t v, double* out) {
    topics.row(v, out);
    for (size_t k = 0; k < topics_; ++k) {
      out[k] = boost::math::digamma(out[k]) - boost::math::digamma(topics.sums[k]);
    }
  };
  return problem;
}

template <class T>
VbSums Expectation<T>::RunLocal(const LocalProblem<T>& problem, bool warm) {
  const size_t chunks = (documents_.size() + kDocumentsPerChunk - 1) / kDocumentsPerChunk;
  std::vector<LocalState<T>> before(chunks);
  std::swap(before, states_);
  warm = warm && before.size() == chunks;
  states_.resize(chunks);
  ParallelChunks(pool_, documents_.size(), kDocumentsPerChunk,
                 [&](size_t chunk, size_t first, size_t last) {
                   const auto scratch = workspace_->scratch.Take();
                   LocalVb(problem, first, last, warm ? &before[chunk] : nullptr, scratch.get(),
                           &states_[chunk]);
                 });
  VbSums sums;
  for (const LocalState<T>& state : states_) {
    sums.tokens += state.tokens;
    sums.updates += state.updates;
    sums.unconverged += state.unconverged;
    sums.log_space_words += state.log_space_words;
  }
  return sums;
}

template <class T>
VbSums Expectation<T>::RunDocuments(const Topics& topics) {
  ExpectRows(topics);
  return RunLocal(ProblemAt(topics), false);
}

template <class T>
VbSums Expectation<T>::Run(const Topics& topics, bool warm) {
  ExpectRows(topics);
  LocalProblem<T> problem = ProblemAt(topics);
  const size_t entries = documents_.words.size();
  problem.places = index_.place_of.data();
  problem.occurrences = workspace_->occurrences.Get(entries + kOccurrencesAhead);
  std::fill_n(problem.occurrences + entries, kOccurrencesAhead, Occurrence<T>{});
  problem.weights = workspace_->weights.Get(documents_.size() * stride_);
  VbSums sums = RunLocal(problem, warm);
  log_space_.clear();
  for (const LocalState<T>& state : states_) {
    for (const auto& entry : state.log_space) {
      log_space_[index_.numbers[entry.entry]].push_back(&entry.counts);
    }
  }
  sums.change = Accumulate(problem);
  return sums;
}

template <class T>
double Expectation<T>::Accumulate(const LocalProblem<T>& results) {
  const bool first_time = statistics_ == nullptr;
  if (first_time) statistics_ = workspace_->statistics.Get(index_.size() * stride_);
  struct ChunkSums {
    std::vector<double> topics;
    double change = 0;
  };
  std::vector<ChunkSums> chunks((index_.size() + kWordsPerChunk - 1) / kWordsPerChunk);
  ParallelChunks(pool_, index_.size(), kWordsPerChunk, [&](size_t i, size_t first, size_t last) {
    ChunkSums& chunk = chunks[i];
    chunk.topics.assign(topics_, 0.0);
    std::vector<double> sums(stride_);
    for (size_t v = first; v < last; ++v) {
      const std::span<const Occurrence<T>> of_word(results.occurrences + index_.begin[v],
                                                   results.occurrences + index_.begin[v + 1]);
      SumOccurrences(of_word, results.weights, rows_ + v * stride_, stride_, sums.data());
      AddLogSpace(v, sums.data());
      if (first_time) std::fill_n(statistics_ + v * stride_, stride_, T(0));
      chunk.change +=
          ReplaceStatistics(sums.data(), topics_, statistics_ + v * stride_, chunk.topics.data());
    }
  });
  double change = 0;
  statistics_sums_.assign(topics_, 0.0);
  for (const ChunkSums& chunk : chunks) {
    change += chunk.change;
    for (size_t k = 0; k < topics_; ++k) statistics_sums_[k] += chunk.topics[k];
  }
  return change;
}

template <class T>
void Expectation<T>::AddLogSpace(size_t v, double* sums) const {
  if (log_space_.empty()) return;
  const auto found = log_space_.find(static_cast<uint32_t>(v));
  if (found == log_space_.end()) return;
  for (const std::vector<double>* counts : found->second) {
    for (size_t k = 0; k < topics_; ++k) sums[k] += (*counts)[k];
  }
}

template <class T>
KeyedRows Expectation<T>::Change(const KeyedRows& prior, double scale) const {
  const auto fill = [this, scale](size_t v, double* row) {
    const T* const from = statistics(v).data();
    const double factor = scale;  // a copy that no row can change, so that the loop becomes vectors
    const size_t topics = topics_;
    for (size_t k = 0; k < topics; ++k) row[k] = factor * static_cast<double>(from[k]);
  };
  return prior.Difference(index_.words, fill, pool_);
}

template <class T>
std::vector<double> Expectation<T>::Gamma() const {
  std::vector<double> gamma(documents_.size() * topics_);
  for (size_t d = 0; d < documents_.size(); ++d) {
    std::copy(alpha_.begin(), alpha_.end(), gamma.begin() + d * topics_);
    const LocalState<T>& state = states_[d / kDocumentsPerChunk];
    const size_t in_chunk = d % kDocumentsPerChunk;
    for (size_t j = state.begin[in_chunk]; j < state.begin[in_chunk + 1]; ++j) {
      gamma[d * topics_ + state.topics[j]] = state.gamma[j];
    }
  }
  return gamma;
}

template class Expectation<float>;
template class Expectation<double>;

}  // namespace sda::lda
