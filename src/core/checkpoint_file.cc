#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "base/file_reader.h"
#include "base/folder.h"
#include "base/parse_json.h"
#include "base/safe_file.h"
#include "base/system_call.h"
#include "sda/checkpoint.h"

namespace sda {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Not damaged, but of a format that this program cannot resume from.
class OldCheckpoint : public InputError {
 public:
  using InputError::InputError;
};

// A checkpoint: this mark, the length of the header (8 bytes), the header as JSON, the posterior as
// its Serialize() gives it, and the CRC-32 of all that (4 bytes).
constexpr std::string_view kMark = "sda checkpoint 2";
constexpr std::string_view kOldMark = "sda checkpoint 1";
constexpr size_t kChecksumBytes = sizeof(uint32_t);
constexpr size_t kLeastBytes = kMark.size() + sizeof(uint64_t) + kChecksumBytes;

constexpr std::string_view kPrefix = "checkpoint-";
constexpr size_t kKept = 2;

json ToJson(const Counts& counts) {
  return {counts.items, counts.tokens, counts.skipped, counts.bad};
}

uint64_t NumberFrom(const json& value) {
  if (!value.is_number_unsigned()) throw std::runtime_error("not a count: " + value.dump());
  return value.get<uint64_t>();
}

Counts CountsFrom(const json& counts) {
  return {NumberFrom(counts.at(0)), NumberFrom(counts.at(1)), NumberFrom(counts.at(2)),
          NumberFrom(counts.at(3))};
}

std::string HeaderOf(const IdSet& folded, const Progress& progress, const std::string& notes,
                     const std::string& rates) {
  json header = {{"position", progress.position},
                 {"next", progress.next},
                 {"before", ToJson(progress.before)},
                 {"after", json::array()},
                 {"cut", progress.cut},
                 {"folded", json::array()},
                 {"notes", notes}};
  if (!rates.empty()) header["rates"] = rates;
  for (const auto& [id, counts] : progress.after) header["after"].push_back({id, ToJson(counts)});
  for (const IdSet::Interval& i : folded.intervals()) header["folded"].push_back({i.begin, i.end});
  return header.dump(-1, ' ', false, json::error_handler_t::replace);
}

// A run that goes on adds to them, and a model may say twice as much.
void CheckCount(const char* name, uint64_t count) {
  constexpr uint64_t kMost = uint64_t{1} << 59;
  if (count <= kMost) return;
  throw std::runtime_error(fmt::format("{} is {}, must be at most {}", name, count, kMost));
}

void CheckCounts(const Counts& counts) {
  CheckCount("the number of items", counts.items);
  CheckCount("the number of tokens", counts.tokens);
  CheckCount("the number of items skipped", counts.skipped);
  CheckCount("the number of bad items", counts.bad);
}

// Returns the rates of forgetting.
std::string ReadHeader(std::string_view text, Checkpoint* checkpoint) {
  const json header = ParseJson(text);
  checkpoint->progress.position = header.at("position").get<std::string>();
  checkpoint->progress.next = NumberFrom(header.at("next"));
  checkpoint->progress.before = CountsFrom(header.at("before"));
  Counts total = checkpoint->progress.before;
  CheckCounts(total);
  for (const json& entry : header.at("after")) {
    const Counts counts = CountsFrom(entry.at(1));
    checkpoint->progress.after[NumberFrom(entry.at(0))] = counts;
    CheckCounts(counts);
    CheckCounts(total += counts);
  }
  for (const json& place : header.value("cut", json::array())) {
    checkpoint->progress.cut.push_back(NumberFrom(place));
  }
  checkpoint->notes = header.at("notes").get<std::string>();
  std::vector<uint64_t> ends;
  for (const json& interval : header.at("folded")) {
    ends.push_back(NumberFrom(interval.at(0)));
    ends.push_back(NumberFrom(interval.at(1)));
  }
  checkpoint->folded = IdSet::Deserialize(
      {reinterpret_cast<const char*>(ends.data()), ends.size() * sizeof(uint64_t)});
  CheckCount("the number of minibatches", checkpoint->folded.size());
  return header.value("rates", "");
}

// Waits a little for a lock that another process has: one that was killed is not gone at once.
void Lock(int fd, const std::string& folder) {
  constexpr int kTries = 40;
  constexpr std::chrono::milliseconds kPause(50);
  for (int i = 0; i < kTries; ++i) {
    if (Uninterrupted([&] { return flock(fd, LOCK_EX | LOCK_NB); }) == 0) return;
    if (errno != EWOULDBLOCK) {
      throw IoError(folder + ": cannot lock: " + ErrorText() +
                    "; two runs could use it at once, so checkpoints need a file system with locks "
                    "(flock)");
    }
    std::this_thread::sleep_for(kPause);
  }
  throw IoError(folder + ": is in use by another run");
}

}  // namespace

void Checkpoint::Write(const std::string& path, const IdSet& folded,
                       const std::function<void(const ByteSink&)>& write_posterior,
                       const Progress& progress, const std::string& notes,
                       const std::string& rates) {
  const std::string header = HeaderOf(folded, progress, notes, rates);
  const uint64_t length = header.size();
  SafeFile file(path);
  file.Write(kMark);
  file.Write(&length, sizeof(length));
  file.Write(header);
  write_posterior([&file](std::string_view bytes) { file.Write(bytes); });
  const uint32_t checksum = file.checksum();
  file.Write(&checksum, sizeof(checksum));
  file.Commit();
}

