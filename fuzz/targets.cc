#include "targets.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/sda/ui/command.h"
#include "base/safe_file.h"
#include "base/utf8.h"
#include "data/corpus_position.h"
#include "data/document_reader.h"
#include "data/format.h"
#include "data/io/input.h"
#include "data/tables/csv.h"
#include "data/tables/table_source.h"
#include "data/text/document_time.h"
#include "data/text/text_words.h"
#include "data/text/tokenizer.h"
#include "sda/checkpoint.h"
#include "sda/dense.h"
#include "sda/keyed_rows.h"
#include "sda/topic_model.h"
#include "tables/table_fit.h"

namespace sda {
namespace {

// Bytes in memory, handed out a few at a time as a pipe would.
class MemoryInput : public Input {
 public:
  explicit MemoryInput(std::string_view bytes) : left_(bytes), total_(bytes.size()) {}
  size_t Read(std::span<char> buffer) override {
    constexpr size_t kPiece = 97;
    const size_t n = std::min({buffer.size(), left_.size(), kPiece});
    std::copy_n(left_.data(), n, buffer.data());
    left_.remove_prefix(n);
    return n;
  }
  bool WaitForBytes(std::chrono::steady_clock::time_point) override { return true; }
  bool stopped() const override { return false; }
  const std::string& name() const override { return name_; }
  uint64_t bytes_read() const override { return total_ - left_.size(); }
  uint64_t bytes_total() const override { return total_; }

 private:
  std::string_view left_;
  const size_t total_;
  const std::string name_ = "memory";
};

// A file with these bytes that is nowhere on disk.
class FileInMemory {
 public:
  explicit FileInMemory(std::string_view bytes) : fd_(memfd_create("fuzz", 0)) {
    if (fd_ < 0 || write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
      throw std::logic_error("no file in memory");
    }
    path_ = fmt::format("/proc/self/fd/{}", fd_);
  }
  ~FileInMemory() { close(fd_); }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;
  const std::string& path() const { return path_; }

