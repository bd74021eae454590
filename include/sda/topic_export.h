#ifndef SDA_TOPIC_EXPORT_H_
#define SDA_TOPIC_EXPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sda/context.h"
#include "sda/corpus.h"
#include "sda/export.h"
#include "sda/topic_model.h"

namespace SDA_EXPORT sda {

// A topic model, and documents under it, in files that other programs read. Each name is that of a
// file to write; what is empty is not written.
struct TopicExport {
  std::string lambda;       // .npy: topics x words, the Dirichlet parameters, float64
  std::string vocabulary;   // a word a line: line v + 1 is column v of lambda
  std::string topics;       // CSV: of each topic its share of the corpus, its alpha, its top words
  std::string topic_words;  // CSV: words of each topic, with probabilities and 95% intervals

  // These need documents.
  std::string document_topics;  // .npy: documents x topics, float64; or .csv: with numbers and ids
  std::string documents;        // CSV: row of the matrix, number, id and tokens of each document
  std::string pyldavis;         // JSON: the arguments of pyLDAvis.prepare()

  uint64_t words = 50;  // of each topic in topic_words; 0: all of them

  // Everything, under the names that docs/usage.md lists.
  static TopicExport InFolder(const std::string& folder, bool with_documents);

  // The files to write.
  std::vector<std::string> Files() const;
  bool NeedsDocuments() const;

  // Throws UsageError naming the field and its value.
  void Validate() const;
};

// Writes all that is asked for. The documents are read once, are never in memory as a whole, and
// may be null where none are needed. Each file is replaced all at once; those of documents all at
// the end. Throws UsageError, IoError, and InputError for words that a list with a word a line
// cannot have. When the context is stopped, nothing of the documents is written and IoError thrown.
void ExportTopicModel(const TopicModel& model, const TopicExport& what,
                      CorpusSource* documents = nullptr, const Context& context = Context());

}  // namespace sda

#endif  // SDA_TOPIC_EXPORT_H_
