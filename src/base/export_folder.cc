#include "base/export_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/file_reader.h"
#include "base/folder.h"
#include "base/model_file.h"
#include "base/parse_json.h"
#include "base/safe_file.h"
#include "sda/errors.h"

namespace sda {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kList = "export.json";
constexpr const char* kMadeBy = "sda export";

fs::file_type TypeOf(const std::string& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type != fs::file_type::none) return type;
  throw IoError(path + ": cannot look at it: " + error.message());
}

// The files of an earlier export; nothing if the folder has no list of them.
std::optional<std::vector<std::string>> ReadList(const std::string& folder) {
  const std::string path = folder + "/" + kList;
  if (TypeOf(path) != fs::file_type::regular) return std::nullopt;
  const FileReader file(path);
  const json list = ParseJson(file.Read(0, file.size()), false);
  if (!list.is_object() || list.value("made_by", json()) != kMadeBy) return std::nullopt;
  std::vector<std::string> names;
  for (const json& name : list.value("files", json::array())) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return names;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

ExportFolder::ExportFolder(std::string folder, bool force) : folder_(std::move(folder)) {
  if (folder_.empty()) throw UsageError("--output is empty, must name a folder");
  const fs::file_type type = TypeOf(folder_);
  if (type == fs::file_type::not_found) return;
  if (type != fs::file_type::directory) throw UsageError(folder_ + ": is not a folder");
  const auto earlier = ReadList(folder_);
  if (!earlier && !force && !NamesIn(folder_).empty()) {
    throw UsageError(
        folder_ +
        ": is neither empty nor an earlier export; name another folder, or add --force "
        "to overwrite files in it");
  }
  if (earlier) earlier_ = *earlier;
}

void ExportFolder::Begin() const {
  constexpr mode_t kEveryone = 0777;
  if (mkdir(folder_.c_str(), kEveryone) != 0 && errno != EEXIST) {
    throw IoError(folder_ + ": cannot make this folder: " + ErrorText());
  }
  WriteList(earlier_, false);
}

void ExportFolder::Finish(const std::vector<std::string>& names,
                          const std::vector<std::string>& all) const {
  for (const std::string& name : earlier_) {
    if (!Contains(all, name) || Contains(names, name)) continue;
    const std::string path = folder_ + "/" + name;
    std::error_code error;
    fs::remove(path, error);
    if (error) {
      throw IoError(path + ": cannot remove this file of an earlier export: " + error.message());
    }
  }
  WriteList(names, true);
}

void ExportFolder::WriteList(const std::vector<std::string>& names, bool complete) const {
  const nlohmann::ordered_json list = {{"made_by", kMadeBy},
                                       {"program_version", SDA_VERSION},
                                       {"complete", complete},
                                       {"files", names}};
  WriteFile(folder_ + "/" + kList,
            {list.dump(2, ' ', false, json::error_handler_t::replace), "\n"});
}

}  // namespace sda