 private:
  int fd_;
  std::string path_;
};

std::unique_ptr<LineReader> LinesOf(std::string_view bytes) {
  constexpr size_t kMaxLineBytes =
      4096;  // as long as the inputs; so the buffer is small, and quick
  return std::make_unique<LineReader>(std::make_unique<MemoryInput>(bytes), kMaxLineBytes);
}

// Reads all documents; a second reader that resumes from the middle must read the same rest.
template <class MakeReader>
void ReadAll(std::string_view bytes, const MakeReader& make) {
  try {
    auto reader = make(LinesOf(bytes));
    std::vector<ReaderPosition> places;
    Record record;
    while (reader->Read(&record)) {
      if (record.words.size() != record.counts.size()) throw std::logic_error("uneven record");
      places.push_back(reader->position());
    }
    if (places.size() < 2) return;
    auto again = make(LinesOf(bytes));
    again->Seek(places[places.size() / 2 - 1]);
    size_t rest = 0;
    while (again->Read(&record)) ++rest;
    if (rest != places.size() - places.size() / 2) throw std::logic_error("another rest");
  } catch (const InputError&) {
  }
}

constexpr IdLimit kIds{1000};

void FuzzUci(std::string_view bytes) {
  ReadAll(bytes, [](auto lines) { return NewUciReader(std::move(lines), kIds); });
}
void FuzzMatrixMarket(std::string_view bytes) {
  ReadAll(bytes, [](auto lines) { return NewMatrixMarketReader(std::move(lines), kIds); });
}
void FuzzLdac(std::string_view bytes) {
  ReadAll(bytes, [](auto lines) { return NewLdacReader(std::move(lines), kIds); });
}
void FuzzSvmlight(std::string_view bytes) {
  ReadAll(bytes, [](auto lines) { return NewSvmlightReader(std::move(lines), kIds); });
}
void FuzzJsonLines(std::string_view bytes) {
  ReadAll(bytes, [](auto lines) { return NewJsonLinesReader(std::move(lines), CorpusOptions()); });
}
void FuzzText(std::string_view bytes) { ReadAll(bytes, NewTextReader); }

void FuzzCsvText(std::string_view bytes) {
  CorpusOptions options;
  options.id_field = "id";
  options.time_field = "time";
  ReadAll(bytes, [&](auto lines) { return NewCsvTextReader(std::move(lines), options); });
}

// Markup, stems and neighbours; and times.
void FuzzTextWords(std::string_view bytes) {
  static const CorpusOptions options = {
      .strip = "html,urls,emails", .stemmer = "english", .phrases = true};
  static TextWords words(options);
  std::string text;
  ReplaceInvalidUtf8(bytes, &text);
  for (const std::string_view word : words.Split(text)) {
    if (!IsValidUtf8(word)) throw std::logic_error("a word that is none");
  }
  const auto time = ParseTime(text);
  if (time && ParseTime(FormatTime(*time)).value_or(*time) != *time) {
    throw std::logic_error("another time");
  }
}

// The format is detected from the bytes, and the vocabulary chosen from them.
void FuzzCorpus(std::string_view bytes) {
  const FileInMemory file(bytes);
  CorpusOptions options;
  options.inputs = {file.path()};
  options.minibatch = 3;
  options.vocabulary_documents = 4;
  try {
    CorpusSource source(options);
    const uint32_t words = source.vocabulary_size();
    std::string position;
    while (const auto minibatch = source.Next()) {
      for (const uint32_t word : minibatch->data.words) {
        if (word >= words) throw std::logic_error("a word beyond the vocabulary");
      }
      position = minibatch->position;
    }
    if (!position.empty()) source.Resume(position, {});
  } catch (const InputError&) {
  }
  try {
    CorpusPosition::FromString(std::string(bytes));
  } catch (const InputError&) {
  }
}

void FuzzTokenizer(std::string_view bytes) {
  static Tokenizer tokenizer(2);
  std::string text;
  ReplaceInvalidUtf8(bytes, &text);
  for (const std::string_view word : tokenizer.Split(text)) {
    if (word.empty() || !IsValidUtf8(word)) throw std::logic_error("a word that is none");
  }
}

void FuzzDecompress(std::string_view bytes) {
  try {
    const auto input = Input::Decompress(std::make_unique<MemoryInput>(bytes));
    std::vector<char> buffer(1000);
    size_t total = 0;  // a decompression bomb is not read to its end
    while (total < (size_t{1} << 20)) {
      const size_t n = input->Read(buffer);
      if (n == 0) break;
      total += n;
    }
  } catch (const InputError&) {
  }
}

void FuzzCsv(std::string_view bytes) {
  try {
    CsvReader reader(std::make_unique<MemoryInput>(bytes));
    std::vector<std::string_view> fields;
    while (reader.Next(&fields)) {
    }
  } catch (const InputError&) {
  }
}

void FuzzTable(std::string_view bytes) {
  if (bytes.empty()) return;
  const FileInMemory file(bytes.substr(1));
  TableOptions options;
  options.inputs = {file.path()};
  options.kind = static_cast<ColumnKind>(static_cast<unsigned char>(bytes[0]) % 4);
  options.minibatch = 2;
  try {
    TableSource source(options);
    std::string position;
    while (const auto minibatch = source.Next()) position = minibatch->position;
    if (!position.empty()) source.Resume(position, {});
  } catch (const InputError&) {
  }
}

// With the checksum that the bytes should have, since otherwise no fuzzer would get beyond it.
std::string WithChecksum(std::string_view bytes) {
  constexpr std::string_view kKey = "\"checksum\":\"";
  std::string file(bytes);
  const size_t key = file.find(kKey);
  if (key == std::string::npos || key + kKey.size() + 8 > file.size()) return file;
  file.replace(key + kKey.size(), 8, "00000000");
  return file.replace(key + kKey.size(), 8, fmt::format("{:08x}", Checksum(file)));
}

void FuzzModel(std::string_view bytes) {
  const FileInMemory file(WithChecksum(bytes));
  try {
    LoadTopicModel(file.path());
  } catch (const InputError&) {
  }
  try {
    const auto fit = TableFit::Load(file.path());
    fit->Describe();
    fit->Notes();
  } catch (const InputError&) {
  }
}

void FuzzCheckpoint(std::string_view bytes) {
  const uint32_t checksum = Checksum(bytes);
  std::string whole(bytes);
  whole.append(reinterpret_cast<const char*>(&checksum), sizeof(checksum));
  const FileInMemory file(whole);
  try {
    const Checkpoint checkpoint = Checkpoint::Load(file.path());
    try {
      checkpoint.Posterior<Dense>();
    } catch (const InputError&) {
    }
    checkpoint.Posterior<KeyedRows>();
  } catch (const InputError&) {
  }
}

// Arguments of `sda fit`, a line each. They are parsed, and nothing is run.
void FuzzOptions(std::string_view bytes) {
  std::vector<std::string> arguments;
  for (size_t begin = 0; begin <= bytes.size();) {
    const size_t end = std::min(bytes.find('\n', begin), bytes.size());
    arguments.emplace_back(bytes.substr(begin, end - begin));
    begin = end + 1;
  }
  std::reverse(arguments.begin(), arguments.end());
  CLI::App app("", "sda");
  AddFit(&app);
  app.get_subcommand("fit")->parse_complete_callback([] { throw CLI::Success(); });
  arguments.emplace_back("fit");
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError&) {
  }
}

constexpr FuzzTarget kTargets[] = {
    {"uci", FuzzUci},         {"mm", FuzzMatrixMarket},
    {"ldac", FuzzLdac},       {"svmlight", FuzzSvmlight},
    {"jsonl", FuzzJsonLines}, {"text", FuzzText},
    {"corpus", FuzzCorpus},   {"tokenizer", FuzzTokenizer},
    {"csv", FuzzCsv},         {"table", FuzzTable},
    {"model", FuzzModel},     {"checkpoint", FuzzCheckpoint},
    {"options", FuzzOptions}, {"decompress", FuzzDecompress},
    {"csvtext", FuzzCsvText}, {"textwords", FuzzTextWords},
};

}  // namespace

std::span<const FuzzTarget> FuzzTargets() {
  static const std::vector<FuzzTarget> all = [] {
    std::vector<FuzzTarget> targets(std::begin(kTargets), std::end(kTargets));
    const auto further = MessageTargets();
    targets.insert(targets.end(), further.begin(), further.end());
    return targets;
  }();
  return all;
}

}  // namespace sda
