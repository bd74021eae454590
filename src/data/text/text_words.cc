#include "data/text/text_words.h"

#include "data/text/stop_words.h"

namespace sda {

TextWords::TextWords(const CorpusOptions& options)
    : phrases_(options.phrases),
      strip_(Markup::FromNames(options.strip)),
      tokenizer_(options.minimum_word_length, phrases_),
      stop_words_(options.stop_word_list ? *options.stop_word_list
                                         : StopWords(options.stop_words)) {
  for (const std::string& word : stop_words_) stop_table_.Add(word);
  if (!options.stemmer.empty()) stemmer_ = std::make_unique<Stemmer>(options.stemmer);
}

const std::vector<std::string_view>& TextWords::Split(std::string_view text) {
  if (strip_.any()) text = Strip(text, strip_, &stripped_);
  const auto& cut = tokenizer_.Split(text);
  if (stemmer_ == nullptr && !phrases_) return cut;
  letters_.clear();
  ends_.clear();
  for (const std::string_view word : cut) {
    const bool stop = word.empty() || stop_table_.Find(word) != WordTable::kNone;
    if (stop && !phrases_) continue;
    if (!stop) letters_ += stemmer_ == nullptr ? word : stemmer_->Stem(word);
    ends_.push_back(letters_.size());
  }
  words_.clear();
  size_t begin = 0;
  for (const size_t end : ends_) {
    words_.push_back(std::string_view(letters_).substr(begin, end - begin));
    begin = end;
  }
  return words_;
}

}  // namespace sda
