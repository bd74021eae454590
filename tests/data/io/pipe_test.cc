#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "data/io/input.h"
#include "sda/corpus.h"
#include "tests/data/corpus_files.h"

namespace sda {
namespace {

using ::testing::HasSubstr;

// Standard input is a pipe with these bytes in it, for the scope. The writing end stays open.
class PipedInput {
 public:
  explicit PipedInput(const std::string& bytes) : saved_(dup(STDIN_FILENO)) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    writing_end_ = ends[1];
    EXPECT_EQ(write(writing_end_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  ~PipedInput() {
    Close();
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }
  void Close() {
    if (writing_end_ >= 0) close(writing_end_);
    writing_end_ = -1;
  }

 private:
  int saved_;
  int writing_end_;
};

// Requests a stop once all that is in the pipe was read, and the reader had time to come to wait:
// without that time less is tested, but nothing fails.
class StopSoon {
 public:
  explicit StopSoon(const Context& context)
      : thread_([context] {
          for (int i = 0; i < 6000 && !IsEmpty(); ++i) {  // a minute
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          context.RequestStop();
        }) {}
  ~StopSoon() { thread_.join(); }

 private:
  static bool IsEmpty() {
    int bytes = 0;
    return ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes == 0;
  }

  std::thread thread_;
};

std::string ReadToEnd(Input* input) {
  std::string all;
  std::vector<char> buffer(16);
  while (const size_t n = input->Read(buffer)) all.append(buffer.data(), n);
  return all;
}

TEST(Pipe, StandardInputIsReadInEveryFormat) {
  for (const auto& [format, content] : SmallCorpus().All()) {
    PipedInput pipe(Gzipped(content));
    pipe.Close();
    CorpusOptions options = OptionsFor({"-"});
    options.vocabulary_size = 5;
    CorpusSource source(options);
    const auto minibatches = ReadAll(&source);
    ASSERT_EQ(minibatches.size(), 1u) << format;
    EXPECT_EQ(minibatches[0].counts.items, 3u);
    EXPECT_EQ(source.counts().total_bytes, 0u);
    EXPECT_THROW(source.Resume(minibatches[0].position, {}), InputError);
  }
}

TEST(Pipe, WhatNeedsTwoPassesIsRefusedWithAdvice) {
  PipedInput pipe(SmallCorpus().ldac);
  pipe.Close();
  EXPECT_THAT(ErrorOf(OptionsFor({"-"})),
              HasSubstr("standard input can be read only once, expected a file for finding the "
                        "number of words: give a vocabulary file"));
}

TEST(Pipe, AStopEndsTheStreamWherePlainOrCompressedBytesAreAwaited) {
  std::string content;
  for (int i = 0; i < 500; ++i) content += std::to_string(i * 7919 % 1009) + " apple\n";
  const std::string gzip = Gzipped(content);
  const std::string zstd = Zstandard(content);
  for (const std::string& bytes :
       {content, gzip.substr(0, gzip.size() - 3), zstd.substr(0, zstd.size() - 3), std::string()}) {
    PipedInput pipe(bytes);
    const Context context(1);
    const StopSoon soon(context);
    const auto input = Input::Open("-", context);
    const std::string all = ReadToEnd(input.get());
    EXPECT_TRUE(input->stopped());
    EXPECT_TRUE(content.starts_with(all));
    if (bytes == content) {
      EXPECT_EQ(all, content);
    }
  }
}

TEST(Pipe, ACompressedPipeThatIsClosedTooEarlyIsAnError) {
  const std::string gzip = Gzipped(std::string(1000, 'a'));
  PipedInput pipe(gzip.substr(0, gzip.size() - 3));
  pipe.Close();
  const auto input = Input::Open("-", Context(1));
  EXPECT_THROW(ReadToEnd(input.get()), InputError);
}

TEST(Pipe, AStopDropsTheDocumentThatIsCutAndKeepsThePromiseOfTheHeaderOutOfIt) {
  const SmallCorpus small;
  for (const auto& [format, cut] :
       {std::pair("uci", small.uci.size() - 4), std::pair("mm", small.mm.size() - 4),
        std::pair("ldac", small.ldac.size() - 2), std::pair("text", small.text.size() - 3),
        std::pair("jsonl", small.jsonl.size() - 3)}) {
    std::string content;
    for (const auto& [name, bytes] : small.All()) {
      if (name == format) content = bytes;
    }
    PipedInput pipe(content.substr(0, cut));
    const Context context(1);
    const StopSoon soon(context);
    CorpusOptions options = OptionsFor({"-"});
    options.vocabulary_size = 5;
    EXPECT_EQ(ReadLines(options, context).size(), 2u) << format;
  }
}

TEST(Pipe, AStreamThatIsStoppedBeforeItsFirstDocumentIsNoError) {
  PipedInput pipe("");
  const Context context(1);
  const StopSoon soon(context);
  EXPECT_THAT(ReadLines(OptionsFor({"-"}), context), ::testing::IsEmpty());
}

TEST(Pipe, ANamedPipeIsReadOnceOnly) {
  const Folder folder;
  const std::string path = folder.Write("fifo", "");
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << SmallCorpus().text; });
  EXPECT_EQ(ReadLines(OptionsFor({path})).size(), 3u);
  writer.join();
}

// Also a stop that comes before the wait begins, which no signal ends then.
TEST(Pipe, AStopEndsTheWaitForTheWriterOfANamedPipe) {
  const Folder folder;
  const std::string path = folder.Write("fifo", "");
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  for (const int milliseconds : {0, 50}) {
    const Context context(1);
    std::atomic<bool> ended = false;
    std::atomic<bool> has_hung = false;
    std::thread stopper([&, milliseconds] {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      context.RequestStop();
      for (int i = 0; i < 1000 && !ended; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      has_hung = !ended;
      if (has_hung) std::ofstream(path) << "late";  // so that the test ends
    });
    const auto input = Input::Open(path, context);
    EXPECT_EQ(ReadToEnd(input.get()), "");
    EXPECT_TRUE(input->stopped());
    ended = true;
    stopper.join();
    EXPECT_FALSE(has_hung);
  }
}

TEST(Pipe, ANamedPipeThatIsClosedAtOnceIsEmpty) {
  const Folder folder;
  const std::string path = folder.Write("fifo", "");
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { const std::ofstream nothing(path); });
  EXPECT_EQ(ReadToEnd(Input::Open(path, Context(1)).get()), "");
  writer.join();
}

TEST(Input, ZstdFramesThatEndWithTheBufferAreWhole) {
  const Folder folder;
  for (const size_t size : {15, 16, 17, 32}) {
    const std::string frame = Zstandard(std::string(size, 'a'));
    const auto input = Input::Open(folder.Write("a", frame + frame));
    EXPECT_EQ(ReadToEnd(input.get()), std::string(2 * size, 'a'));
  }
}

TEST(Input, SkippingIsReadingWithoutLooking) {
  const Folder folder;
  std::string content;
  for (int i = 0; i < 100'000; ++i) content += static_cast<char>(i * 31 % 251);
  for (const std::string& bytes : {content, Gzipped(content), Zstandard(content)}) {
    for (const uint64_t skipped : {0, 1, 3, 5, 70'000, 100'000}) {
      const auto input = Input::Open(folder.Write("a", bytes));
      EXPECT_EQ(input->Skip(skipped), skipped);
      EXPECT_EQ(ReadToEnd(input.get()), content.substr(skipped));
      EXPECT_EQ(input->bytes_read(), bytes.size());
    }
    EXPECT_EQ(Input::Open(folder.Write("a", bytes))->Skip(100'001), 100'000u);
  }
}

TEST(Pipe, WhatCanBeReadTwiceIsToldFromWhatCannot) {
  const Folder folder;
  const std::string fifo = folder.Write("fifo", "");
  std::filesystem::remove(fifo);
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_TRUE(CanReadTwice(folder.Write("file", "x")));
  EXPECT_TRUE(CanReadTwice("/no/such/file")) << "has a message of its own";
  EXPECT_FALSE(CanReadTwice("-"));
  EXPECT_FALSE(CanReadTwice(fifo));
  EXPECT_FALSE(CanReadTwice("/dev/fd/" + std::to_string(ends[0]))) << "as of <(command)";
  close(ends[0]);
  close(ends[1]);
}

TEST(Pipe, AFirstPassForHeldOutDocumentsIsRefusedForEveryPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string content = SmallCorpus().text;
  ASSERT_EQ(write(ends[1], content.data(), content.size()), static_cast<ssize_t>(content.size()));
  close(ends[1]);
  CorpusOptions options = OptionsFor({"/dev/fd/" + std::to_string(ends[0])});
  options.vocabulary = {"apple", "banana", "cherry", "date", "elder"};
  options.format = CorpusFormat::kText;
  try {
    ReadDocuments(options, {1});
    FAIL() << "a pipe was read before the run";
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("can be read only once, expected a file for a first pass"));
  }
  close(ends[0]);
}

}  // namespace
}  // namespace sda
