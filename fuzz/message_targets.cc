// Messages of the topics of a cluster job, as a worker, `sda cluster status` or a feed reads them.
#include <zstd.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "cluster/job.h"
#include "cluster/job_settings.h"
#include "cluster/log/body.h"
#include "cluster/log/checked_log.h"
#include "cluster/log/chunks.h"
#include "cluster/log/delta_notes.h"
#include "cluster/log/feed_note.h"
#include "cluster/log/log_totals.h"
#include "cluster/log/note.h"
#include "cluster/log/snapshot_check.h"
#include "cluster/stored_job.h"
#include "sda/errors.h"
#include "targets.h"

namespace sda {
namespace {

constexpr size_t kTopics = 3;

// A message: the note in its header is the first line, the value is the rest.
struct Message {
  explicit Message(std::string_view bytes)
      : header(bytes.substr(0, bytes.find('\n'))),
        value(header.size() == bytes.size() ? "" : bytes.substr(header.size() + 1)) {}
  std::string_view header;
  std::string_view value;
};

// Otherwise no fuzzer would get beyond the decompression.
std::string Compressed(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1));
  return out;
}

template <class Read>
void ReadOrRefuse(const Read& read) {
  try {
    read();
  } catch (const InputError&) {
  }
}

cluster::LogRules MakeRules() {
  cluster::JobSettings settings;
  settings.options.topics = kTopics;
  settings.vocabulary = {"apple", "banana", "cherry", "dog", "elephant", "fox"};
  return cluster::LogRules::Of(cluster::Job{.name = "job", .id = "job"}, settings.Settled());
}

const cluster::LogRules& Rules() {
  static const cluster::LogRules rules = MakeRules();
  return rules;
}

cluster::LogQuestions Questions() {
  return {.end_of = [](int32_t partition, int64_t) { return partition < 4 ? 2'000'000 : -1; },
          .end_of_log = [](int64_t) { return 2'000'000; },
          .expect_same_version = [] {}};
}

// What counts is a posterior, whatever came before.
void ExpectPosterior(const KeyedRows& posterior, uint64_t tokens) {
  double sum = 0;
  for (size_t r = 0; r < posterior.rows(); ++r) {
    for (const double number : posterior.row(r)) {
      if (!(number > 0)) throw std::logic_error("a parameter is not positive");
    }
  }
  for (const double total : posterior.totals()) sum += total;
  if (!(std::abs(sum - static_cast<double>(tokens)) <= 1e-3 * (1 + static_cast<double>(tokens)))) {
    throw std::logic_error("other tokens than were counted");
  }
}

void FuzzDelta(std::string_view bytes) {
  const Message message(bytes);
  cluster::CheckedLog log(Rules(), Questions());
  log.Begin();
  KeyedRows posterior = Rules().prior;
  const std::string compressed = Compressed(message.value);
  for (const std::string_view value : {message.value, std::string_view(compressed)}) {
    const auto delta = log.Add({message.header, value, log.position(), 1000});
    if (delta) posterior += delta->change;
  }
  ExpectPosterior(posterior, log.totals().tokens);
}

void FuzzSnapshot(std::string_view bytes) {
  const Message message(bytes);
  cluster::CheckedSnapshots snapshots(Rules(), "snapshots", 0, Questions());
  snapshots.Add({message.header, message.value, 0, 1000});
  snapshots.Add({message.header, Compressed(message.value), 1, 1000});
  const auto& newest = snapshots.newest();
  if (!newest) return;
  ExpectPosterior(newest->body.posterior, newest->totals.tokens);
  cluster::CheckedLog log(Rules(), Questions());
  log.Begin(newest->note, newest->totals, 0);
}

// A log of messages, a line each: the note, and as many bytes as it has.
void FuzzNotes(std::string_view bytes) {
  cluster::DeltaNotes notes(Rules(), Questions());
  notes.Begin();
  cluster::Assembler assembler;
  int64_t offset = 0;
  for (std::string_view rest = bytes; !rest.empty(); ++offset) {
    const std::string_view header = Message(rest).header;
    rest = Message(rest).value;
    notes.Add({header, header, offset, 1000 * offset});
    ReadOrRefuse([&] { assembler.Add(header, header, offset); });
    ReadOrRefuse([&] { cluster::ParseSnapshotHeader(header); });
    ReadOrRefuse([&] { cluster::ParseChunk(header, cluster::AnyVersion::kYes); });
  }
  notes.RateAt(1000 * offset, false);
  assembler.FirstPending(offset);
}

void FuzzTotals(std::string_view bytes) {
  ReadOrRefuse([&] {
    const cluster::LogTotals totals = cluster::LogTotals::FromJson(bytes);
    if (cluster::LogTotals::FromJson(totals.ToJson()).ToJson() != totals.ToJson()) {
      throw std::logic_error("other totals");
    }
  });
}

void FuzzSettings(std::string_view bytes) {
  ReadOrRefuse([&] {
    const cluster::Job job = cluster::ParseStored(bytes);
    cluster::SettingsDifference(job.settings, job.settings);
    const cluster::JobSettings settings = cluster::JobSettings::FromJson(job.settings);
    if (cluster::JobSettings::FromJson(settings.ToJson()).ToJson() != settings.ToJson()) {
      throw std::logic_error("other settings");
    }
  });
}

void FuzzFeedNote(std::string_view bytes) {
  ReadOrRefuse([&] {
    const cluster::FeedNote note = cluster::ParseFeedNote(bytes);
    if (cluster::ParseFeedNote(cluster::ToJson(note)) != note) throw std::logic_error("other note");
  });
}

constexpr FuzzTarget kTargets[] = {
    {"delta", FuzzDelta},   {"snapshot", FuzzSnapshot}, {"notes", FuzzNotes},
    {"totals", FuzzTotals}, {"settings", FuzzSettings}, {"feed_note", FuzzFeedNote},
};

}  // namespace

std::span<const FuzzTarget> MessageTargets() { return kTargets; }

}  // namespace sda
