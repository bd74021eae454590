// Documents with ids and times, from JSON fields, columns of CSV and the names of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sda/corpus.h"
#include "tests/data/corpus_files.h"

namespace sda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CorpusOptions LabelledOptions(const std::string& path) {
  CorpusOptions options = OptionsFor({path});
  options.id_field = "id";
  options.time_field = "date";
  options.keep_texts = true;
  options.minimum_document_frequency = 1;
  return options;
}

Documents ReadOne(const CorpusOptions& options, std::vector<std::string>* log = nullptr) {
  const Context context(1, {}, [log](const std::string& line) {
    if (log != nullptr) log->push_back(line);
  });
  CorpusSource source(options, context);
  return source.Next()->data;
}

constexpr int64_t kNewYear = 1'767'225'600'000;  // 2026

TEST(Labels, OfJsonLines) {
  const Folder folder;
  const std::string path =
      folder.Write("a.jsonl",
                   "{\"id\": \"x\", \"date\": \"2026-01-01\", \"text\": \"apple\"}\n"
                   "{\"id\": 7, \"date\": 1767225600, \"text\": \"pear\"}\n"
                   "{\"date\": \"soon\", \"text\": \"plum\"}\n"
                   "{\"id\": null, \"text\": \"plum\"}\n");
  std::vector<std::string> log;
  for (const bool given : {false, true}) {
    CorpusOptions options = LabelledOptions(path);
    if (given) options.vocabulary = {"apple", "pear", "plum"};
    const Documents documents = ReadOne(options, &log);
    EXPECT_THAT(documents.ids, ElementsAre("x", "7", "", ""));
    EXPECT_THAT(documents.times, ElementsAre(kNewYear, kNewYear, kNoTime, kNoTime));
    EXPECT_THAT(documents.texts, ElementsAre("apple", "pear", "plum", "plum"));
  }
  ASSERT_EQ(log.size(), 2u) << "one for each source";
  EXPECT_THAT(log[0], HasSubstr("a.jsonl:3: found \"soon\" in \"date\", expected a time"));
  CorpusSource source(LabelledOptions(path));
  while (source.Next()) {
  }
  EXPECT_EQ(source.counts().without_id, 2u);
  EXPECT_EQ(source.counts().without_time, 2u);
}

TEST(Labels, NumbersOfAnySizeAreReadAsTheyAreWritten) {
  const Folder folder;
  const std::string path = folder.Write(
      "a.jsonl",
      "{\"id\": 123456789012345678901234567890, \"text\": \"apple 5 \\\" 7\", \"n\": [-1e999, "
      "0.5]}\n"
      "{\"id\": \"y\", \"date\": 1767225600, \"n\": 18446744073709551616, \"text\": \"pear\"}\n");
  const Documents documents = ReadOne(LabelledOptions(path));
  EXPECT_THAT(documents.ids, ElementsAre("123456789012345678901234567890", "y"));
  EXPECT_THAT(documents.texts, ElementsAre("apple 5 \" 7", "pear"));
  EXPECT_THAT(documents.times, ElementsAre(kNoTime, kNewYear));
}

TEST(Labels, AJsonPointerFindsAFieldInside) {
  const Folder folder;
  CorpusOptions options =
      OptionsFor({folder.Write("a.jsonl", "{\"meta\": {\"id\": \"x\"}, \"text\": \"apple\"}\n")});
  options.id_field = "/meta/id";
  EXPECT_THAT(ReadOne(options).ids, ElementsAre("x"));
}

TEST(Labels, OfCsvAndTsv) {
  const Folder folder;
  const std::string csv =
      "id,date,text\nx,2026-01-01,\"apple, \"\"pear\"\"\n\nand plum\"\r\n\ny,,pear \"quoted\"\n";
  const std::string tsv = "date\ttext\tid\n2026-01-01\tapple, pear\tx\n2026-01-01\tplum\ty\n";
  Documents documents = ReadOne(LabelledOptions(folder.Write("a.csv", csv)));
  EXPECT_THAT(documents.ids, ElementsAre("x", "y"));
  EXPECT_THAT(documents.times, ElementsAre(kNewYear, kNoTime));
  EXPECT_THAT(documents.texts, ElementsAre("apple, \"pear\"\n\nand plum", "pear \"quoted\""));
  EXPECT_EQ(Tokens(documents, 0), 3u) << "apple pear plum";
  documents = ReadOne(LabelledOptions(folder.Write("a.tsv", tsv)));
  EXPECT_THAT(documents.ids, ElementsAre("x", "y"));
  EXPECT_THAT(documents.texts, ElementsAre("apple, pear", "plum"));
}

TEST(CsvText, TheColumnIsNamed) {
  const Folder folder;
  CorpusOptions options = OptionsFor({folder.Write("a", "n;body\n1;apple\n2;pear\n")});
  options.text_column = "body";
  CorpusSource source(options);
  EXPECT_EQ(source.format(), CorpusFormat::kCsv);
  EXPECT_THAT(source.vocabulary(), ElementsAre("apple", "pear"));
}

TEST(CsvText, AFileThatIsCsvByItsNameIsNotReadAsLines) {
  const Folder folder;
  const std::string path = folder.Write("a.csv", "n,body\n1,apple\n2,pear\n");
  EXPECT_THAT(
      ErrorOf(OptionsFor({path})),
      HasSubstr("a.csv:1: no column \"text\" in the first line, expected it to be one of n, "
                "body; name another with --text-column"));
  CorpusOptions lines = OptionsFor({path});
  lines.format = CorpusFormat::kText;
  EXPECT_EQ(ReadOne(lines).size(), 3u);
}

