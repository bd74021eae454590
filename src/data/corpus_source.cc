#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <numeric>
#include <utility>

#include "data/bags/append_record.h"
#include "data/corpus_position.h"
#include "data/document_stream.h"
#include "data/format.h"
#include "data/io/followed_file.h"
#include "data/text/text_documents.h"
#include "sda/corpus.h"

namespace sda {
namespace {

CorpusOptions Checked(CorpusOptions options) {
  options.Validate();
  auto& held_out = options.held_out;
  std::sort(held_out.begin(), held_out.end());
  held_out.erase(std::unique(held_out.begin(), held_out.end()), held_out.end());
  return options;
}

}  // namespace

class CorpusSource::Impl {
 public:
  Impl(CorpusOptions options, const Context& context)
      : options_(Checked(std::move(options))),
        context_(context),
        stream_(options_, context),
        start_(stream_.position()),
        next_minibatch_(options_.first_id) {
    if (IsText(stream_.format())) text_ = std::make_unique<TextDocuments>(options_, &stream_);
    if (options_.grow && !text_) {
      throw UsageError(stream_.name() + ": --grow-vocab is for texts, but the format is " +
                       CorpusFormatName(stream_.format()));
    }
    if (text_ && !text_->Advice().empty()) context_.Log(text_->Advice());
    Publish();
  }

  std::optional<Minibatch<Documents>> Next() {
    Documents batch;
    const bool first = next_minibatch_ == 0 && options_.first_minibatch > 0;
    const bool as_before = !cut_as_before_.empty();
    const bool begins = next_minibatch_ == 0 && !as_before && text_ != nullptr;
    const uint64_t size = as_before ? cut_as_before_.front()
                          : first   ? options_.first_minibatch
                                    : options_.minibatch;
    const bool by_time = options_.follow && next_minibatch_ > 0 && !as_before;
    const uint64_t most_draws = as_before || size >= kWholeStream ? UINT64_MAX : kMaxMinibatchDraws;
    uint64_t draws = 0;
    if (text_) text_->counter().EmptyDictionary();
    Clock::time_point until = Clock::time_point::max();
    while (batch.size() < size && draws < most_draws) {
      if (by_time && batch.size() > 0) {
        if (until == Clock::time_point::max()) until = Clock::now() + Patience();
        if (Clock::now() >= until || !text_->WaitForDocument(until)) break;
      }
      if (begins) WaitAndTell(batch);
      const size_t before = batch.size();
      if (!ReadDocument(&batch)) break;
      if (batch.size() > before) draws += Draws(batch, before);
    }
    // A file that was larger before must never be taken for the same one.
    if (as_before && batch.size() < size && stream_.stopped()) batch = {};
    if (begins && batch.size() < size && draws < most_draws && ToldAtStop(batch)) batch = {};
    if (batch.size() == 0) {
      Publish();
      return std::nullopt;
    }
    if (as_before) cut_as_before_.pop_front();
    if (text_) batch.dictionary = text_->counter().Dictionary();
    const uint64_t id = next_minibatch_++;
    const Counts counts{
        .items = batch.size(),
        .tokens = Tokens(batch),
        .skipped = counts_.skipped - std::exchange(skipped_before_, counts_.skipped)};
    Publish();
    const StreamPosition position = text_ ? text_->position() : stream_.position();
    const CorpusPosition after{position, next_minibatch_, counts_};
    return Minibatch<Documents>{id, counts, after.ToString(), std::move(batch)};
  }

  void Resume(const std::string& text, const std::vector<uint64_t>& cut) {
    if (!text.empty()) {
      Resume(text);
    } else if (counts_.documents > 0) {  // it is no longer at its start
      Resume(CorpusPosition{start_, options_.first_id, {}}.ToString());
    }
    ExpectNoneFolded(options_.inputs.back(), stream_.from_start(), cut);
    cut_as_before_.assign(cut.begin(), cut.end());
  }

  void Resume(const std::string& text) {
    const CorpusPosition position = CorpusPosition::FromString(text);
    if (std::exchange(is_there_, false) && text == options_.resume_from) {
      // The stream was opened there.
    } else if (text_) {
      text_->Seek(position.stream);
    } else {
      stream_.Seek(position.stream);
    }
    next_minibatch_ = position.next_minibatch;
    counts_ = position.counts;
    skipped_before_ = counts_.skipped;
    held_out_ = {};
    held_out_words_ = WordTable();
    cut_as_before_.clear();
    Publish();
  }

  // All held-out documents at once; the others are skipped.
  Documents ReadHeldOut() {
    stream_.ExpectFiles("a first pass for held-out documents");
    if (text_) text_->PassOverOthers();
    const uint64_t last = options_.held_out.back();
    Documents others;
    while (counts_.documents < last && ReadDocument(&others)) others = {};
    if (counts_.documents < last) {
      throw InputError(fmt::format("{}: no document {} to hold out, expected 1 to {}",
                                   stream_.name(), last, counts_.documents));
    }
    return std::move(held_out_);
  }

  std::vector<std::string> Vocabulary() const {
    if (text_) return text_->vocabulary();
    if (!stream_.vocabulary().names().empty()) return stream_.vocabulary().names();
    const uint64_t first = stream_.format() == CorpusFormat::kLdac ? 0 : 1;
    std::vector<std::string> names(stream_.vocabulary().size());
    for (uint64_t i = 0; i < names.size(); ++i) names[i] = std::to_string(first + i);
    return names;
  }

  std::vector<std::string> StopWords() const {
    return text_ ? text_->stop_words() : std::vector<std::string>();
  }

  std::vector<std::string> FrequentWords() const {
    return text_ ? text_->counter().frequent() : std::vector<std::string>();
  }

