#include "base/folder.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/system_call.h"
#include "sda/errors.h"

namespace sda {
namespace {

namespace fs = std::filesystem;

fs::directory_iterator Opened(const std::string& folder, std::error_code* error) {
  do {
    error->clear();
    fs::directory_iterator opened(folder, *error);
    if (!*error) return opened;
  } while (*error == std::errc::interrupted);
  return {};
}

// What cannot be looked at, such as a link that leads nowhere, may be a document: it is an error.
bool IsFile(const fs::directory_entry& entry) {
  std::error_code error;
  const bool file = entry.is_regular_file(error);
  if (error) throw IoError(entry.path().string() + ": cannot look at it: " + error.message());
  return file;
}

// Not a link to another.
bool IsOwnFolder(const fs::directory_entry& entry) {
  std::error_code ignored;
  return entry.is_directory(ignored) && !entry.is_symlink(ignored);
}

}  // namespace

std::string FolderOf(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator i = Opened(folder, &error), end; !error && i != end;
       i.increment(error)) {
    names.push_back(i->path().filename().string());
  }
  if (error) throw IoError(folder + ": cannot list this folder: " + error.message());
  return names;
}

std::vector<std::string> FilesBelow(const std::string& folder) {
  std::vector<std::string> files;
  std::vector<fs::path> left = {""};  // folders, this one and those below it
  while (!left.empty()) {
    const fs::path below = std::move(left.back());
    left.pop_back();
    const std::string path = (folder / below).string();
    std::error_code error;
    for (fs::directory_iterator i = Opened(path, &error), end; !error && i != end;
         i.increment(error)) {
      const fs::path name = i->path().filename();
      if (name.native().starts_with('.')) continue;
      if (IsFile(*i)) files.push_back((below / name).string());
      if (IsOwnFolder(*i)) left.push_back(below / name);
    }
    if (error) throw IoError(path + ": cannot list this folder: " + error.message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

int SyncFolder(const std::string& folder) {
  int fd = Uninterrupted([&] { return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (fd < 0) return errno == EACCES ? 0 : errno;  // may be written to but not read
  const int error = Uninterrupted([&] { return fsync(fd); }) == 0 ? 0 : errno;
  Close(&fd);
  return error == EINVAL || error == ENOTSUP ? 0 : error;  // some file systems cannot
}

}  // namespace sda
