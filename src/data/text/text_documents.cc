#include "data/text/text_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.h"
#include "data/bags/append_record.h"
#include "data/format.h"
#include "data/text/word_file.h"

namespace sda {

TextDocuments::TextDocuments(const CorpusOptions& options, DocumentStream* stream)
    : options_(options), stream_(*stream), counter_(options), position_(stream_.position()) {
  if (!options.vocabulary.empty() && options.grow) {
    counter_.GrowFrom(options.vocabulary, options.frequent_words);
  } else if (!options.vocabulary.empty()) {
    counter_.UseVocabulary(options.vocabulary, "the given vocabulary");
  } else if (!options.vocabulary_file.empty()) {
    counter_.UseVocabulary(ReadWordFile(options.vocabulary_file), options.vocabulary_file);
  } else {
    LearnVocabulary();
    replays_ = true;
  }
}

bool TextDocuments::IsHeldOut(uint64_t number) const {
  return std::binary_search(options_.held_out.begin(), options_.held_out.end(), number);
}

void TextDocuments::LearnVocabulary() {
  first_.emplace(counter_.stop_words(), options_);
  Record record;
  while (kept_.size() < options_.vocabulary_documents) {
    WaitAndTell(kept_.size(), [this] { TellFirst(); });
    if (!stream_.Read(&record)) break;
    Learn(&record);
  }
  TellIfStopped(kept_.size(), [this] { TellFirst(); });
  if (kept_.empty() && stream_.stopped()) return;
  if (kept_.empty()) throw InputError(stream_.name() + ": no document, expected some");
  try {
    UseChosen();
  } catch (const InputError&) {
    // More would have come.
    if (!options_.follow || !stream_.stopped()) throw;
  }
}

void TextDocuments::WaitAndTell(uint64_t documents, const std::function<void()>& tell) {
  if (!Tells()) return;
  using Clock = std::chrono::steady_clock;
  const auto patience = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(options_.provisional_seconds));
  while (!WaitForDocument(Clock::now() + patience)) {
    // Each time by a quarter more, so that all fits together take a few times the last one.
    if (documents <= told_ + told_ / 4) continue;
    told_ = documents;
    tell();
  }
}

bool TextDocuments::TellIfStopped(uint64_t documents, const std::function<void()>& tell) {
  if (!Tells() || !stream_.stopped()) return false;
  if (documents > told_) tell();
  return true;
}

void TextDocuments::UseChosen() {
  if (options_.grow) {
    counter_.GrowFrom(first_->Choose(), first_->TooFrequent());
  } else {
    counter_.UseVocabulary(first_->Choose(), stream_.name());
  }
}

void TextDocuments::TellFirst() {
  try {
    UseChosen();
  } catch (const InputError&) {
    return;  // further documents may have words
  }
  Documents documents;
  Record record;
  for (size_t i = 0; i < kept_.size(); ++i) {
    record.Clear();
    record.number = kept_[i].number;
    first_->Count(i, &counter_, &record);
    SortAndMerge(stream_.name(), &record);
    if (!record.words.empty() && !IsHeldOut(record.number)) AppendRecord(record, &documents);
  }
  documents.dictionary = counter_.Dictionary();
  if (documents.size() > 0) options_.on_first_documents(counter_.vocabulary(), documents);
}

void TextDocuments::Learn(Record* record) {
  Notice(record->text);
  first_->Add(counter_.texts().Split(record->text), !IsHeldOut(record->number));
  kept_.push_back({record->number, record->replaced, std::move(record->label),
                   std::string(options_.keep_texts ? record->text : std::string_view()),
                   stream_.position()});
}

void TextDocuments::Notice(std::string_view text) {
  const Markup found = MarkupIn(text);
  ++noticed_;
  if (noticed_ == 1 && stream_.format() == CorpusFormat::kText) first_line_ = text;
  if (noticed_ == 2) may_be_csv_ = LooksLikeCsv(first_line_, text);
  html_ += found.html;
  urls_ += found.urls;
  emails_ += found.emails;
}

std::string TextDocuments::Advice() const {
  constexpr double kShare = 0.1;
  if (may_be_csv_) {
    return fmt::format(
        "{}: every line is taken for a document, but the first may name columns: {}; if it does, "
        "--text-column NAME reads the texts of one",
        stream_.name(), Quoted(first_line_));
  }
  const Markup& taken_out = counter_.texts().strip();
  Markup advised;
  std::string what;
  const auto look = [&](uint64_t documents, bool done, bool* advise, const char* name) {
    *advise = !done && documents > 0 && documents >= kShare * noticed_;
    if (!*advise) return;
    what += fmt::format("{}{:.0f}% have {}", what.empty() ? "" : ", ", 100.0 * documents / noticed_,
                        name);
  };
  look(html_, taken_out.html, &advised.html, "HTML tags");
  look(urls_, taken_out.urls, &advised.urls, "web addresses");
  look(emails_, taken_out.emails, &advised.emails, "e-mail addresses");
  if (!advised.any()) return "";
  return fmt::format("of the first {} {}; --strip {} leaves them out of the words",
                     Plural(noticed_, "document", "documents"), what, advised.Names());
}

bool TextDocuments::Read(Record* record) {
  if (replayed_ < kept_.size()) {
    Replay(record);
    return true;
  }
  if (!kept_.empty()) {
    kept_ = {};
    first_.reset();
    replayed_ = 0;
  }
  if (!stream_.Read(record)) {
    position_ = stream_.position();
    return false;
  }
  if (!pass_over_others_ || IsHeldOut(record->number)) counter_.Count(record);
  position_ = stream_.position();
  return true;
}

void TextDocuments::Replay(Record* record) {
  Kept& kept = kept_[replayed_];
  record->Clear();
  record->label = std::move(kept.label);
  record->text = kept.text;
  record->number = kept.number;
  record->replaced = kept.replaced;
  first_->Count(replayed_, &counter_, record);
  position_ = kept.position;
  ++replayed_;
}

void TextDocuments::Seek(const StreamPosition& position) {
  stream_.Seek(position);
  replayed_ = kept_.size();
  position_ = position;
}

}  // namespace sda
