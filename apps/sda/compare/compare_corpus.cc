#include "compare/compare_corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <vector>

#include "base/hash.h"
#include "base/safe_file.h"
#include "data/bags/ldac_writer.h"

namespace sda {
namespace {

constexpr uint64_t kHeldOutShare = 10;  // one in this many
// What is hashed with a document's number, so that the choices are independent.
constexpr uint64_t kHoldOut = 1, kSample = 2;

bool IsHeldOutByHash(uint64_t number) {
  return Key(1, kHoldOut, number) < ~uint64_t{0} / kHeldOutShare;
}

// Numbers that are held out by hash among the documents from which words may be chosen.
std::vector<uint64_t> HeldOutByHash(uint64_t vocabulary_documents) {
  constexpr uint64_t kMost = 100'000'000;  // for any limit that the user gives
  const uint64_t others = std::min(vocabulary_documents, kMost);
  std::vector<uint64_t> numbers;
  for (uint64_t d = 1; d - numbers.size() <= others; ++d) {
    if (IsHeldOutByHash(d)) numbers.push_back(d);
  }
  return numbers;
}

struct Kept {
  uint64_t number;
  uint64_t tokens;
  std::string line;
};

// The documents with the smallest keys, as many as the limits let in: a sample of a stream whose
// length is not known beforehand.
class Sample {
 public:
  Sample(uint64_t documents, uint64_t tokens) : documents_(documents), tokens_(tokens) {}

  void Add(uint64_t key, Kept document) {
    in_it_ += document.tokens;
    kept_.emplace(key, std::move(document));
    while (kept_.size() > 1 &&
           ((documents_ > 0 && kept_.size() > documents_) || (tokens_ > 0 && in_it_ > tokens_))) {
      in_it_ -= std::prev(kept_.end())->second.tokens;
      kept_.erase(std::prev(kept_.end()));
    }
  }

  uint64_t size() const { return kept_.size(); }
  uint64_t tokens() const { return in_it_; }
  const std::multimap<uint64_t, Kept>& kept() const { return kept_; }

 private:
  const uint64_t documents_, tokens_;
  uint64_t in_it_ = 0;
  std::multimap<uint64_t, Kept> kept_;
};

// Hashes what is written.
class HashedFile {
 public:
  explicit HashedFile(const std::string& path) : file_(path) {}

  void Write(const std::string& line) {
    hash_ = Fnv1a(line, hash_);
    file_.Write(line);
  }

  uint64_t Finish() {
    file_.Commit();
    return hash_;
  }

 private:
  SafeFile file_;
  uint64_t hash_ = kHashOfNothing;
};

Kept LineOf(const Documents& documents, size_t d) {
  return {documents.numbers[d], Tokens(documents, d), LdacLine(documents, d) + '\n'};
}

// Puts every document in its place: to learn from, or to score on.
class Copier {
 public:
  Copier(const CorpusLimits& limits, bool by_hash, const std::string& path)
      : sampled_(limits.Sampled()),
        by_hash_(by_hash),
        learnt_(limits.documents, limits.tokens),
        held_out_(limits.held_out, limits.held_out_tokens),
        file_(path) {}

  void Add(Kept document, bool held_out) {
    const uint64_t number = document.number;
    held_out = held_out || (by_hash_ && IsHeldOutByHash(number));
    ++copy_.documents;
    copy_.tokens += document.tokens;
    if (!sampled_) WriteAt(number, document.line);
    const uint64_t key = Key(1, held_out && by_hash_ ? kHoldOut : kSample, number);
    if (!sampled_) document.line.clear();
    if (held_out) {
      held_out_.Add(key, std::move(document));
    } else if (sampled_) {
      learnt_.Add(key, std::move(document));
    }
  }

