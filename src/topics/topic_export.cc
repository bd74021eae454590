#include "sda/topic_export.h"

#include <fmt/format.h>

#include "base/npy_file.h"
#include "base/safe_file.h"
#include "base/text.h"
#include "sda/errors.h"
#include "sda/lda_topics.h"
#include "topics/document_export.h"

namespace sda {
namespace {

constexpr size_t kWordsInList = 10;  // of each topic in the table of topics

// The model has V x K in rows, which is K x V in columns: nothing needs to be turned around.
void WriteLambda(const TopicModel& model, const std::string& path) {
  NpyFile file(path, model.posterior.width(), NpyFile::Order::kFortran);
  for (uint64_t word = 0; word < model.vocabulary.size(); ++word) {
    file.WriteRow(model.posterior.At(word));
  }
  file.Commit();
}

void WriteVocabulary(const TopicModel& model, const std::string& path) {
  SafeFile file(path);
  for (size_t v = 0; v < model.vocabulary.size(); ++v) {
    const std::string& word = model.vocabulary[v];
    if (word.find_first_of("\r\n") != word.npos) {
      throw InputError(
          fmt::format("{}: word {} of the model, {}, has a line end: a list with a "
                      "word a line cannot hold it; export the others, e.g. "
                      "--topic-words FILE.csv",
                      path, v, Quoted(word)));
    }
    file.Write(word + "\n");
  }
  file.Commit();
}

void WriteTopics(const TopicModel& model, const std::string& path) {
  const std::vector<double> alpha = model.Spec().Alpha();
  SafeFile file(path);
  file.Write("topic,share,alpha,words\n");
  for (const TopicSummary& topic : SummarizeTopics(model.posterior, model.Spec(), kWordsInList)) {
    std::string words;
    for (const TopicWord& word : topic.top_words) {
      words += (words.empty() ? "" : " ") + model.vocabulary[word.word];
    }
    file.Write(fmt::format("{},{:.6g},{:.6g},{}\n", topic.topic, topic.share, alpha[topic.topic],
                           CsvField(words)));
  }
  file.Commit();
}

void WriteTopicWords(const TopicModel& model, uint64_t most, const std::string& path,
                     const Context& context) {
  SafeFile file(path);
  file.Write("topic,rank,word,probability,lower,upper\n");
  const size_t words = most == 0 ? model.vocabulary.size() : most;
  uint64_t approximate = 0;
  for (const TopicSummary& topic : SummarizeTopics(model.posterior, model.Spec(), words)) {
    for (size_t i = 0; i < topic.top_words.size(); ++i) {
      const auto& [word, p] = topic.top_words[i];
      file.Write(fmt::format("{},{},{},{:.6g},{:.6g},{:.6g}\n", topic.topic, i + 1,
                             CsvField(model.vocabulary[word]), p.mean, p.lower, p.upper));
      approximate += p.approximate;
    }
  }
  file.Commit();
  if (approximate == 0 || model.ApproximateIntervals()) return;
  context.Log(fmt::format(
      "{}: {} of words, those that end above 2.2 times the probability, {} "
      "approximate: see docs/uncertainty.md",
      path, Plural(approximate, "interval", "intervals"), approximate == 1 ? "is" : "are"));
}

void WriteDocuments(const TopicModel& model, const TopicExport& what, CorpusSource* source,
                    const Context& context) {
  DocumentExport files(model, what);
  while (auto minibatch = source->Next()) {
    if (context.StopRequested()) break;
    files.Add(minibatch->data, context);
  }
  if (context.StopRequested()) {
    throw IoError("stopped while documents were read; nothing of them was exported");
  }
  files.Commit(source->counts().documents);
}

}  // namespace

TopicExport TopicExport::InFolder(const std::string& folder, bool with_documents) {
  TopicExport what;
  what.lambda = folder + "/lambda.npy";
  what.vocabulary = folder + "/vocabulary.txt";
  what.topics = folder + "/topics.csv";
  what.topic_words = folder + "/topic_words.csv";
  if (with_documents) {
    what.document_topics = folder + "/document_topics.npy";
    what.documents = folder + "/documents.csv";
    what.pyldavis = folder + "/pyldavis.json";
  }
  return what;
}

std::vector<std::string> TopicExport::Files() const {
  std::vector<std::string> files;
  for (const auto* file :
       {&lambda, &vocabulary, &topics, &topic_words, &document_topics, &documents, &pyldavis}) {
    if (!file->empty()) files.push_back(*file);
  }
  return files;
}

bool TopicExport::NeedsDocuments() const {
  return !(document_topics.empty() && documents.empty() && pyldavis.empty());
}

void TopicExport::Validate() const {
  if (!document_topics.empty() && !document_topics.ends_with(".csv") &&
      !document_topics.ends_with(".npy")) {
    throw UsageError("document_topics is " + Quoted(document_topics) +
                     ", must end in .npy or .csv");
  }
  if (Files().empty()) throw UsageError("nothing is to be exported: name a file or a folder");
}

void ExportTopicModel(const TopicModel& model, const TopicExport& what, CorpusSource* documents,
                      const Context& context) {
  what.Validate();
  if (what.NeedsDocuments() && documents == nullptr) {
    throw UsageError("the topics of documents need documents: name INPUT");
  }
  if (!what.lambda.empty()) WriteLambda(model, what.lambda);
  if (!what.vocabulary.empty()) WriteVocabulary(model, what.vocabulary);
  if (!what.topics.empty()) WriteTopics(model, what.topics);
  if (!what.topic_words.empty()) WriteTopicWords(model, what.words, what.topic_words, context);
  if (what.NeedsDocuments()) WriteDocuments(model, what, documents, context);
}

}  // namespace sda
