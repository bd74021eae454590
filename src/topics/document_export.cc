#include "topics/document_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/text.h"
#include "lda/score/inference.h"
#include "lda/topic_rows.h"

namespace sda {
namespace {

// The mean of a Dirichlet distribution.
std::vector<double> Normalized(std::span<const double> row) {
  std::vector<double> mean(row.begin(), row.end());
  const double sum = std::accumulate(mean.begin(), mean.end(), 0.0);
  for (double& x : mean) x /= sum;
  return mean;
}

std::string JsonText(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Enough digits that the sum of a row is 1 for those who check it.
std::string JsonRow(std::span<const double> row) {
  std::string out = "[";
  for (const double x : row) fmt::format_to(std::back_inserter(out), "{:.9g},", x);
  out.back() = ']';
  return out;
}

std::string JsonRow(const std::vector<uint64_t>& row) {
  return fmt::format("[{}]", fmt::join(row, ","));
}

}  // namespace

DocumentExport::DocumentExport(const TopicModel& model, const TopicExport& what)
    : model_(model), prior_(Normalized(model.Spec().Alpha())) {
  const uint64_t topics = prior_.size();
  if (what.document_topics.ends_with(".csv")) {
    table_.emplace(what.document_topics);
    table_->Write("document,id");
    for (uint64_t k = 0; k < topics; ++k) table_->Write(fmt::format(",topic_{}", k));
    table_->Write("\n");
  } else if (!what.document_topics.empty()) {
    matrix_.emplace(what.document_topics, topics);
  }
  if (!what.documents.empty()) {
    list_.emplace(what.documents);
    list_->Write("row,document,id,tokens\n");
  }
  if (!what.pyldavis.empty()) {
    frequencies_.resize(model.vocabulary.size());
    pyldavis_.emplace(what.pyldavis);
    BeginPyldavis();
  }
}

void DocumentExport::BeginPyldavis() {
  pyldavis_->Write("{\"vocab\": [");
  for (size_t v = 0; v < model_.vocabulary.size(); ++v) {
    pyldavis_->Write((v == 0 ? "" : ",") + JsonText(model_.vocabulary[v]));
  }
  pyldavis_->Write("],\n\"topic_term_dists\": [");
  const std::vector<double> sums = lda::TopicSums(model_.posterior, model_.vocabulary.size());
  std::vector<double> topic(model_.vocabulary.size());
  for (size_t k = 0; k < sums.size(); ++k) {
    for (size_t v = 0; v < topic.size(); ++v) topic[v] = model_.posterior.At(v)[k] / sums[k];
    pyldavis_->Write((k == 0 ? "\n" : ",\n") + JsonRow(topic));
  }
  pyldavis_->Write("],\n\"doc_topic_dists\": [");
}

void DocumentExport::EndPyldavis() {
  pyldavis_->Write("],\n\"doc_lengths\": " + JsonRow(lengths_));
  pyldavis_->Write(",\n\"term_frequency\": " + JsonRow(frequencies_) + "}\n");
}

void DocumentExport::AddDocument(std::span<const double> topics, uint64_t tokens,
                                 const std::string& id) {
  if (matrix_) matrix_->WriteRow(topics);
  if (table_) {
    std::string line = fmt::format("{},{}", next_, CsvField(id));
    for (const double x : topics) fmt::format_to(std::back_inserter(line), ",{:.6g}", x);
    table_->Write(line + "\n");
  }
  if (list_) list_->Write(fmt::format("{},{},{},{}\n", next_ - 1, next_, CsvField(id), tokens));
  if (pyldavis_) {
    pyldavis_->Write((next_ == 1 ? "\n" : ",\n") + JsonRow(topics));
    lengths_.push_back(tokens);
  }
  ++next_;
}

void DocumentExport::AddSkippedBefore(uint64_t number) {
  while (next_ < number) AddDocument(prior_, 0, "");
}

void DocumentExport::Add(const Documents& documents, const Context& context) {
  const auto gamma =
      lda::InferGamma(model_.posterior, documents, model_.Spec(), {}, context, nullptr).gamma;
  const size_t topics = prior_.size();
  for (size_t d = 0; d < documents.size(); ++d) {
    AddSkippedBefore(d < documents.numbers.size() ? documents.numbers[d] : next_);
    const std::string id = d < documents.ids.size() ? documents.ids[d] : "";
    AddDocument(Normalized({gamma.data() + d * topics, topics}), Tokens(documents, d), id);
  }
  for (size_t i = 0; pyldavis_ && i < documents.words.size(); ++i) {
    frequencies_[documents.words[i]] += documents.counts[i];
  }
}

void DocumentExport::Commit(uint64_t documents) {
  AddSkippedBefore(documents + 1);
  if (pyldavis_) EndPyldavis();
  if (matrix_) matrix_->Commit();
  if (table_) table_->Commit();
  if (list_) list_->Commit();
  if (pyldavis_) pyldavis_->Commit();
}

}  // namespace sda
