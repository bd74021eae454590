// Messages of the topics of a cluster job, as a worker, `sda cluster status` or a feed reads them.
#include <zstd.h>

#include <string>

#include "cluster/job.h"
#include "cluster/job_settings.h"
#include "cluster/log/body.h"
#include "cluster/log/chunks.h"
#include "cluster/log/delta_notes.h"
#include "cluster/log/feed_note.h"
#include "cluster/log/log_totals.h"
#include "cluster/log/note.h"
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

void FuzzDelta(std::string_view bytes) {
  const Message message(bytes);
  ReadOrRefuse([&] { cluster::ParseDeltaHeader(message.header); });
  ReadOrRefuse([&] { cluster::UnpackDelta(message.value, kTopics); });
  ReadOrRefuse([&] {
    KeyedRows posterior(std::vector<double>(kTopics, 0.5));
    posterior += cluster::UnpackDelta(Compressed(message.value), kTopics).change;
  });
}

void FuzzSnapshot(std::string_view bytes) {
  const Message message(bytes);
  ReadOrRefuse([&] {
    const cluster::SnapshotNote note = cluster::ParseSnapshotHeader(message.header);
    cluster::DeltaNotes notes("job");
    notes.Begin(note);
  });
  ReadOrRefuse([&] { cluster::UnpackSnapshot(message.value, kTopics); });
  ReadOrRefuse([&] { cluster::UnpackSnapshot(Compressed(message.value), kTopics); });
}

// A log of messages, a line each: the note, and as many bytes as it has.
void FuzzNotes(std::string_view bytes) {
  cluster::DeltaNotes notes("job");
  notes.Begin();
  cluster::Assembler assembler;
  int64_t offset = 0;
  for (std::string_view rest = bytes; !rest.empty(); ++offset) {
    const std::string_view header = Message(rest).header;
    rest = Message(rest).value;
    ReadOrRefuse([&] { notes.Add(header, header.size(), offset, 1000 * offset); });
    ReadOrRefuse([&] { assembler.Add(header, header, offset); });
    ReadOrRefuse([&] { cluster::ParseDeltaHeader(header); });
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
