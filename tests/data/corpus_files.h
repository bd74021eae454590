#ifndef SDA_TESTS_DATA_CORPUS_FILES_H_
#define SDA_TESTS_DATA_CORPUS_FILES_H_

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "sda/corpus.h"

namespace sda {

// A folder for the files of one test, gone at the end of the scope.
class Folder {
 public:
  Folder() {
    static int count = 0;
    path_ = std::filesystem::path(::testing::TempDir()) /
            ("sda_corpus_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // Writes a file and returns its path.
  std::string Write(const std::string& name, const std::string& content) const {
    const std::string path = (path_ / name).string();
    std::filesystem::remove(path);  // some file systems sync a file that is overwritten
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

 private:
  std::filesystem::path path_;
};

inline std::string Gzipped(const std::string& content) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = content.size();
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = out.size();
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string Zstandard(const std::string& content) {
  std::string out(ZSTD_compressBound(content.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 3));
  return out;
}

// One corpus of five words and four documents, the third of them empty, in every format.
struct SmallCorpus {
  std::string uci = "4\n5\n6\n1 1 2\n1 3 1\n2 2 1\n2 5 3\n4 1 1\n4 4 1\n";
  std::string mm =
      "%%MatrixMarket matrix coordinate integer general\n% a comment\n4 5 6\n"
      "1 1 2\n1 3 1\n2 2 1\n2 5 3\n4 1 1\n4 4 1\n";
  std::string ldac = "2 0:2 2:1\n2 1:1 4:3\n0\n2 0:1 3:1\n";
  std::string svmlight = "1 1:2 3:1\n-1 2:1 5:3 # a comment\n0\n+1 1:1 4:1.0\n";
  std::string text = "apple Cherry apple\nbanana, elder elder ELDER\n\napple (date)\n";
  std::string jsonl =
      "{\"text\": \"apple Cherry apple\"}\n{\"id\": 2, \"text\": \"banana, elder elder ELDER\"}\n"
      "{\"text\": \"\"}\n{\"text\": \"apple\\n(date)\", \"more\": [1, {}]}\n";
  std::string vocabulary = "apple\nbanana\ncherry\ndate\nelder\n";

  // Pairs of a format's name and a file in it.
  std::vector<std::pair<std::string, std::string>> All() const {
    return {{"uci", uci},           {"mm", mm},     {"ldac", ldac},
            {"svmlight", svmlight}, {"text", text}, {"jsonl", jsonl}};
  }
};

inline CorpusOptions OptionsFor(std::vector<std::string> inputs, uint64_t minibatch = 100) {
  CorpusOptions options;
  options.inputs = std::move(inputs);
  options.minibatch = minibatch;
  return options;
}

inline std::vector<Minibatch<Documents>> ReadAll(CorpusSource* source) {
  std::vector<Minibatch<Documents>> all;
  while (auto minibatch = source->Next()) all.push_back(std::move(*minibatch));
  return all;
}

// A document as a line: "NUMBER: WORD*COUNT ...".
inline std::vector<std::string> Lines(const Documents& documents) {
  std::vector<std::string> lines;
  for (size_t d = 0; d < documents.size(); ++d) {
    std::string line = std::to_string(documents.numbers[d]) + ":";
    for (uint64_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
      line += " " + std::to_string(documents.words[i]) + "*" + std::to_string(documents.counts[i]);
    }
    lines.push_back(line);
  }
  return lines;
}

inline std::vector<std::string> Lines(const std::vector<Minibatch<Documents>>& minibatches) {
  std::vector<std::string> lines;
  for (const auto& minibatch : minibatches) {
    const auto some = Lines(minibatch.data);
    lines.insert(lines.end(), some.begin(), some.end());
  }
  return lines;
}

inline std::vector<std::string> ReadLines(const CorpusOptions& options,
                                          const Context& context = Context()) {
  CorpusSource source(options, context);
  return Lines(ReadAll(&source));
}

// The message of the InputError with which reading ends; empty if it does not.
inline std::string ErrorOf(const CorpusOptions& options) {
  try {
    CorpusSource source(options);
    ReadAll(&source);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace sda

#endif  // SDA_TESTS_DATA_CORPUS_FILES_H_
