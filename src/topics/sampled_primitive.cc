#include "topics/sampled_primitive.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/parse_json.h"

namespace sda {

using nlohmann::json;

namespace {

// On average; a document of text has some 60 distinct words.
constexpr size_t kWordsOfKept = 200;

}  // namespace

void SharedSample::Keep(size_t documents) {
  std::lock_guard lock(mutex_);
  kept_ =
      DocumentSample({.documents = documents, .words = documents * kWordsOfKept, .counts = true});
}

Documents SharedSample::Kept() const {
  std::lock_guard lock(mutex_);
  return kept_ ? kept_->InOrder() : Documents();
}

void SharedSample::Offer(uint64_t minibatch, const Documents& documents) {
  std::lock_guard lock(mutex_);
  sample_.Offer(minibatch, documents);
  if (kept_) kept_->Offer(minibatch, documents);
}

void SharedSample::Continue(std::optional<DocumentSample> sample, bool of_all,
                            uint64_t minibatches) {
  std::lock_guard lock(mutex_);
  first_ = sample && of_all ? 0 : minibatches;
  if (sample) sample_ = std::move(*sample);
}

DocumentSample SharedSample::Copy() const {
  std::lock_guard lock(mutex_);
  return sample_;
}

TopicCoherence SharedSample::Coherence(const KeyedRows& posterior) const {
  const DocumentSample sample = Copy();  // workers that offer documents do not wait for long
  TopicCoherence coherence = MeasureCoherence(posterior, sample);
  std::lock_guard lock(mutex_);
  coherence.all_sampled = first_ == 0;
  return coherence;
}

std::string SharedSample::ToJson() const {
  std::lock_guard lock(mutex_);
  json notes = {{"sample", sample_.Serialize()}, {"sampled_from", first_}};
  if (kept_) notes["kept"] = kept_->Serialize();
  return notes.dump();
}

void SharedSample::Resume(const std::string& text, const IdSet& folded) {
  const json notes = ParseJson(text);
  std::lock_guard lock(mutex_);
  if (!notes.contains("sample")) {  // an earlier version of the program wrote them
    first_ = folded.next();
    return;
  }
  sample_ = DocumentSample::Deserialize(notes.at("sample").get<std::string>());
  sample_.KeepOnly(folded);
  first_ = notes.at("sampled_from").get<uint64_t>();
  if (!kept_ || !notes.contains("kept")) return;
  kept_ = DocumentSample::Deserialize(notes.at("kept").get<std::string>(), kept_->limits());
  kept_->KeepOnly(folded);
}

}  // namespace sda
