#ifndef SDA_TOPIC_SEARCH_H_
#define SDA_TOPIC_SEARCH_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/export.h"
#include "sda/topic_options.h"

namespace SDA_EXPORT sda {

// One number of topics that was tried.
struct TopicCandidate {
  int topics = 0;
  double score = 0;             // log predictive probability per token, as in lda_score.h
  double lower = 0, upper = 0;  // its 95% interval over documents
  double below_best = 0;        // the best candidate's score less this one
  double below_best_error = 0;  // half of the 95% interval of that, document by document
  double seconds = 0;           // that it took

  bool operator==(const TopicCandidate&) const = default;
};

// How the number of topics was chosen (TopicOptions::topics is kAutoTopics): every candidate learns
// from the same documents of the first minibatch, with fewer sweeps than usual, and is scored on
// the same others, which are set aside until then. The largest number that scores within
// `tolerance` of the best is taken: with more sweeps, and the documents still to come, larger
// numbers gain more than smaller ones. What is learnt after that begins anew, with all documents.
struct TopicSearch {
  int topics = 0;                          // chosen
  std::vector<TopicCandidate> candidates;  // ascending
  uint64_t documents = 0;                  // that they were scored on
  uint64_t test_tokens = 0;                // tested in these
  uint64_t learnt_documents = 0;           // that they learnt from
  double tolerance = 0;
  double seconds = 0;  // that it took

  // One JSON object, and back. FromJson throws InputError.
  std::string ToJson() const;
  static TopicSearch FromJson(const std::string& json);
  bool operator==(const TopicSearch&) const = default;
};

// Of the first minibatch, if the documents ended before it was full; and of a longer stream.
inline constexpr double kTopicTolerance = 0.01;
inline constexpr double kTopicToleranceOfStream = 0.03;

// Tried if TopicOptions::try_topics does not say otherwise. 100 and 200 are tried first, and the
// others only if the score still rises towards them.
inline constexpr int kUsualTopics[] = {25, 50, 100, 200, 400};

// Told of the sweeps of each candidate.
using OnCandidateSweep = std::function<void(int topics, int sweep, int sweeps)>;

// Chooses from these documents, a first minibatch; the vocabulary has that many words. Logs each
// candidate to the context. With fewer than 10 documents of two words or more, nothing is
// tried, and the smallest candidate is taken. Throws StoppedAtStart if the context is stopped.
TopicSearch ChooseTopics(const TopicOptions& options, uint64_t vocabulary,
                         const Documents& documents, const Context& context = Context(),
                         const OnCandidateSweep& on_sweep = {});

}  // namespace sda

#endif  // SDA_TOPIC_SEARCH_H_
