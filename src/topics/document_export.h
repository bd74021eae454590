#ifndef SDA_TOPICS_DOCUMENT_EXPORT_H_
#define SDA_TOPICS_DOCUMENT_EXPORT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/npy_file.h"
#include "base/safe_file.h"
#include "sda/context.h"
#include "sda/topic_export.h"

namespace sda {

// The part of a TopicExport that needs documents: they are given one minibatch after the other, and
// have one row each, also those without a known word, whose topics are the prior's.
class DocumentExport {
 public:
  DocumentExport(const TopicModel& model, const TopicExport& what);

  void Add(const Documents& documents, const Context& context);
  // `documents` were read in all. Puts the files in place.
  void Commit(uint64_t documents);

 private:
  // Those without a known word are not handed out: their rows come before the next one.
  void AddSkippedBefore(uint64_t number);
  void AddDocument(std::span<const double> topics, uint64_t tokens, const std::string& id);
  void BeginPyldavis();
  void EndPyldavis();

  const TopicModel& model_;
  uint64_t next_ = 1;  // number of the next document
  std::vector<double> prior_;
  std::optional<NpyFile> matrix_;
  std::optional<SafeFile> table_;
  std::optional<SafeFile> list_;
  std::optional<SafeFile> pyldavis_;
  std::vector<uint64_t> lengths_;      // of the documents, for pyLDAvis
  std::vector<uint64_t> frequencies_;  // of the words
};

}  // namespace sda

#endif  // SDA_TOPICS_DOCUMENT_EXPORT_H_