  // Returns the counts and the numbers held out, in the file that is now complete.
  CorpusCopy Finish(std::vector<uint64_t>* held_out) {
    if (sampled_) {
      WriteSample(held_out);
      copy_.documents = learnt_.size();
      copy_.tokens = learnt_.tokens();
    } else {
      for (const auto& [key, document] : held_out_.kept()) held_out->push_back(document.number);
      copy_.documents -= held_out_.size();
      copy_.tokens -= held_out_.tokens();
    }
    std::sort(held_out->begin(), held_out->end());
    copy_.held_out = held_out->size();
    copy_.hash = fmt::format("{:016x}", file_.Finish());
    return copy_;
  }

 private:
  // Documents without a known word are left out by the readers, but have a number.
  void WriteAt(uint64_t number, const std::string& line) {
    for (; written_ + 1 < number; ++written_) file_.Write("0\n");
    file_.Write(line);
    ++written_;
  }

  void WriteSample(std::vector<uint64_t>* held_out) {
    std::map<uint64_t, std::pair<const Kept*, bool>> in_order;
    for (const auto& [key, kept] : learnt_.kept()) in_order[kept.number] = {&kept, false};
    for (const auto& [key, kept] : held_out_.kept()) in_order[kept.number] = {&kept, true};
    uint64_t number = 0;
    for (const auto& [original, kept] : in_order) {
      file_.Write(kept.first->line);
      ++number;
      if (kept.second) held_out->push_back(number);
    }
  }

  const bool sampled_, by_hash_;
  Sample learnt_, held_out_;
  HashedFile file_;
  uint64_t written_ = 0;
  CorpusCopy copy_;
};

std::string WriteLines(const std::string& path, const std::vector<std::string>& lines) {
  HashedFile file(path);
  for (const std::string& line : lines) file.Write(line + "\n");
  return fmt::format("{:016x}", file.Finish());
}

}  // namespace

CorpusCopy CopyCorpus(CorpusOptions options, const CorpusLimits& limits, const std::string& folder,
                      const std::string& name, const Context& context) {
  const bool by_hash = options.held_out.empty();
  const uint64_t last =
      by_hash ? 0 : *std::max_element(options.held_out.begin(), options.held_out.end());
  if (by_hash) options.held_out = HeldOutByHash(options.vocabulary_documents);
  options.minibatch = 4096;
  options.first_minibatch = 0;
  const std::string path = folder + "/" + name;
  CorpusSource source(options, context);
  std::filesystem::create_directories(folder);
  Copier copier(limits, by_hash, path + ".ldac");
  size_t taken = 0;  // of source.held_out(), which only grows
  while (true) {
    const auto minibatch = source.Next();
    if (context.StopRequested()) throw IoError("stopped while reading");
    const Documents& apart = source.held_out();
    const size_t ready = minibatch ? minibatch->data.size() : 0;
    // Both lists are in the order of the stream, and so is what is written.
    for (size_t d = 0; d < ready || taken < apart.size();) {
      const bool held_out =
          taken < apart.size() && (d == ready || apart.numbers[taken] < minibatch->data.numbers[d]);
      copier.Add(held_out ? LineOf(apart, taken++) : LineOf(minibatch->data, d++), held_out);
    }
    if (!minibatch) break;
  }
  if (source.counts().documents < last) {
    throw InputError(fmt::format("no document {} to hold out, expected 1 to {}", last,
                                 source.counts().documents));
  }
  std::vector<uint64_t> held_out;
  CorpusCopy copy = copier.Finish(&held_out);
  if (copy.documents == 0 || copy.held_out == 0) {
    throw InputError(
        fmt::format("{} documents to learn from and {} to score on, expected some of each",
                    copy.documents, copy.held_out));
  }
  const std::vector<std::string> vocabulary = source.vocabulary();
  std::vector<std::string> numbers;
  numbers.reserve(held_out.size());
  for (const uint64_t number : held_out) numbers.push_back(std::to_string(number));
  copy.words = vocabulary.size();
  copy.read = source.counts().documents;
  copy.hash += WriteLines(path + ".vocab.txt", vocabulary);
  copy.hash += WriteLines(path + ".holdout.txt", numbers);
  return copy;
}

}  // namespace sda
