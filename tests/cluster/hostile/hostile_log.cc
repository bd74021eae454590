// hostile_log MUTATIONS [SEED]: reads the log of a small job, over and over, each time after an
// attacker has changed it. Whatever that was: nothing is thrown; what a worker wrote counts if it
// is whole and comes in order; what counts besides looks exactly like what a worker writes; memory
// and time are bounded. Prints what it did; exits with 1 at the first time that this does not hold.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <stdexcept>

#include "cluster/log/chunks.h"
#include "cluster/log/dead_letter.h"
#include "cluster/log/feed_note.h"
#include "cluster/log/snapshot_check.h"
#include "cluster/stored_job.h"
#include "sda/errors.h"
#include "tests/cluster/hostile/log_mutations.h"
#include "tests/cluster/hostile/recorded_log.h"

namespace sda::cluster {
namespace {

void Expect(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

// The numbers of rows that add up to that number of tokens, none below the prior.
void ExpectRows(const KeyedRows& rows, const KeyedRows* prior, uint64_t words, uint64_t tokens) {
  double sum = 0;
  for (size_t r = 0; r < rows.rows(); ++r) {
    Expect(rows.key(r) < words, "a word that is not in the vocabulary counts");
    for (size_t k = 0; k < rows.width(); ++k) {
      const double least = prior == nullptr ? 0 : prior->default_row()[k];
      const double learnt = rows.row(r)[k] - least;
      Expect(std::isfinite(learnt) && learnt >= -1e-6, "a number that cannot be counts");
      sum += learnt;
    }
  }
  const auto expected = static_cast<double>(tokens);
  Expect(std::abs(sum - expected) <= 1e-5 + 1e-4 * expected, "tokens and numbers do not match");
}

bool SameRows(const KeyedRows& a, const KeyedRows& b) {
  if (a.rows() != b.rows() || a.width() != b.width()) return false;
  for (size_t r = 0; r < a.rows(); ++r) {
    const auto row = b.At(a.key(r));
    if (!std::equal(row.begin(), row.end(), a.row(r).begin())) return false;
  }
  return true;
}

struct Tally {
  uint64_t accepted = 0;   // deltas that a worker wrote
  uint64_t plausible = 0;  // deltas of an attacker that look like one
  uint64_t set_aside = 0;
  double seconds = 0;  // the longest
};

// Reads one log, beside a second reader that knows which messages are real.
class Reader {
 public:
  Reader(const RecordedLog& log, const std::map<std::string, CheckedLog::Delta>& real)
      : log_(log),
        real_(real),
        words_(log.rules.words),
        checked_(log.rules, log.questions(),
                 [this](const SetAside&, std::string_view) { ++reports_; }),
        posterior(log.rules.prior) {
    checked_.Begin();
  }

  void Read(const std::vector<Recorded>& messages, Tally* tally) {
    for (size_t i = 0; i < messages.size(); ++i) {
      const bool whole = IsWhole(messages[i]);
      const auto delta =
          checked_.Add({messages[i].header, messages[i].value, static_cast<int64_t>(i), 1000});
      const auto written = real_.find(messages[i].id);
      if (!delta) {
        Expect(!whole || !MustCount(written->second.note), "a delta of a worker does not count");
        continue;
      }
      const bool is_real = whole && delta->note == written->second.note;
      if (is_real) Expect(SameRows(delta->change, written->second.change), "another delta counts");
      if (!is_real) ExpectPlausible(*delta);
      ++(is_real ? tally->accepted : tally->plausible);
      Fold(*delta);
    }
    ExpectTotals();
    tally->set_aside += reports_;
  }

 private:
  // Whether the message completes a delta that nobody interfered with.
  bool IsWhole(const Recorded& message) {
    Chunks& chunks = chunks_[message.id];
    if (!message.real || real_.count(message.id) == 0) {
      chunks.spoiled = true;
      return false;
    }
    const ChunkNote note = ParseChunk(message.header);
    chunks.spoiled = (chunks.spoiled && note.chunks > 1) || note.chunk != chunks.next;
    chunks.next = note.chunk + 1;
    return !chunks.spoiled && note.chunk + 1 == note.chunks;
  }

  bool MustCount(const DeltaNote& note) const {
    for (const auto& [partition, range] : note.offsets) {
      const auto folded = totals_.offsets.find(partition);
      if (folded != totals_.offsets.end() && range.from < folded->second) return false;
    }
    const bool brings_words = note.deltas_in_prior == 0 && log_.rules.words == 0;
    if (brings_words) return words_ == 0;
    return words_ >= 50;
  }

  void ExpectPlausible(const CheckedLog::Delta& delta) {
    const DeltaNote& note = delta.note;
    Expect(note.job == log_.job.id, "a delta of another job counts");
    const uint64_t messages = note.documents + note.skipped + note.bad;
    Expect(messages > 0 && messages <= 128, "a delta of so many messages counts");
    uint64_t offsets = 0;
    for (const auto& [partition, range] : note.offsets) {
      Expect(static_cast<size_t>(partition) < log_.ends.size(), "an unknown partition counts");
      Expect(range.from >= totals_.offsets[partition], "documents count twice");
      Expect(range.to <= log_.ends[static_cast<size_t>(partition)], "the future counts");
      offsets += static_cast<uint64_t>(range.to - range.from);
    }
    Expect(messages <= offsets, "more documents than offsets count");
    Expect(note.discount == 1, "a delta that forgets counts");
    Expect(std::isfinite(note.score_sum) && note.score_sum <= 1e-3, "an impossible score counts");
    const uint64_t words = delta.vocabulary.empty() ? words_ : delta.vocabulary.size();
    ExpectRows(delta.change, nullptr, words, note.tokens);
  }

  void Fold(const CheckedLog::Delta& delta) {
    posterior += delta.change;
    if (words_ == 0) words_ = delta.vocabulary.size();
    totals_.documents += delta.note.documents;
    totals_.tokens += delta.note.tokens;
    ++totals_.deltas;
    for (const auto& [partition, range] : delta.note.offsets) totals_.offsets[partition] = range.to;
  }

  void ExpectTotals() const {
    const LogTotals& totals = checked_.totals();
    Expect(totals.documents == totals_.documents && totals.tokens == totals_.tokens &&
               totals.deltas == totals_.deltas && totals.set_aside.count == reports_,
           "totals are not those of what counts");
    for (const auto& [partition, to] : totals_.offsets) {
      Expect(to == 0 || totals.offsets.at(partition) == to, "offsets are not those of what counts");
    }
    Expect(LogTotals::FromJson(totals.ToJson()).documents == totals.documents, "totals break");
    ExpectRows(posterior, &log_.rules.prior, std::max<uint64_t>(words_, 1), totals.tokens);
  }

  struct Chunks {
    uint64_t next = 0;
    bool spoiled = false;
  };
  const RecordedLog& log_;
  const std::map<std::string, CheckedLog::Delta>& real_;
  uint64_t words_;
  uint64_t reports_ = 0;
  std::map<std::string, Chunks> chunks_;  // by id
  LogTotals totals_;
  CheckedLog checked_;

 public:
  KeyedRows posterior;
};

class Torture {
 public:
  explicit Torture(bool chunked) : log_(RecordLog(chunked)) {
    CheckedLog checked(log_.rules, log_.questions());
    checked.Begin();
    for (size_t i = 0; i < log_.deltas.size(); ++i) {
      auto delta =
          checked.Add({log_.deltas[i].header, log_.deltas[i].value, static_cast<int64_t>(i), 0});
      if (delta) real_.emplace(delta->note.id, std::move(*delta));
    }
    Expect(real_.size() == (chunked ? 4 : 12), "what workers write does not count");
  }

  void Deltas(Random* random, Tally* tally) {
    Reader(log_, real_).Read(MutateLog(log_.deltas, log_, random), tally);
  }

  // The newest of a topic of snapshots is a good one, and the log can be read on from it.
  void Snapshots(Random* random, Tally* tally) {
    const std::vector<Recorded> messages = MutateLog(log_.snapshots, log_, random);
    CheckedSnapshots checked(log_.rules, log_.job.snapshots_topic(), 0, log_.questions());
    bool has_real = false;
    for (size_t i = 0; i < messages.size(); ++i) {
      checked.Add({messages[i].header, messages[i].value, static_cast<int64_t>(i), 0});
      has_real |= messages[i].real;
    }
    tally->set_aside += checked.set_aside().count;
    Expect(!has_real || checked.newest(), "there is a good snapshot, and none counts");
    if (!checked.newest()) return;
    const auto& [note, totals, body, bytes, time] = *checked.newest();
    const uint64_t words = std::max<uint64_t>(log_.rules.words, body.vocabulary.size());
    ExpectRows(body.posterior, &log_.rules.prior, words, totals.tokens);
    for (const auto& [partition, to] : totals.offsets) {
      Expect(to <= log_.ends.at(static_cast<size_t>(partition)), "the future counts");
    }
    Continue(note, totals, body, tally);
  }

  // Notes that are read without a log.
  void Others(Random* random, Tally* tally) {
    const size_t which = (*random)() % log_.others.size();
    const std::string text = (*random)() % 2 == 0 ? MutateJson(log_.others[which], random)
                                                  : MutateBytes(log_.others[which], random);
    const std::vector<std::function<void()>> read = {
        [&] { JobSettings::FromJson(ParseStored(text).settings); }, [&] { ParseFeedNote(text); },
        [&] { ParseDeadLetter(text); }};
    try {
      read[which]();
      ++tally->plausible;
    } catch (const InputError&) {
      ++tally->set_aside;
    }
  }

  // Many first chunks, and nothing after them: then what workers write.
  void Flood(Tally* tally) {
    const uint64_t chunks = log_.rules.DeltaLimits().bytes / kChunkBytes + 100;
    std::vector<Recorded> messages;
    DeltaNote note{.job = log_.job.id, .worker = "x", .documents = 1, .tokens = 1};
    note.offsets = {{0, {0, 1}}};
    CheckedLog checked(log_.rules, log_.questions());
    checked.Begin();
    const std::string value(kChunkBytes, 'x');
    int64_t offset = 0;
    for (uint64_t i = 0; i < chunks; ++i) {
      note.id = RandomId();
      checked.Add({ToHeader(note, 0, 2), value, offset++, 1000});
    }
    uint64_t counted = 0;
    for (const Recorded& message : log_.deltas) {
      counted += checked.Add({message.header, message.value, offset++, 1000}) ? 1 : 0;
    }
    Expect(counted == real_.size(), "after a flood what workers write does not count");
    tally->set_aside += checked.totals().set_aside.count;
  }

  uint64_t most_bytes() const { return log_.rules.DeltaLimits().bytes; }

 private:
  void Continue(const SnapshotNote& note, const LogTotals& totals, const SnapshotBody& body,
                Tally* tally) {
    CheckedLog checked(log_.rules, log_.questions());
    checked.Begin(note, totals, body.vocabulary.size());
    KeyedRows posterior = body.posterior;
    for (size_t i = 0; i < log_.deltas.size(); ++i) {
      if (static_cast<int64_t>(i) < note.position) continue;
      const auto delta =
          checked.Add({log_.deltas[i].header, log_.deltas[i].value, static_cast<int64_t>(i), 0});
      if (delta) posterior += delta->change;
    }
    const bool is_real =
        std::any_of(log_.snapshots.begin(), log_.snapshots.end(), [&](const Recorded& snapshot) {
          const SnapshotNote real = ParseSnapshotHeader(snapshot.header);
          return real.id == note.id && real.read_to == note.read_to && real.totals == note.totals &&
                 real.position == note.position &&
                 SameRows(UnpackSnapshot(snapshot.value, posterior.width()).posterior,
                          body.posterior);
        });
    ++(is_real ? tally->accepted : tally->plausible);
    if (!is_real) return;
    Reader whole(log_, real_);
    Tally ignored;
    whole.Read(log_.deltas, &ignored);
    Expect(SameRows(posterior, whole.posterior), "from a snapshot it is another posterior");
  }

  RecordedLog log_;
  std::map<std::string, CheckedLog::Delta> real_;  // by id
};

double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int Main(uint64_t mutations, uint64_t seed) {
  Torture small(false);
  Torture chunked(true);
  Tally tally;
  std::string what;
  Random random;
  try {
    for (uint64_t i = 0; i < mutations; ++i) {
      what = fmt::format("mutation {} of seed {}", i, seed);
      random.seed(seed * 1'000'003 + i);
      const double start = CpuSeconds();
      switch (i % 8) {
        case 0:
          small.Others(&random, &tally);
          break;
        case 1:
        case 2:
          small.Snapshots(&random, &tally);
          break;
        default:
          (i % 200 == 3 ? chunked : small).Deltas(&random, &tally);
      }
      tally.seconds = std::max(tally.seconds, CpuSeconds() - start);
    }
    what = "a flood of first chunks";
    small.Flood(&tally);
    what = "resources";
    Expect(tally.seconds < 5, fmt::format("reading a log took {} s", tally.seconds));
  } catch (const std::exception& e) {
    fmt::print(stderr, "hostile_log: {}: {}\n", what, e.what());
    return 1;
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto megabytes = static_cast<uint64_t>(used.ru_maxrss) >> 10;
  const uint64_t most = (small.most_bytes() >> 20) + 512;
  fmt::print(
      "{} mutations: {} deltas and snapshots of workers counted, {} that look like theirs did, {} "
      "messages were set aside; at most {:.2f} s each; {} MB of at most {} MB\n",
      mutations, tally.accepted, tally.plausible, tally.set_aside, tally.seconds, megabytes, most);
#ifdef __SANITIZE_THREAD__
  return 0;  // its memory is several times as much
#else
  return megabytes <= most ? 0 : 1;
#endif
}

}  // namespace
}  // namespace sda::cluster

int main(int argc, char** argv) {
  const uint64_t mutations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  return sda::cluster::Main(mutations, seed);
}
