#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "base/safe_file.h"
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

Counts CountsFrom(const json& counts) {
  return {counts.at(0).get<uint64_t>(), counts.at(1).get<uint64_t>(), counts.at(2).get<uint64_t>(),
          counts.at(3).get<uint64_t>()};
}

std::string HeaderOf(const IdSet& folded, const Progress& progress, const std::string& notes) {
  json header = {{"position", progress.position},
                 {"next", progress.next},
                 {"before", ToJson(progress.before)},
                 {"after", json::array()},
                 {"cut", progress.cut},
                 {"folded", json::array()},
                 {"notes", notes}};
  for (const auto& [id, counts] : progress.after) header["after"].push_back({id, ToJson(counts)});
  for (const IdSet::Interval& i : folded.intervals()) header["folded"].push_back({i.begin, i.end});
  return header.dump(-1, ' ', false, json::error_handler_t::replace);
}

void ReadHeader(std::string_view text, Checkpoint* checkpoint) {
  const json header = json::parse(text);
  checkpoint->progress.position = header.at("position").get<std::string>();
  checkpoint->progress.next = header.at("next").get<uint64_t>();
  checkpoint->progress.before = CountsFrom(header.at("before"));
  for (const json& entry : header.at("after")) {
    checkpoint->progress.after[entry.at(0).get<uint64_t>()] = CountsFrom(entry.at(1));
  }
  checkpoint->progress.cut = header.value("cut", std::vector<uint64_t>());
  checkpoint->notes = header.at("notes").get<std::string>();
  std::vector<uint64_t> ends;
  for (const json& interval : header.at("folded")) {
    ends.push_back(interval.at(0).get<uint64_t>());
    ends.push_back(interval.at(1).get<uint64_t>());
  }
  checkpoint->folded = IdSet::Deserialize(
      {reinterpret_cast<const char*>(ends.data()), ends.size() * sizeof(uint64_t)});
}

// The file in memory, read only. It must not be changed meanwhile, and checkpoints never are.
std::shared_ptr<const void> Map(const std::string& path, size_t* size) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw IoError(path + ": cannot open: " + ErrorText());
  struct stat info;
  void* mapping = MAP_FAILED;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    *size = info.st_size;
    mapping = mmap(nullptr, std::max<size_t>(1, *size), PROT_READ, MAP_PRIVATE, fd, 0);
  }
  close(fd);
  if (mapping == MAP_FAILED) throw IoError(path + ": cannot read: " + ErrorText());
  return {mapping, [bytes = std::max<size_t>(1, *size)](const void* start) {
            munmap(const_cast<void*>(start), bytes);
          }};
}

// Waits a little: a process that was killed is not gone at once.
bool Lock(int fd) {
  constexpr int kTries = 40;
  constexpr std::chrono::milliseconds kPause(50);
  for (int i = 0; i < kTries; ++i) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    std::this_thread::sleep_for(kPause);
  }
  return false;
}

}  // namespace

void Checkpoint::Write(const std::string& path, const IdSet& folded,
                       const std::function<void(const ByteSink&)>& write_posterior,
                       const Progress& progress, const std::string& notes) {
  const std::string header = HeaderOf(folded, progress, notes);
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
  size_t size = 0;
  checkpoint.mapping_ = Map(path, &size);
  auto fail = [&path](const std::string& what) { throw InputError(path + ": " + what); };
  std::string_view bytes(static_cast<const char*>(checkpoint.mapping_.get()), size);
  if (bytes.size() < kLeastBytes) fail("is damaged: it is cut off");
  if (bytes.starts_with(kOldMark)) {
    throw OldCheckpoint(path +
                        ": was written by an earlier version of sda; finish the run with that "
                        "version, or remove the folder to start again");
  }
  if (!bytes.starts_with(kMark)) fail("is damaged, or not a checkpoint of this version of sda");
  uint32_t checksum = 0;
  std::memcpy(&checksum, bytes.data() + bytes.size() - kChecksumBytes, kChecksumBytes);
  bytes.remove_suffix(kChecksumBytes);
  if (Checksum(bytes) != checksum) fail("is damaged: its checksum does not match its content");
  bytes.remove_prefix(kMark.size());
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  bytes.remove_prefix(sizeof(length));
  if (length > bytes.size()) fail("is damaged: its header is cut off");
  try {
    ReadHeader(bytes.substr(0, length), &checkpoint);
  } catch (const std::exception& e) {
    fail(std::string("is damaged: ") + e.what());
  }
  checkpoint.posterior_ = bytes.substr(length);
  return checkpoint;
}

CheckpointFolder::CheckpointFolder(const std::string& path) : path_(path) {
  std::error_code error;
  if (!fs::create_directory(path, error) && !error)
    error = std::make_error_code(std::errc::file_exists);
  if (!fs::is_directory(path)) {
    throw IoError(path + ": cannot make this folder: " + error.message());
  }
  const std::string lock = path + "/lock";
  lock_ = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) throw IoError(lock + ": cannot write: " + ErrorText());
  if (!Lock(lock_)) {
    close(lock_);
    throw IoError(path + ": is in use by another run");
  }
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
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

CheckpointFolder::~CheckpointFolder() { close(lock_); }

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
                             const Progress& progress, const std::string& notes) {
  const uint64_t number = numbers_.empty() ? 1 : numbers_.back() + 1;
  Checkpoint::Write(FileOf(number), folded, write_posterior, progress, notes);
  numbers_.push_back(number);
  // Only now: what is damaged is removed when there is something better.
  while (!damaged_.empty()) {
    Remove(damaged_.back());
    damaged_.pop_back();
  }
  while (numbers_.size() > kKept) Remove(numbers_.front());
}

}  // namespace sda