  uint32_t VocabularySize() const {
    return static_cast<uint32_t>(text_ ? text_->vocabulary().size() : stream_.vocabulary().size());
  }

  CorpusCounts Published() const {
    std::lock_guard lock(mutex_);
    return published_;
  }

  const DocumentStream& stream() const { return stream_; }
  const Documents& held_out() const { return held_out_; }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::duration Patience() const {
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::min(options_.minibatch_seconds, 1e8)));
  }

  // Of the first minibatch. See TextDocuments.
  void WaitAndTell(const Documents& batch) {
    text_->WaitAndTell(batch.size(), [&] { Tell(batch); });
  }
  bool ToldAtStop(const Documents& batch) {
    return text_->TellIfStopped(batch.size(), [&] { Tell(batch); });
  }
  void Tell(const Documents& batch) {
    Documents told = batch;
    told.dictionary = text_->counter().Dictionary();
    options_.on_first_documents(text_->vocabulary(), told);
  }

  // Reads one document to where it belongs. False at the end of the stream.
  bool ReadDocument(Documents* batch) {
    if (!(text_ ? text_->Read(&record_) : stream_.Read(&record_))) {
      Finish();
      return false;
    }
    // Documents that a file leaves out, having no words, are documents all the same.
    counts_.skipped += record_.number - counts_.documents - 1;
    counts_.documents = record_.number;
    counts_.unknown_tokens += record_.unknown;
    counts_.replaced_utf8 += record_.replaced;
    CountLabel();
    SortAndMerge(stream_.name(), &record_);
    if (record_.words.empty()) {
      ++counts_.skipped;
      if (options_.keep_wordless) Append(batch);
    } else if (std::binary_search(options_.held_out.begin(), options_.held_out.end(),
                                  record_.number)) {
      ++counts_.held_out;
      if (options_.grow)
        text_->counter().Translate(&held_out_words_, &held_out_.dictionary, &record_);
      Append(&held_out_);
    } else {
      counts_.tokens += std::accumulate(record_.counts.begin(), record_.counts.end(), uint64_t{0});
      Append(batch);
    }
    return true;
  }

  // What is known of a document is known of all, be it that there is nothing.
  void Append(Documents* out) {
    AppendRecord(record_, out);
    const CorpusFormat format = stream_.format();
    if (HasIds()) out->ids.push_back(std::move(record_.label.id));
    if (HasTimes()) out->times.push_back(record_.label.time);
    if (IsText(format)) out->unknown.push_back(record_.unknown);
    if (options_.keep_texts && IsText(format)) out->texts.emplace_back(record_.text);
  }

  bool HasIds() const {
    return stream_.format() == CorpusFormat::kFiles ||
           (!options_.id_field.empty() && HasFields(stream_.format()));
  }
  bool HasTimes() const { return !options_.time_field.empty() && HasFields(stream_.format()); }

  void CountLabel() {
    if (HasIds() && record_.label.id.empty()) ++counts_.without_id;
    if (!HasTimes() || record_.label.time != kNoTime) return;
    if (counts_.without_time++ == 0) {
      context_.Log(record_.label.time_fault + "; such documents have no time");
    }
  }

  void Finish() {
    counts_.skipped += stream_.documents() - counts_.documents;
    counts_.documents = stream_.documents();
    if (counts_.documents > counts_.skipped || stream_.stopped()) return;
    if (options_.keep_wordless && counts_.documents > 0) return;
    throw InputError(fmt::format("{}: {} documents, none with a known word, expected some",
                                 stream_.name(), counts_.documents));
  }

  void Publish() {
    std::lock_guard lock(mutex_);
    published_ = counts_;
    published_.bytes = stream_.bytes();
    published_.total_bytes = stream_.total_bytes();
  }

  const CorpusOptions options_;
  const Context context_;
  DocumentStream stream_;
  const StreamPosition start_;
  std::unique_ptr<TextDocuments> text_;  // null for bags of words
  Record record_;
  Documents held_out_;
  WordTable held_out_words_;  // their dictionary, if the vocabulary grows
  uint64_t next_minibatch_;
  std::deque<uint64_t> cut_as_before_;  // items of the minibatches that come next
  bool is_there_ = true;                // at options_.resume_from, nothing read
  CorpusCounts counts_;
  uint64_t skipped_before_ = 0;  // the minibatch that comes next
  mutable std::mutex mutex_;
  CorpusCounts published_;  // guarded by mutex_
};

CorpusSource::CorpusSource(CorpusOptions options, const Context& context)
    : impl_(std::make_unique<Impl>(std::move(options), context)) {}
CorpusSource::~CorpusSource() = default;

std::optional<Minibatch<Documents>> CorpusSource::Next() { return impl_->Next(); }
void CorpusSource::Resume(const std::string& position, const std::vector<uint64_t>& cut) {
  impl_->Resume(position, cut);
}
CorpusFormat CorpusSource::format() const { return impl_->stream().format(); }
bool CorpusSource::stopped() const { return impl_->stream().stopped(); }
uint32_t CorpusSource::vocabulary_size() const { return impl_->VocabularySize(); }
std::vector<std::string> CorpusSource::vocabulary() const { return impl_->Vocabulary(); }
std::vector<std::string> CorpusSource::stop_words() const { return impl_->StopWords(); }
std::vector<std::string> CorpusSource::frequent_words() const { return impl_->FrequentWords(); }
const Documents& CorpusSource::held_out() const { return impl_->held_out(); }
CorpusCounts CorpusSource::counts() const { return impl_->Published(); }

Documents ReadDocuments(CorpusOptions options, std::vector<uint64_t> numbers,
                        const Context& context) {
  if (numbers.empty()) return {};
  options.held_out = std::move(numbers);
  return CorpusSource(std::move(options), context).impl_->ReadHeldOut();
}

}  // namespace sda
