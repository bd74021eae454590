#include "data/document_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "data/corpus_position.h"
#include "data/format.h"
#include "data/io/followed_file.h"
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
    if (options.follow) HoldFollowed(options.inputs.back());
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

void DocumentStream::HoldFollowed(const std::string& path, uint64_t modified) {
  const std::string& name = options_.inputs.back();
  // One that waits for whoever writes to it, or is not there, is opened when its turn comes.
  if (options_.inputs.size() > 1 && !std::filesystem::is_regular_file(path)) return;
  followed_ = Input::OpenRaw(
      path, context_, name,
      [this](const FileIdentity& file) {
        if (options_.on_start) options_.on_start(StartOfCorpus(file, options_.first_id));
      },
      modified);
}

DocumentStream::OpenInput DocumentStream::Open(size_t input) {
  const std::string& path = options_.inputs[input];
  if (std::filesystem::is_directory(path)) return OpenFolder(path);
  if (!IsFollowed(input)) return OpenReader(path, Input::Open(path, context_));
  if (followed_) return OpenReader(path, Input::Decompress(std::move(followed_)));
  return OpenReader(path, Input::Open(path, context_, path));
}

DocumentStream::OpenInput DocumentStream::OpenReader(const std::string& path,
                                                     std::unique_ptr<Input> input) {
  auto lines = std::make_unique<LineReader>(std::move(input));
  if (options_.format == CorpusFormat::kAuto) {
    UseFormat(DetectFormat(lines.get(), options_.text_column), *lines);
  } else if (format_ == CorpusFormat::kFiles) {
    lines->FailWhole("is a file, expected a folder for the format files");
  }
  auto new_reader = [&](IdLimit ids) {
    return NewDocumentReader(format_, std::move(lines), ids, options_);
  };
  if (IsText(format_)) return {new_reader({}), {}};
  if (options_.follow) {
    lines->FailWhole(fmt::format("has the format {}, expected text or JSON lines, which may grow",
                                 CorpusFormatName(format_)));
  }
  OpenInput opened{new_reader(vocabulary_.LimitOf(path)), {}};
  opened.translation = vocabulary_.Reconcile(path, opened.reader->header_words());
  return opened;
}

void DocumentStream::UseFormat(CorpusFormat found, const LineReader& lines) {
  if (format_ != CorpusFormat::kAuto && found != format_) {
    lines.FailWhole(fmt::format("has the format {}, expected {} as in {}", CorpusFormatName(found),
                                CorpusFormatName(format_), options_.inputs[0]));
  }
  format_ = found;
}

DocumentStream::OpenInput DocumentStream::OpenFolder(const std::string& path) {
  OpenInput opened{NewFilesReader(path, context_), {}};
  const LineReader& lines = opened.reader->lines();
  if (options_.follow) lines.FailWhole("is a folder, expected a file to follow");
  if (options_.format != CorpusFormat::kAuto && options_.format != CorpusFormat::kFiles) {
    lines.FailWhole(fmt::format(
        "is a folder, each file of which is one text, expected files of the format {}: name them "
        "({}/*)",
        CorpusFormatName(options_.format), path));
  }
  UseFormat(CorpusFormat::kFiles, lines);
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
          followed_ ? followed_->identity() : current_.reader->lines().input().identity()};
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
    bytes_before_ += std::filesystem::is_directory(options_.inputs[i])
                         ? OpenFolder(options_.inputs[i]).reader->lines().input().bytes_total()
                         : std::filesystem::file_size(options_.inputs[i]);
  }
  input_ = position.input;
  documents_before_ = position.documents_before;
  FollowedPlace place;
  if (options_.follow) {
    place = FindFollowed(options_.inputs.back(), position.file, context_);
    HoldFollowed(place.path, place.from_start ? 0 : position.file.modified);
  }
  current_ = Open(input_);
  from_start_ = place.from_start && IsFollowed(input_);
  if (from_start_) {
    documents_before_ += position.reader.document;
  } else if (position.reader.offset > 0) {  // else it is there, perhaps after a byte-order mark
    current_.reader->Seek(position.reader);
  }
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
