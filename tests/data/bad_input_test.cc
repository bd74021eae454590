#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "data/io/line_reader.h"
#include "sda/corpus.h"
#include "tests/data/corpus_files.h"

namespace sda {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

struct Bad {
  std::string content;
  std::string message;  // after the path
};

void ExpectMessages(const std::string& format, const std::vector<Bad>& all) {
  const Folder folder;
  for (const Bad& bad : all) {
    CorpusOptions options = OptionsFor({folder.Write("corpus", bad.content)});
    options.format = CorpusFormatFromName(format);
    EXPECT_THAT(ErrorOf(options), HasSubstr(options.inputs[0] + bad.message)) << bad.content;
  }
}

TEST(BadInput, Uci) {
  ExpectMessages(
      "uci",
      {{"", ": ends within the header, expected the number of documents"},
       {"2\n5\n", ": ends within the header, expected the number of entries"},
       {"2\nfive\n1\n", ":2: found \"five\", expected the number of words, a whole number"},
       {"2 2\n5\n1\n", ":1: found \"2\", expected the end of the line"},
       {"2\n0\n0\n", ":3: number of words 0, expected 1 to 1048576"},
       {"1\n16777216\n1\n1 1 1\n", ":3: number of words 16777216, expected 1 to 1048576: without"},
       {"2\n1000000000000\n1\n1 1 1\n", ":3: number of words 1000000000000, expected 1 to"},
       {"2\n5\n1\n1 0 1\n", ":4: word id 0, expected 1 to 5"},
       {"2\n5\n1\n1 6 1\n", ":4: word id 6, expected 1 to 5"},
       {"2\n5\n1\n0 1 1\n", ":4: document id 0, expected 1 to 2"},
       {"2\n5\n1\n3 1 1\n", ":4: document id 3, expected 1 to 2"},
       {"2\n5\n1\n1 1 -1\n", ":4: found \"-1\", expected a count"},
       {"2\n5\n1\n1 1 4294967296\n", ":4: count 4294967296, expected 0 to 4294967295"},
       {"2\n5\n1\n1 1 99999999999999999999999\n", ":4: found \"99999999999999999999999\""},
       {"2\n5\n1\n1 18446744073709551617 1\n",
        ":4: found \"18446744073709551617\", expected a word"},
       {"2\n5\n1\n1 1 1.5\n", ":4: found \"1.5\", expected a count, a whole number"},
       {"2\n5\n1\n1 1 nan\n", ":4: found \"nan\", expected a count"},
       {"2\n5\n1\n1 1\n", ":4: found the end of the line, expected a count"},
       {"2\n5\n1\n1 1 1 1\n", ":4: found \"1\", expected the end of the line"},
       {"2\n5\n1\n1 x 1\n", ":4: found \"x\", expected a word id, a whole number"},
       {std::string("2\n5\n1\n1 1\0001\n", 12), ":4: found \"1\\x00"},
       {"2\n5\n2\n2 1 1\n1 1 1\n", ":5: document 1 after document 2, expected the documents in"},
       {"2\n5\n3\n1 1 1\n2 1 1\n", ": 2 entries, expected the 3 that the header promises"},
       {"2\n5\n1000000000000\n1 1 1\n", ": 1 entries, expected the 1000000000000 that"},
       {"2\n5\n1\n1 1 1\n2 1 1\n", ":5: one entry more than the 1 that the header promises"},
       {"2\n5\n0\n", ": 2 documents, none with a known word, expected some"}});
}

TEST(BadInput, MatrixMarket) {
  const std::string banner = "%%MatrixMarket matrix coordinate integer general\n";
  ExpectMessages(
      "mm",
      {{"", ": is empty, expected %%MatrixMarket"},
       {"%%MatrixMarket matrix array real general\n1 1\n", ":1: found \"%%MatrixMarket matrix"},
       {"%%MatrixMarket matrix coordinate integer symmetric\n", ":1: found"},
       {banner + "% only\n", ": ends within the header, expected the sizes"},
       {banner + "2 5\n", ":2: found the end of the line, expected the number of entries"},
       {banner + "1 16777216 1\n1 1 1\n", ":2: number of words 16777216, expected 1 to 1048576"},
       {banner + "2 5 2\n1 1 1\n", ": 1 entries, expected the 2"},
       {banner + "2 5 1\n1 1 0.5\n", ":3: found \"0.5\", expected a count"},
       {banner + "2 5 1\n1 1 -2.0\n", ":3: found \"-2.0\", expected a count"},
       {banner + "2 5 1\n1 1 1e30\n", ":3: found \"1e30\", expected a count"},
       {banner + "2 5 2\n2 1 1\n1 2 1\n",
        ":4: document 1 after document 2, expected the documents in order: rows are "
        "documents, and a stream needs the entries sorted by row"}});
}

TEST(BadInput, LdacAndSvmlight) {
  ExpectMessages("ldac",
                 {{"2 0:1\n", ":1: 1 pairs word:count, expected the 2 that the line promises"},
                  {"1 0:1 1:1\n", ":1: 2 pairs word:count, expected the 1"},
                  {"1 0:1\nx 0:1\n", ":2: found \"x\", expected the number of distinct words"},
                  {"1 -1:1\n", ":1: found \"-1:1\", expected a pair word:count"},
                  {"1 1:1\n1 16777215:1\n",
                   ":2: word id 16777215, expected 0 to 1048575: without a list of words "
                   "(--vocab), more need a larger file or --max-vocab"},
                  {"1 1:4294967296\n", ":1: count 4294967296, expected 0 to 4294967295"},
                  {"1 1\n", ":1: found \"1\", expected a pair word:count"},
                  {"1 1:\n", ":1: found the end of the line, expected a count"},
                  {"1 1:-1\n", ":1: found \"-1\", expected a count"},
                  {"1 1:1:1\n", ":1: found \":1\", expected a pair"},
                  {"0\n0\n", ": 2 documents, none with a known word"}});
  ExpectMessages("svmlight", {{"1 0:1\n", ":1: word id 0, but svmlight counts from 1"},
                              {"x 1:1\n", ":1: found \"x\", expected a label, a number"},
                              {"1 1:0.25\n", ":1: found \"0.25\", expected a count"},
                              {"1 1048577:1\n", ":1: word id 1048577, expected 1 to 1048576: "},
                              {"1 a:1\n", ":1: found \"a:1\", expected a pair word:count"},
                              {"1 1:1 2\n", ":1: found \"2\", expected a pair word:count"}});
  const Folder folder;
  CorpusOptions options = OptionsFor({folder.Write("c", "1 4:1\n1 5:1\n")});
  options.vocabulary_file = folder.Write("words", SmallCorpus().vocabulary);
  EXPECT_THAT(ErrorOf(options), EndsWith(":2: word id 5, expected 0 to 4"));
}

TEST(BadInput, TextAndJsonLines) {
  ExpectMessages("text", {{std::string("ap\0ple\n", 7), ":1: found a NUL byte, expected text"}});
  ExpectMessages(
      "jsonl",
      {{"{\"text\": \"apple\"}\n{\"body\": \"x\"}\n", ":2: an object without the field \"text\""},
       {"{\"text\": 5}\n", ":1: field \"text\" is not a string, expected a text"},
       {"[1]\n", ":1: found JSON that is not an object"},
       {"{\"text\": \"apple\"\n", ":1: found \"{\"text\": \"apple\"\", expected a JSON object"},
       {"{\"text\": \"apple\"} x\n", ":1: found"},
       {"{\"text\": \"apple\", \"n\": 00123456789012345678901}\n", ":1: found"},
       {"{\"text\": \"apple\", \"n\": 1e999 5}\n", ":1: found"},
       {std::string("{\"text\": \"ap\0ple\"}\n", 19), ":1: found"}});
}

TEST(BadInput, EmptyCorpora) {
  const Folder folder;
  EXPECT_THAT(ErrorOf(OptionsFor({folder.Write("a", "")})),
              HasSubstr("found nothing, expected one"));
  CorpusOptions options = OptionsFor({folder.Write("a", "")});
  options.format = CorpusFormat::kText;
  EXPECT_THAT(ErrorOf(options), HasSubstr("no document, expected some"));
  options.inputs = {folder.Write("a", "fig\n\nfig\n")};
  options.vocabulary_file = folder.Write("words", SmallCorpus().vocabulary);
  EXPECT_THAT(ErrorOf(options), HasSubstr("3 documents, none with a known word, expected some"));
  EXPECT_THAT(ErrorOf(OptionsFor({"no/such/file"})), HasSubstr("no/such/file: cannot open"));
}

TEST(BadInput, FormatsThatCannotBeTold) {
  const Folder folder;
  const auto error = [&](const std::string& content) {
    return ErrorOf(OptionsFor({folder.Write("a", content)}));
  };
  EXPECT_THAT(error("1 2 3\n4 5 6\n"),
              HasSubstr("found \"1 2 3\" and no letters, expected one of"));
  EXPECT_THAT(error("[{\"text\": \"x\"}]"), HasSubstr("found one JSON array"));
  EXPECT_THAT(error(std::string("a\0b\0", 4)), HasSubstr("found binary data (or UTF-16)"));
  EXPECT_THAT(ErrorOf(OptionsFor(
                  {folder.Write("a", SmallCorpus().uci), folder.Write("b", SmallCorpus().ldac)})),
              HasSubstr("b: has the format ldac, expected uci as in"));
}

TEST(BadInput, DifferentVocabularies) {
  const Folder folder;
  const std::string a = folder.Write("docword.a.txt", "1\n2\n1\n1 1 1\n");
  const std::string b = folder.Write("docword.b.txt", "1\n2\n1\n1 1 1\n");
  folder.Write("vocab.a.txt", "apple\nbanana\n");
  folder.Write("vocab.b.txt", "apple\ncherry\n");
  EXPECT_THAT(ErrorOf(OptionsFor({a, b})),
              HasSubstr("vocab.b.txt:2: found \"cherry\", expected \"banana\" as in"));
  const std::string c = folder.Write("c", "1\n3\n1\n1 1 1\n");
  EXPECT_THAT(ErrorOf(OptionsFor({a, c})), HasSubstr("c: 3 words, expected 2 as in"));
  folder.Write("vocab.b.txt", "apple\nbanana\ncherry\n");
  EXPECT_THAT(ErrorOf(OptionsFor({b})), HasSubstr("docword.b.txt: 2 words, expected 3 as in"));
}

TEST(BadInput, VocabularyFiles) {
  const Folder folder;
  CorpusOptions options = OptionsFor({folder.Write("a", SmallCorpus().text)});
  const auto error = [&](const std::string& words) {
    options.vocabulary_file = folder.Write("words", words);
    return ErrorOf(options);
  };
  EXPECT_THAT(error(""), HasSubstr("words: no word, expected one a line"));
  EXPECT_THAT(error("apple\n\nbanana\n"), HasSubstr("words:3: a word after the blank line 2"));
  EXPECT_THAT(error("apple\nb\xFF\n"), HasSubstr("words:2: found \"b\\xff\", expected a word in"));
  EXPECT_THAT(error("apple\nfig\nApple\n"),
              HasSubstr("words:3: found \"Apple\", which is also word 1"));
  options.vocabulary_file = folder.Write("words", "apple\n");
  options.stop_words = "no/such/file";
  EXPECT_THAT(ErrorOf(options), HasSubstr("no/such/file: cannot open"));
}

TEST(BadInput, DocumentNumbers) {
  const Folder folder;
  EXPECT_EQ(ReadDocumentNumbers(folder.Write("n", "5\n\n2\n5\r\n")), (std::vector<uint64_t>{2, 5}));
  EXPECT_THROW(ReadDocumentNumbers(folder.Write("n", "0\n")), InputError);
  EXPECT_THROW(ReadDocumentNumbers(folder.Write("n", "5 6\n")), InputError);
}

TEST(BadInput, CutOffCompressedFiles) {
  const Folder folder;
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += std::to_string(i * i) + " apple\n";
  for (const std::string& packed : {Gzipped(lines), Zstandard(lines)}) {
    for (const size_t kept : {packed.size() - 1, packed.size() / 2, size_t{20}}) {
      EXPECT_THAT(ErrorOf(OptionsFor({folder.Write("a", packed.substr(0, kept))})),
                  HasSubstr("data is truncated"))
          << kept;
    }
  }
}

TEST(BadInput, LinesThatAreTooLong) {
  const Folder folder;
  const std::string path = folder.Write("a", "short\n" + std::string(3'000'000, 'a') + "\n");
  constexpr size_t kMegabyte = 1'000'000;
  LineReader lines(Input::Open(path), kMegabyte);
  std::string_view line;
  ASSERT_TRUE(lines.Next(&line));
  try {
    lines.Next(&line);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                EndsWith("a:2: a line of more than 1000000 bytes, expected shorter lines"));
  }
  LineReader patient(Input::Open(path));
  ASSERT_TRUE(patient.Next(&line) && patient.Next(&line));
  EXPECT_EQ(line.size(), 3'000'000u);
}

