// A run that ends after any minibatch, is saved and resumed.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <numeric>
#include <string>
#include <thread>

#include "sda/background_saver.h"
#include "sda/dense.h"
#include "sda/loop.h"
#include "sda/tracked_source.h"

namespace sda {
namespace {

using Numbers = std::vector<double>;

// Its result depends on the prior, so that another order or another round gives other bits.
class Halfway : public Primitive<Numbers, Dense> {
 public:
  Dense operator()(const Numbers& data, const Dense& prior, uint64_t) const override {
    Dense posterior = prior;
    for (const double x : data) {
      posterior[0] += x / (3 + posterior[0]);
      posterior[1] += 1;
    }
    return posterior;
  }
};

std::vector<Numbers> Stream(size_t minibatches) {
  std::vector<Numbers> stream;
  for (size_t i = 0; i < minibatches; ++i) stream.push_back({i + 1.0, 2.0 * i, 7.0});
  return stream;
}

uint64_t SumOf(const Numbers& data) {
  return static_cast<uint64_t>(std::accumulate(data.begin(), data.end(), 0.0));
}

struct Saved {
  Snapshot<Dense> posterior;
  Progress progress;
};

// Runs on from `saved`, saving at every end of a minibatch or round; ends after that many of them.
Saved RunOn(const Saved& saved, const std::vector<Numbers>& stream, const RunOptions& options,
            uint64_t ends) {
  MemorySource<Numbers> source(stream, [](const Numbers& data) {
    return Counts{.items = data.size(), .tokens = SumOf(data)};
  });
  TrackedSource<Numbers> tracked(&source);
  tracked.Resume(saved.progress);
  MemoryStore<Dense> store(Dense(2), saved.posterior);
  const Context context(1);
  Saved now = saved;
  uint64_t seen = 0;
  const Observer observer = [&](const Summary& summary) {
    if (!summary.whole_round || summary.finished || seen == ends) return;
    now.posterior = store.Read();
    now.progress = tracked.At(now.posterior.folded);
    if (++seen == ends) context.RequestStop();
  };
  Run(tracked, Halfway(), store, options, observer, context);
  return now;
}

RunOptions OptionsOf(Schedule schedule, int workers) {
  RunOptions options;
  options.schedule = schedule;
  options.workers = workers;
  options.serial_first = 2;
  options.discount = HalfLife(20);
  return options;
}

TEST(Resume, SerialAndSynchronousRunsGiveTheSameBitsWhereverTheyWereCut) {
  const auto stream = Stream(23);
  for (const auto& [schedule, workers] :
       {std::pair(Schedule::kSerial, 1), std::pair(Schedule::kSynchronous, 4)}) {
    const RunOptions options = OptionsOf(schedule, workers);
    const Saved start{{Dense(2), {}, {}}, {}};
    const Saved whole = RunOn(start, stream, options, ~uint64_t{0});
    EXPECT_EQ(whole.progress.total().items, 3 * stream.size());
    for (uint64_t step = 1; step < 7; ++step) {
      Saved cut = start;
      int lives = 0;
      while (cut.progress.next < stream.size()) {
        cut = RunOn(cut, stream, options, step);
        ASSERT_LT(++lives, 50);
      }
      EXPECT_GT(lives, 1);
      EXPECT_EQ(cut.posterior.params, whole.posterior.params) << step;
      EXPECT_EQ(cut.posterior.folded, whole.posterior.folded);
      EXPECT_EQ(cut.progress.total(), whole.progress.total());
    }
  }
}

TEST(Resume, AsynchronousRunsCountEveryItemOnce) {
  const auto stream = Stream(60);
  uint64_t weight = 0;
  for (const Numbers& data : stream) weight += SumOf(data);
  for (uint64_t step = 1; step < 9; ++step) {
    Saved cut{{Dense(2), {}, {}}, {}};
    RunOptions options = OptionsOf(Schedule::kAsynchronous, 3);
    options.discount = {};
    for (int lives = 0; cut.posterior.folded.size() < stream.size(); ++lives) {
      cut = RunOn(cut, stream, options, step);
      ASSERT_LT(lives, 100);
      EXPECT_EQ(cut.progress.total().items, 3 * cut.posterior.folded.size());
      EXPECT_EQ(cut.posterior.params[1], 3.0 * static_cast<double>(cut.posterior.folded.size()));
    }
    EXPECT_EQ(cut.progress.total(), (Counts{3 * stream.size(), weight}));
  }
}

TEST(TrackedSource, GoesOnBeforeTheFirstMinibatchThatIsMissing) {
  MemorySource<Numbers> source(Stream(6));
  TrackedSource<Numbers> tracked(&source);
  while (tracked.Next()) {
  }
  IdSet folded;
  for (const uint64_t id : {0, 1, 3, 4}) folded.Insert(id);
  const Progress progress = tracked.At(folded);
  EXPECT_EQ(progress.next, 2u);
  EXPECT_EQ(progress.before.items, 6u);
  EXPECT_EQ(progress.total().items, 12u);

  // Minibatch 2 is folded before 3 and 4 are handed out again: the position after them is not known
  // yet.
  TrackedSource<Numbers> again(&source);
  again.Resume(progress);
  EXPECT_EQ(again.Next()->id, 2u);
  folded.Insert(2);
  EXPECT_EQ(again.At(folded).next, 3u);
  EXPECT_EQ(again.At(folded).total().items, 15u);
  again.Next();
  again.Next();
  EXPECT_EQ(again.At(folded).next, 5u);
  EXPECT_EQ(again.At(folded).total().items, 15u);
}

TEST(TrackedSource, RemembersHowTheStreamWasCutUpToTheLastThatIsFolded) {
  MemorySource<Numbers> source({{1}, {1, 2}, {1, 2, 3}, {1}, {1, 2}, {1, 2, 3}});
  TrackedSource<Numbers> tracked(&source);
  while (tracked.Next()) {
  }
  IdSet folded;
  for (const uint64_t id : {0, 2, 4}) folded.Insert(id);
  const Progress progress = tracked.At(folded);
  EXPECT_EQ(progress.cut, (std::vector<uint64_t>{2, 3, 1, 2}));

  // It is still known when not all of it has come by again.
  TrackedSource<Numbers> again(&source);
  again.Resume(progress);
  EXPECT_EQ(again.At(folded).cut, progress.cut);
  again.Next();
  folded.Insert(1);
  EXPECT_EQ(again.At(folded).cut, (std::vector<uint64_t>{3, 1, 2}));
}

TEST(TrackedSource, CountsThatAreAheadDoNotMoveWhatIsSaved) {
  MemorySource<Numbers> source(Stream(6));
  TrackedSource<Numbers> tracked(&source);
  while (tracked.Next()) {
  }
  MemoryStore<Dense> store{Dense(1)};
  const auto add = [&](uint64_t id) {
    store.Add({.minibatch = id, .change = Dense(1), .counts = {.items = 3}});
  };
  for (const uint64_t id : {0, 1, 2}) add(id);
  const Snapshot<Dense> copied = store.Read();
  for (const uint64_t id : {3, 5}) add(id);
  EXPECT_EQ(store.Read().counts.items, 15u);
  EXPECT_EQ(tracked.At(copied.folded).next, 3u);
  EXPECT_EQ(tracked.At(copied.folded).total(), copied.counts);
  EXPECT_EQ(store.Read().counts.items, 15u);
  EXPECT_EQ(tracked.At(store.Folded()).next, 4u);
  EXPECT_EQ(tracked.At(store.Folded()).total(), store.Read().counts);
  add(4);
  EXPECT_EQ(tracked.At(store.Folded()).next, 6u);
  EXPECT_EQ(tracked.At(store.Folded()).total(), store.Read().counts);
  EXPECT_EQ(store.Read().counts.items, 18u);
}

TEST(TrackedSource, RefusesAFoldedMinibatchThatIsNotAsItWas) {
  MemorySource<Numbers> source(Stream(6));
  TrackedSource<Numbers> tracked(&source);
  Progress progress;
  progress.after[1] = {.items = 2};  // but it has three
  tracked.Resume(progress);
  tracked.Next();
  EXPECT_THROW(tracked.Next(), InputError);
}

TEST(BackgroundSaver, SavesOnlyWholeRoundsWithTheNotesThatGoWithThem) {
  constexpr uint64_t kMinibatches = 40'000;  // long enough for the thread to come by
  MemorySource<Numbers> source(Stream(kMinibatches));
  MemoryStore<Dense> store{Dense(2)};
  uint64_t seen = 0;
  std::vector<std::pair<uint64_t, std::string>> saves;
  BackgroundSaver saver({.minibatches = 1}, {.copy =
                                                 [&] {
                                                   const uint64_t folded = store.Folded().size();
                                                   return BackgroundSaver::Copy{
                                                       folded,
                                                       [&, folded](const std::string& notes) {
                                                         saves.emplace_back(folded, notes);
                                                       }};
                                                 },
                                             .notes = [&] { return std::to_string(seen); }});
  RunOptions options;
  options.schedule = Schedule::kSynchronous;
  options.workers = 4;
  sda::Run(source, Halfway(), store, options, [&](const Summary& summary) {
    seen = summary.minibatches;
    saver.Observe(summary);
  });
  saver.Finish();
  ASSERT_GT(saves.size(), 1u);
  EXPECT_EQ(saves.back().first, kMinibatches);
  for (const auto& [folded, notes] : saves) {
    EXPECT_EQ(folded % 4, 0u);
    EXPECT_EQ(notes, std::to_string(folded));
  }
}

// The stream then waits for further data: nobody comes later to take the copy.
TEST(BackgroundSaver, AMinibatchThatEndsWhileTheCopyIsMadeIsSaved) {
  for (const uint64_t ends : {1, 2}) {  // while it is made
    BackgroundSaver* saver = nullptr;
    uint64_t folded = 1;
    const auto end = [&] {
      Summary summary;
      summary.minibatches = folded;
      saver->Observe(summary);
    };
    std::promise<std::string> written;
    BackgroundSaver::Steps steps;
    steps.notes = [&] { return std::to_string(folded); };
    steps.copy = [&]() -> BackgroundSaver::Copy {
      while (folded <= ends) {
        ++folded;
        end();
      }
      return {folded, [&](const std::string& notes) { written.set_value(notes); }};
    };
    if (ends == 2) {  // of which the copy has the first
      steps.copy = [&, all = steps.copy]() -> BackgroundSaver::Copy {
        if (folded > 1) return all();
        all();
        return {2, [](const std::string&) { FAIL() << "not the end of a minibatch"; }};
      };
    }
    BackgroundSaver made({.seconds = 1e-3}, steps);
    saver = &made;
    end();
    auto notes = written.get_future();
    ASSERT_EQ(notes.wait_for(std::chrono::seconds(20)), std::future_status::ready) << ends;
    EXPECT_EQ(notes.get(), std::to_string(ends + 1));
  }
}

TEST(BackgroundSaver, ASaveThatFailsEndsTheRun) {
  MemorySource<Numbers> source(Stream(100'000));
  MemoryStore<Dense> store{Dense(2)};
  BackgroundSaver saver({.minibatches = 1}, {.copy = [&] {
                          return BackgroundSaver::Copy{
                              store.Folded().size(),
                              [](const std::string&) { throw std::runtime_error("disk full"); }};
                        }});
  EXPECT_THROW(sda::Run(source, Halfway(), store, {}, [&](const Summary& s) { saver.Observe(s); }),
               RunError);
  EXPECT_THROW(saver.Finish(), std::runtime_error);
}

TEST(BackgroundSaver, SavesByTimeAreAsFarApartAsCopyingIsSlow) {
  const auto slow = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return BackgroundSaver::Copy{1, [](const std::string&) {}};
  };
  BackgroundSaver saver({.seconds = 1e-3, .greatest_share = 1e-5},
                        {.copy = slow, .any_moment = true});
  Summary summary;
  for (summary.minibatches = 1; summary.minibatches < 30; ++summary.minibatches) {
    saver.Observe(summary);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(saver.cost().saves, 1u);  // the next would come half an hour later
}

}  // namespace
}  // namespace sda
