#ifndef SDA_TOPICS_INFER_WRITER_H_
#define SDA_TOPICS_INFER_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sda/documents.h"
#include "sda/lda_topics.h"
#include "sda/topic_model.h"

namespace sda {

struct InferOutputOptions {
  // jsonl: an object a document; csv, tsv: a line with the names of the columns, then a row for
  // each document and topic.
  std::string format = "jsonl";

  // Top words of each topic to write beside it; 0: none.
  uint64_t words = 0;

  // Throws UsageError.
  void Validate() const;
};

// The topics of documents as text, in the order of the documents. Numbers have six significant
// digits. A document without a known word has no topics: an empty list, or one row without a topic;
// others have the name of how their intervals were found.
class InferWriter {
 public:
  InferWriter(const InferOutputOptions& options, const TopicModel& model);

  // Of the documents that come next, those without words among them.
  std::string Write(const Documents& documents, const std::vector<DocumentTopics>& topics);
  // Of those left out at the end, of all there were.
  std::string Finish(uint64_t documents);

  // Documents without a known word, so far.
  uint64_t wordless() const { return wordless_; }

 private:
  struct Label {
    uint64_t number;
    const std::string* id;  // null: the documents have none
    const int64_t* time;
  };

  void Append(const Label& label, const DocumentTopics& found, std::string* out);
  void AppendJson(const Label& label, const DocumentTopics& found, std::string* out) const;
  void AppendRows(const Label& label, const DocumentTopics& found, std::string* out) const;
  std::string Field(const std::string& text) const;

  const InferOutputOptions options_;
  const char delimiter_;
  std::vector<std::vector<std::string>> words_;  // of each topic
  uint64_t next_ = 1;                            // the document to be written
  uint64_t wordless_ = 0;
  bool begun_ = false;
  bool has_ids_ = false;
  bool has_times_ = false;
};

}  // namespace sda

#endif  // SDA_TOPICS_INFER_WRITER_H_