std::string Mutated(std::string content, std::mt19937* random) {
  const auto below = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(*random);
  };
  const size_t changes = 1 + below(3);
  for (size_t i = 0; i < changes && !content.empty(); ++i) {
    const size_t at = below(content.size());
    switch (below(5)) {
      case 0:
        content[at] = static_cast<char>(below(256));
        break;
      case 1:
        content.resize(at);
        break;
      case 2:
        content.insert(at, 1, "0123456789 :-.\n\t#{\"\\\xC3"[below(21)]);
        break;
      case 3:
        content.erase(at, 1 + below(4));
        break;
      case 4:
        content.insert(at, content.substr(below(content.size()), below(12)));
        break;
    }
  }
  return content;
}

TEST(BadInput, WhateverTheBytesTheyAreReadOrRefused) {
  const Folder folder;
  std::mt19937 random(20130101);
  const std::string vocabulary = folder.Write("words", SmallCorpus().vocabulary);
  int refused = 0;
  int read = 0;
  for (int i = 0; i < 1000; ++i) {
    for (const auto& [format, content] : SmallCorpus().All()) {
      const int packing = i % 4;
      std::string bytes = content;
      if (packing == 1) bytes = Gzipped(content);
      if (packing == 2) bytes = Zstandard(content);
      CorpusOptions options = OptionsFor({folder.Write("corpus", Mutated(bytes, &random))}, 2);
      if (i % 2 == 0) options.format = CorpusFormatFromName(format);
      if (i % 3 == 0) options.vocabulary_file = vocabulary;
      if (i % 5 == 0) options.held_out = {2};
      try {
        CorpusSource source(options);
        while (const auto minibatch = source.Next()) {
          for (const uint32_t word : minibatch->data.words) {
            ASSERT_LT(word, source.vocabulary_size());
          }
          for (const uint32_t count : minibatch->data.counts) ASSERT_GE(count, 1u);
        }
        ++read;
      } catch (const InputError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(read, 500);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace sda
