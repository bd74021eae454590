#ifndef SDA_MODEL_REPORT_H_
#define SDA_MODEL_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/export.h"
#include "sda/source.h"
#include "sda/topic_model.h"

namespace SDA_EXPORT sda {

// How much of a model its report shows. What is left out, it says.
struct ReportOptions {
  // Words of each topic, at each relevance: see ReportedTopic.
  int words = 30;
  // Words that can be looked up: those with the most tokens.
  uint64_t vocabulary = 100'000;
  // Topics of each of these words, at most.
  int word_topics = 5;
  // Documents that represent a topic, and four times as many of those that fit no topic.
  int documents = 5;
  // Known words that such a document has at least.
  uint64_t tokens = 10;
  // Characters of a document's text.
  int snippet = 300;
  // Periods of the topics over time, at most.
  int periods = 120;

  // Throws UsageError naming the field and its value.
  void Validate() const;
};

// A number between 0 and 1 with its 95% interval.
struct ReportedShare {
  double mean = 0;
  double lower = 0;
  double upper = 0;
};

struct ReportedWord {
  uint64_t word = 0;          // id, from 0
  double frequency = 0;       // its share of the corpus, by the model
  ReportedShare probability;  // in the topic
};

struct ReportedDocument {
  uint64_t number = 0;          // in the stream, from 1
  std::string id;               // its own, or empty
  std::optional<int64_t> time;  // milliseconds since 1970 (UTC)
  uint64_t tokens = 0;          // known words
  size_t topic = 0;             // its largest one, or that which it represents
  ReportedShare share;          //   its share of the document
  // How much better its topics predict its words than their shares of the corpus do: mean over the
  // tokens of log p(word | topics) - log p(word).
  double gain = 0;
  std::string text;  // its beginning, or empty
};

// Of runs with other seeds: see topic_stability.h.
struct ReportedStability {
  uint64_t found_by = 0;  // runs
  uint64_t runs = 0;      // of so many
  double cosine = 0;      // mean over the other runs
};

struct ReportedTopic {
  size_t topic = 0;
  // Of the corpus that was learnt from: its part of the tokens, and where that of further documents
  // would be expected.
  ReportedShare share;
  double x = 0, y = 0;  // on the map
  // The most probable first. They hold the first words for each relevance 0, 0.05, ..., 1, where a
  // word is ranked by relevance * log p(word | topic) + (1 - relevance) * log (p(word | topic) /
  // p(word)) (Sievert and Shirley, 2014).
  std::vector<ReportedWord> words;
  // Where known.
  std::optional<double> coherence;  // NPMI, -1 to 1
  std::optional<ReportedStability> stability;
  std::vector<ReportedDocument> documents;  // that it has the largest share of
};

// A word that can be looked up.
struct ReportedEntry {
  uint64_t word = 0;
  double frequency = 0;  // as above
  struct Topic {
    size_t topic = 0;
    ReportedShare probability;  // of the word in the topic
  };
  std::vector<Topic> topics;  // that have at least 5% of its tokens, the largest part first
};

// Documents of one day, week, month ...
struct ReportedPeriod {
  int64_t begin = 0;  // milliseconds since 1970 (UTC)
  int64_t end = 0;    // begin of the next one
  uint64_t documents = 0;
  // By topic: the mean of the documents' proportions. The interval is that of the mean of all
  // documents that could have been written then: it has the differences between documents in it.
  std::vector<ReportedShare> shares;
};

// What was found in documents.
struct ReportedDocuments {
  uint64_t documents = 0;  // read
  uint64_t skipped = 0;    // of them without a known word
  uint64_t undated = 0;    // without a time, if others have one
  uint64_t outside = 0;    // so far before or after the others that no period has them
  double median_gain = 0;
  std::string unit;  // of the periods: hour, day, week, month, quarter, year or decade
  std::vector<ReportedPeriod> periods;    // those with documents, in their order
  std::vector<ReportedDocument> misfits;  // the smallest gain first
  uint64_t misfits_of = 0;                // documents with enough known words to be among these
};

// What the model itself keeps of the documents that it has learnt from: see over_time.h. Shares are
// those of their tokens, and the intervals hold what these documents had.
struct ReportedOverTime {
  std::string unit;   // of the periods: day, week, 4 weeks, month, quarter, ...
  uint64_t late = 0;  // documents that came when there was a later period
  uint64_t undated = 0;
  std::vector<ReportedPeriod> periods;  // those with documents, in their order
};

struct ModelReport {
  std::string title;
  uint64_t documents = 0;  // learnt from
  uint64_t tokens = 0;
  uint64_t vocabulary = 0;
  std::string primitive;
  bool approximate = true;  // the intervals of words: TopicModel::ApproximateIntervals()
  double map_shown = 0;     // part of the squared distances that two dimensions show
  uint64_t map_words = 0;   // words that the distances are computed from
  std::vector<double> relevances;
  std::vector<ReportedTopic> topics;   // the largest share first
  std::vector<ReportedEntry> entries;  // the most frequent first
  std::vector<std::string> words;      // by id
  std::optional<ReportedDocuments> input;
  std::optional<ReportedOverTime> over_time;
  std::vector<std::string> notes;  // what is left out, a sentence each
  ReportOptions options;

  // What the page draws: one JSON object, without line ends. docs/report.md describes it.
  std::string ToJson() const;
};

// Reads the documents, if given, to their end. They are read for the model (TopicModel::Corpus());
// their ids, times and texts are shown if they have them. Throws InterruptedError when the context
// is interrupted.
ModelReport MakeReport(const TopicModel& model, const ReportOptions& options,
                       const Context& context = Context(), Source<Documents>* documents = nullptr);

// One HTML file with the report and all that draws it: it needs no network.
std::string ReportPage(const ModelReport& report);
// Both throw InputError if this library was built without Node.js, which makes the page.
void RequireReportPage();
// Whether the file is such a page, of this version or another. Throws IoError if it cannot be read.
bool IsReportPage(const std::string& path);

}  // namespace sda

#endif  // SDA_MODEL_REPORT_H_
