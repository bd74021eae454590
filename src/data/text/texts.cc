#include "sda/texts.h"

#include <algorithm>
#include <utility>

#include "data/bags/append_record.h"
#include "data/text/first_texts.h"
#include "data/text/word_counter.h"

namespace sda {

struct Texts::State {
  explicit State(CorpusOptions of) : options(std::move(of)), counter(options) {}

  const CorpusOptions options;
  WordCounter counter;
  Record record;
};

Texts::Texts(CorpusOptions options, std::vector<std::string> vocabulary)
    : state_(std::make_unique<State>(std::move(options))) {
  if (!vocabulary.empty()) {
    state_->counter.UseVocabulary(std::move(vocabulary), "the given vocabulary");
  }
}

Texts::~Texts() = default;
Texts::Texts(Texts&&) noexcept = default;
Texts& Texts::operator=(Texts&&) noexcept = default;

void Texts::ChooseVocabulary(std::span<const std::string_view> texts, const Context& context) {
  FirstTexts first(state_->counter.stop_words(), state_->options);
  const size_t most = std::min<uint64_t>(texts.size(), state_->options.vocabulary_documents);
  for (const std::string_view text : texts.first(most)) {
    context.ThrowIfInterrupted();
    first.Add(state_->counter.texts().Split(text));
  }
  state_->counter.UseVocabulary(first.Choose(), "the texts");
}

const std::vector<std::string>& Texts::vocabulary() const { return state_->counter.vocabulary(); }

void Texts::Add(std::string_view text, uint64_t number, Documents* documents) {
  Record& record = state_->record;
  record.Clear();
  record.number = number;
  record.text = text;
  state_->counter.Count(&record);
  AppendRecord(record, documents);
}

}  // namespace sda
