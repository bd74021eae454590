#include "data/document_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "data/corpus_position.h"
#include "data/format.h"
#include "data/text/word_table.h"

namespace sda {
namespace {

void Translate(const std::vector<uint32_t>& translation, Record* record) {
  size_t kept = 0;
  for (size_t i = 0; i < record->words.size(); ++i) {
    const uint32_t word = translation[record->words[i]];
    if (word == WordTable::kNone) {
      record->unknown += record->counts[i];
      continue;
    }
    record->words[kept] = word;
    record->counts[kept++] = record->counts[i];
  }
  record->words.resize(kept);
  record->counts.resize(kept);
}

}  // namespace

DocumentStream::DocumentStream(const CorpusOptions& options, const Context& context)
    : options_(options), context_(context), format_(options.format), vocabulary_(options) {
  if (options.resume_from.empty()) {
    current_ = Open(0);
  } else {
    Seek(CorpusPosition::FromString(options.resume_from).stream);
  }
  CheckFiles();
  if (!IsText(format_) && vocabulary_.size() == 0) vocabulary_.SetSize(FindLargestId() + 1);
}

void DocumentStream::CheckFiles() {
  bool all_known = true;
  for (size_t i = 0; i < options_.inputs.size(); ++i) {
    const bool twice = CanReadTwice(options_.inputs[i]);
    all_known &= twice;
    if (IsFollowed(i)) {
      continue;  // it is waited for when its turn comes
    } else if (i == input_) {
      total_bytes_ += current_.reader->lines().input().bytes_total();
    } else if (twice) {
      total_bytes_ += Open(i).reader->lines().input().bytes_total();
    }
  }
  if (!all_known || options_.follow) total_bytes_ = 0;
}

DocumentStream::OpenInput DocumentStream::Open(size_t input, const std::string& path) {
  std::optional<std::string> follow;
  if (IsFollowed(input)) follow = options_.inputs[input];
  return OpenReader(path, Input::Open(path, context_, follow));
}

DocumentStream::OpenInput DocumentStream::OpenReader(const std::string& path,
                                                     std::unique_ptr<Input> input) {
  auto lines = std::make_unique<LineReader>(std::move(input));
  if (options_.format == CorpusFormat::kAuto) {
    const CorpusFormat found = DetectFormat(lines.get());
    if (format_ != CorpusFormat::kAuto && found != format_) {
      lines->FailWhole(fmt::format("has the format {}, expected {} as in {}",
                                   CorpusFormatName(found), CorpusFormatName(format_),
                                   options_.inputs[0]));
    }
    format_ = found;
  }
  auto new_reader = [&](uint64_t words) {
    return NewDocumentReader(format_, std::move(lines), words, options_.text_field);
  };
  if (IsText(format_)) return {new_reader(0), {}};
  if (options_.follow) {
    lines->FailWhole(fmt::format("has the format {}, expected text or JSON lines, which may grow",
                                 CorpusFormatName(format_)));
  }
  OpenInput opened{new_reader(vocabulary_.IdLimit(path)), {}};
  opened.translation = vocabulary_.Reconcile(path, opened.reader->header_words());
  return opened;
}

uint64_t DocumentStream::FindLargestId() {
  ExpectFiles("finding the number of words: give a vocabulary file");
  uint64_t largest = 0;
  Record record;
  for (size_t i = 0; i < options_.inputs.size(); ++i) {
    const OpenInput opened = Open(i);
    while (opened.reader->Read(&record)) {
      for (const uint32_t word : record.words) largest = std::max<uint64_t>(largest, word);
    }
  }
  return largest;
}

bool DocumentStream::Read(Record* record) {
  while (!at_end_) {
    const DocumentReader& reader = *current_.reader;
    if (current_.reader->Read(record)) {
      record->number += documents_before_;
      if (!current_.translation.empty()) Translate(current_.translation, record);
      return true;
    }
    const bool continues = reader.lines().input().continues();
    if (reader.lines().stopped() || (input_ + 1 == options_.inputs.size() && !continues)) {
      at_end_ = true;
      break;
    }
    documents_before_ = documents();
    bytes_before_ += reader.lines().input().bytes_total();
    if (continues) {
      current_ = OpenReader(options_.inputs[input_], reader.lines().input().OpenNext());
    } else {
      current_ = Open(++input_);
    }
  }
  return false;
}

uint64_t DocumentStream::documents() const {
  const uint64_t promised = stopped() ? 0 : current_.reader->header_documents();
  return documents_before_ + std::max(current_.reader->position().document, promised);
}

StreamPosition DocumentStream::position() const {
  return {input_, documents_before_, current_.reader->position(),
          current_.reader->lines().input().identity()};
}

void DocumentStream::Seek(const StreamPosition& position) {
  ExpectFiles("resuming from a position");
  if (position.input >= options_.inputs.size()) {
    throw InputError(fmt::format("the position is in input {}, expected at most {} inputs",
                                 position.input + 1, options_.inputs.size()));
  }
  at_end_ = false;
  bytes_before_ = 0;
  for (size_t i = 0; i < position.input; ++i) {
    bytes_before_ += std::filesystem::file_size(options_.inputs[i]);
  }
  input_ = position.input;
  documents_before_ = position.documents_before;
  FollowedPlace place{options_.inputs[input_]};
  if (IsFollowed(input_)) place = FindFollowed(place.path, position.file);
  current_ = Open(input_, place.path);
  from_start_ = place.from_start;
  if (!place.from_start) return current_.reader->Seek(position.reader);
  documents_before_ += position.reader.document;
  context_.Log(place.path +
               ": was truncated since the checkpoint; it is read from its start again");
}

std::string DocumentStream::name() const {
  const std::string& first = options_.inputs[0];
  return (first == "-" ? "standard input" : first) + (options_.inputs.size() > 1 ? ", ..." : "");
}

void DocumentStream::ExpectFiles(const std::string& purpose) const {
  for (const std::string& path : options_.inputs) {
    if (CanReadTwice(path)) continue;
    throw InputError(fmt::format("{} can be read only once, expected a file for {}",
                                 path == "-" ? "standard input" : path, purpose));
  }
}

}  // namespace sda
