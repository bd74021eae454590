#include "core/input_stamps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "base/file_reader.h"
#include "base/folder.h"
#include "base/safe_file.h"
#include "sda/errors.h"

namespace sda {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr size_t kHeadBytes = size_t{1} << 16;

// Of a folder: which files are in it, and how large they are together.
json StampOfFolder(const std::string& path) {
  std::string names;
  uint64_t size = 0;
  for (const std::string& name : FilesBelow(path)) {
    names += name + '\n';
    size += fs::file_size(fs::path(path) / name);
  }
  return {{"path", path},
          {"size", size},
          {"head_bytes", names.size()},
          {"head_checksum", Checksum(names)}};
}

json StampOf(const std::string& path, size_t bytes) {
  if (fs::is_directory(path)) return StampOfFolder(path);
  const FileReader file(path);
  const std::string head = file.Read(0, std::min<uint64_t>(bytes, file.size()));
  return {{"path", path},
          {"size", file.size()},
          {"head_bytes", head.size()},
          {"head_checksum", Checksum(head)}};
}

void CheckStamp(const json& earlier, bool may_grow, const std::string& folder) {
  const std::string path = earlier.at("path").get<std::string>();
  auto fail = [&](const std::string& what) {
    throw InputError(
        fmt::format("{}: {} since the checkpoint; a run resumes only with the data it began with "
                    "(to start again, remove {})",
                    path, what, folder));
  };
  if (!fs::exists(path)) throw IoError(path + ": cannot open: no such file");
  const json now = StampOf(path, earlier.at("head_bytes").get<size_t>());
  if (now.at("size") < earlier.at("size")) {
    fail(fmt::format("has shrunk from {} to {} bytes", earlier.at("size").get<uint64_t>(),
                     now.at("size").get<uint64_t>()));
  }
  if (now.at("head_checksum") != earlier.at("head_checksum")) fail("has changed");
  if (!may_grow && now.at("size") > earlier.at("size")) {
    fail("has grown (only the last of the inputs may)");
  }
}

}  // namespace

json StampsOf(const std::vector<std::string>& files) {
  json stamps = json::array();
  for (const std::string& file : files) {
    if (fs::exists(file)) stamps.push_back(StampOf(file, kHeadBytes));
  }
  return stamps;
}

void CheckStamps(const json& stamps, const std::string& growing, const std::string& folder) {
  for (const json& stamp : stamps) CheckStamp(stamp, stamp.at("path") == growing, folder);
}

void Restamp(json* stamps, const std::string& growing) {
  for (json& stamp : *stamps) {
    const std::string path = stamp.at("path").get<std::string>();
    std::error_code error;
    if (path == growing && stamp.at("head_bytes").get<size_t>() < kHeadBytes &&
        fs::exists(path, error)) {
      stamp = StampOf(path, kHeadBytes);
    }
  }
}

void CheckRereadable(const std::vector<std::string>& inputs) {
  for (const std::string& path : inputs) {
    if (CanReadTwice(path)) continue;
    throw UsageError(
        (path == "-" ? "standard input" : path) +
        ": cannot be read again from where a run was killed, so --checkpoint is of no use; write "
        "the stream to a file (such as with tee -a FILE) and fit that");
  }
}

}  // namespace sda
