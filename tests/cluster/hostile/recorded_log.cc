#include "tests/cluster/hostile/recorded_log.h"

#include <random>

#include "cluster/log/body.h"
#include "cluster/log/chunks.h"
#include "cluster/log/dead_letter.h"
#include "cluster/log/feed_note.h"
#include "cluster/stored_job.h"

namespace sda::cluster {
namespace {

constexpr uint64_t kDocuments = 20;  // of a delta
constexpr int kPartitions = 2;

JobSettings SettingsOf(bool chunked) {
  JobSettings settings;
  settings.options.topics = chunked ? 100 : 3;
  settings.options.minibatch = 64;
  settings.options.first_minibatch = 128;
  settings.options.max_vocab = 20'000;
  if (chunked) {
    for (int w = 0; w < 4000; ++w) settings.vocabulary.push_back("word" + std::to_string(w));
  }
  return settings.Settled();
}

// Tokens of some words, each shared by the topics at random; whole numbers in all.
KeyedRows ChangeOf(uint64_t words, uint64_t tokens, size_t width, std::mt19937_64* random) {
  KeyedRows change{std::vector<double>(width)};
  std::uniform_real_distribution<double> uniform(0.01, 1);
  for (uint64_t w = 0; w < words; ++w) {
    std::vector<double> row(width);
    double sum = 0;
    for (double& number : row) sum += number = uniform(*random);
    const double scale = static_cast<double>(tokens) / static_cast<double>(words) / sum;
    for (double& number : row) number *= scale;
    change.Add(w * 3 % 4000 % (width == 3 ? 50 : 4000), row);
  }
  return change;
}

void Write(const DeltaNote& note, const std::string& body, std::vector<Recorded>* log) {
  const uint64_t chunks = ChunksOf(body);
  for (uint64_t i = 0; i < chunks; ++i) {
    log->push_back({ToHeader(note, i, chunks), std::string(Chunk(body, i)), note.id});
  }
}

// As a keeper does it: what the log up to here adds up to.
Recorded SnapshotOf(const RecordedLog& log) {
  CheckedLog checked(log.rules, log.questions());
  checked.Begin();
  KeyedRows posterior = log.rules.prior;
  std::vector<std::string> vocabulary;
  for (size_t i = 0; i < log.deltas.size(); ++i) {
    auto delta =
        checked.Add({log.deltas[i].header, log.deltas[i].value, static_cast<int64_t>(i), 0});
    if (!delta) continue;
    posterior += delta->change;
    if (!delta->vocabulary.empty()) vocabulary = delta->vocabulary;
  }
  SnapshotNote note{.job = log.job.id, .id = RandomId(), .totals = checked.totals().ToJson()};
  checked.Describe(&note);
  const std::string body = PackSnapshot(posterior, vocabulary);
  return {ToHeader(note, 0, 1), body, note.id};
}

}  // namespace

LogQuestions RecordedLog::questions() const {
  return {.end_of =
              [ends = ends](int32_t partition, int64_t) {
                return static_cast<size_t>(partition) < ends.size() ? ends[partition] : int64_t{-1};
              },
          .end_of_log = [](int64_t) { return int64_t{1000}; },
          .expect_same_version = [] {}};
}

RecordedLog RecordLog(bool chunked) {
  RecordedLog log;
  log.job = {.name = "job", .id = "0123", .documents = "sda.job.in.documents"};
  log.settings = SettingsOf(chunked);
  log.job.settings = log.settings.ToJson();
  log.rules = LogRules::Of(log.job, log.settings);
  const int deltas = chunked ? 4 : 12;
  log.ends.assign(kPartitions, static_cast<int64_t>(deltas * kDocuments));
  std::mt19937_64 random(1);
  std::vector<std::string> words;
  for (int w = 0; w < 50; ++w) words.push_back("word" + std::to_string(w));
  for (int d = 0; d < deltas; ++d) {
    const bool large = chunked && d % 2 == 1;
    const int64_t from = d / kPartitions * static_cast<int64_t>(kDocuments + 2);
    DeltaNote note{.job = log.job.id,
                   .id = RandomId(),
                   .worker = "worker" + std::to_string(d % 3),
                   .documents = kDocuments - 2,
                   .tokens = large ? 40'000U : 200U,
                   .skipped = 1,
                   .bad = 1,
                   .deltas_in_prior = static_cast<uint64_t>(d),
                   .seconds = 0.5,
                   .score_sum = d == 0 ? 0 : -60.5,
                   .score_tokens = d == 0 ? 0U : 10U,
                   .offsets = {{d % kPartitions, {from, from + static_cast<int64_t>(kDocuments)}}}};
    const KeyedRows change =
        ChangeOf(large ? 4000 : 12, note.tokens, log.rules.prior.width(), &random);
    const bool first = d == 0 && !chunked;
    Write(note, PackDelta(change, first ? words : std::vector<std::string>(), Transport::kFloat),
          &log.deltas);
    if (d == deltas / 2 || d == deltas - 2) log.snapshots.push_back(SnapshotOf(log));
  }
  log.others = {ToStored(log.job), ToJson(FeedNote{.file = "f", .documents = 7}),
                ToJson(DeadLetter{{"t", 1, 2, "is empty"}, "w"})};
  return log;
}

}  // namespace sda::cluster