TEST(CsvText, BadRowsAreNamed) {
  const Folder folder;
  EXPECT_THAT(ErrorOf(OptionsFor({folder.Write("a.csv", "text,n\napple,1\npear\n")})),
              HasSubstr("a.csv:3: 1 fields, expected 2 as in the first line"));
  EXPECT_THAT(ErrorOf(OptionsFor({folder.Write("b.csv", "text,n\napple,1\n\"pear,1\n")})),
              HasSubstr("the row that begins in line 3 has no closing quote"));
  EXPECT_THAT(ErrorOf(OptionsFor({folder.Write("c.csv", "text,n\n\"pear\"x,1\n")})),
              HasSubstr("c.csv:2: text after the closing quote"));
  CorpusOptions options = OptionsFor({folder.Write("d.csv", "text,n\npear,1\n")});
  options.id_field = "id";
  EXPECT_THAT(ErrorOf(options), HasSubstr("no column \"id\""));
}

TEST(CsvText, ResumesBehindAnyRow) {
  const Folder folder;
  std::string csv = "id,text\n";
  for (int i = 0; i < 9; ++i) {
    csv += std::to_string(i) + ",\"apple\npear " + std::string(i, 'x') + "\"\n";
  }
  CorpusOptions options = OptionsFor({folder.Write("a.csv", csv)}, 2);
  options.id_field = "id";
  options.vocabulary = {"apple", "pear"};
  CorpusSource whole(options);
  const auto all = ReadAll(&whole);
  ASSERT_EQ(all.size(), 5u);
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    CorpusSource source(options);
    source.Resume(all[i].position, {});
    const auto next = source.Next();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->data.ids, all[i + 1].data.ids);
  }
}

TEST(FolderOfFiles, EachIsADocumentAndItsNameIsTheId) {
  const Folder folder;
  namespace fs = std::filesystem;
  const fs::path inside = fs::path(folder.Write("x", "")).parent_path() / "texts";
  fs::create_directories(inside / "more");
  const auto write = [&](const std::string& name, const std::string& content) {
    folder.Write("texts/" + name, content);
  };
  write("b.txt", "apple\napple");
  write("a.txt", "pear");
  write(".hidden", "plum");
  write("more/c.txt.gz", Gzipped("plum"));
  CorpusOptions options = OptionsFor({inside.string()}, 1);
  options.minimum_document_frequency = 1;
  CorpusSource source(options);
  EXPECT_EQ(source.format(), CorpusFormat::kFiles);
  EXPECT_THAT(source.vocabulary(), ElementsAre("apple", "pear", "plum"));
  const auto all = ReadAll(&source);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_THAT(all[0].data.ids, ElementsAre("a.txt"));
  EXPECT_THAT(all[1].data.ids, ElementsAre("b.txt"));
  EXPECT_EQ(Tokens(all[1].data), 2u);
  EXPECT_THAT(all[2].data.ids, ElementsAre("more/c.txt.gz"));
  CorpusSource again(options);
  again.Resume(all[0].position, {});
  EXPECT_THAT(again.Next()->data.ids, ElementsAre("b.txt"));
  options.format = CorpusFormat::kJsonLines;
  EXPECT_THAT(ErrorOf(options), HasSubstr("is a folder, each file of which is one text"));
}

TEST(FolderOfFiles, AnEmptyOneIsRefused) {
  const Folder folder;
  namespace fs = std::filesystem;
  const fs::path inside = fs::path(folder.Write("x", "")).parent_path() / "none";
  fs::create_directories(inside);
  EXPECT_THAT(ErrorOf(OptionsFor({inside.string()})), HasSubstr("no file in this folder"));
}

TEST(Labels, WordlessDocumentsAreHandedOutOnRequest) {
  const Folder folder;
  CorpusOptions options = OptionsFor(
      {folder.Write("a.jsonl", "{\"id\": 1, \"text\": \"\"}\n{\"id\": 2, \"text\": \"zzz\"}\n")});
  options.id_field = "id";
  options.vocabulary = {"apple"};
  EXPECT_THAT(ErrorOf(options), HasSubstr("none with a known word"));
  options.keep_wordless = true;
  const Documents documents = ReadOne(options);
  EXPECT_THAT(documents.ids, ElementsAre("1", "2"));
  EXPECT_THAT(documents.words, IsEmpty());
}

TEST(Labels, MarkupIsNoticedAndNamed) {
  const Folder folder;
  std::vector<std::string> log;
  CorpusOptions options = OptionsFor(
      {folder.Write("a", "<p>apple</p>\nhttp://a.org apple\n<br>apple a@b.org\napple\napple\n")});
  ReadOne(options, &log);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_THAT(log[0], HasSubstr("of the first 5 documents 40% have HTML tags, 20% have web "
                                "addresses, 20% have e-mail addresses; --strip html,urls,emails"));
  options.strip = "html,urls,emails";
  CorpusSource source(options,
                      Context(1, {}, [&](const std::string& line) { log.push_back(line); }));
  EXPECT_EQ(log.size(), 1u);
  EXPECT_THAT(source.vocabulary(), ElementsAre("apple"));
}

}  // namespace
}  // namespace sda