Checkpoint Checkpoint::Load(const std::string& path) {
  Checkpoint checkpoint;
  checkpoint.path = path;
  const FileReader file(path);
  auto fail = [&path](const std::string& what) { throw InputError(path + ": " + what); };
  if (file.size() < kLeastBytes) fail("is damaged: it is cut off");
  const std::string mark = file.Read(0, kMark.size());
  if (mark == kOldMark) {
    throw OldCheckpoint(path +
                        ": was written by an earlier version of sda; finish the run with that "
                        "version, or remove the folder to start again");
  }
  if (mark != kMark) fail("is damaged, or not a checkpoint of this version of sda");
  uint64_t length = 0;
  file.Read(mark.size(), &length, sizeof(length));
  if (length > file.size() - kLeastBytes) fail("is damaged: its header is cut off");
  const uint64_t header_begin = mark.size() + sizeof(length);
  const uint64_t end = file.size() - kChecksumBytes;
  Part& posterior = checkpoint.posterior_;
  posterior.begin = header_begin + length;
  posterior.size = end - posterior.begin;
  posterior.checksum = file.ChecksumOf(posterior.begin, end);
  const std::string head = file.Read(0, posterior.begin);
  uint32_t checksum = 0;
  file.Read(end, &checksum, kChecksumBytes);
  if (CombinedChecksum(Checksum(head), posterior.checksum, posterior.size) != checksum) {
    fail("is damaged: its checksum does not match its content");
  }
  try {
    checkpoint.rates_ = ReadHeader(std::string_view(head).substr(header_begin), &checkpoint);
  } catch (const std::exception& e) {
    fail(std::string("is damaged: ") + e.what());
  }
  return checkpoint;
}

std::vector<std::string_view> Checkpoint::SplitSums(std::string_view bytes, size_t sums) {
  std::vector<uint64_t> sizes(sums);
  const size_t size_bytes = sums * sizeof(uint64_t);
  if (bytes.size() < size_bytes) throw InputError("holds no sums of the rates of forgetting");
  std::memcpy(sizes.data(), bytes.data() + bytes.size() - size_bytes, size_bytes);
  bytes.remove_suffix(size_bytes);
  std::vector<std::string_view> parts;
  for (const uint64_t size : sizes) {
    if (size > bytes.size()) throw InputError("holds too few sums of the rates of forgetting");
    parts.push_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  if (!bytes.empty()) throw InputError("holds more than the sums of the rates of forgetting");
  return parts;
}

std::unique_ptr<const char[]> Checkpoint::ReadPosterior() const {
  const FileReader file(path);
  auto bytes = std::make_unique_for_overwrite<char[]>(posterior_.size);
  file.Read(posterior_.begin, bytes.get(), posterior_.size);
  if (Checksum({bytes.get(), posterior_.size}) != posterior_.checksum) {
    throw InputError(path + ": was changed while it was read");
  }
  return bytes;
}

CheckpointFolder::CheckpointFolder(const std::string& path) : path_(path) {
  std::error_code error;
  if (!fs::create_directory(path, error) && !error)
    error = std::make_error_code(std::errc::file_exists);
  if (!fs::is_directory(path)) {
    throw IoError(path + ": cannot make this folder: " + error.message());
  }
  const std::string lock = path + "/lock";
  lock_ = Uninterrupted(
      [&] { return open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666); });
  if (lock_ < 0) throw IoError(lock + ": cannot write: " + ErrorText());
  try {
    Lock(lock_, path);
    FindCheckpoints();
  } catch (...) {
    Close(&lock_);
    throw;
  }
}

void CheckpointFolder::FindCheckpoints() {
  for (const std::string& name : NamesIn(path_)) {
    if (!name.starts_with(kPrefix)) continue;
    const std::string number = name.substr(kPrefix.size());
    if (!number.empty() && number.size() < 19 &&
        std::all_of(number.begin(), number.end(), ::isdigit)) {
      numbers_.push_back(std::stoull(number));
    }
  }
  std::sort(numbers_.begin(), numbers_.end());
  for (const uint64_t number : numbers_) RemoveLeftovers(FileOf(number));
  RemoveLeftovers(FileOf(numbers_.empty() ? 1 : numbers_.back() + 1));
}

CheckpointFolder::~CheckpointFolder() { Close(&lock_); }

std::string CheckpointFolder::FileOf(uint64_t number) const {
  return fmt::format("{}/{}{:06}", path_, kPrefix, number);
}

std::optional<Checkpoint> CheckpointFolder::LoadLast(std::vector<std::string>* damage) {
  damaged_.clear();
  for (auto number = numbers_.rbegin(); number != numbers_.rend(); ++number) {
    try {
      return Checkpoint::Load(FileOf(*number));
    } catch (const OldCheckpoint&) {
      throw;
    } catch (const std::runtime_error& e) {
      damage->push_back(e.what());
      damaged_.push_back(*number);
    }
  }
  if (damage->empty()) return std::nullopt;
  throw InputError(damage->front() + "; there is no other checkpoint in " + path_ +
                   " that is not damaged");
}

void CheckpointFolder::Remove(uint64_t number) {
  std::error_code ignored;
  fs::remove(FileOf(number), ignored);
  std::erase(numbers_, number);
}

void CheckpointFolder::Write(const IdSet& folded,
                             const std::function<void(const ByteSink&)>& write_posterior,
                             const Progress& progress, const std::string& notes,
                             const std::string& rates) {
  const uint64_t number = numbers_.empty() ? 1 : numbers_.back() + 1;
  Checkpoint::Write(FileOf(number), folded, write_posterior, progress, notes, rates);
  numbers_.push_back(number);
  // Only now: what is damaged is removed when there is something better.
  while (!damaged_.empty()) {
    Remove(damaged_.back());
    damaged_.pop_back();
  }
  while (numbers_.size() > kKept) Remove(numbers_.front());
}

}  // namespace sda
