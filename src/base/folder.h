#ifndef SDA_BASE_FOLDER_H_
#define SDA_BASE_FOLDER_H_

#include <string>
#include <vector>

namespace sda {

// The folder that a file is in.
std::string FolderOf(const std::string& path);

// The names in a folder, without "." and "..", in no order. Throws IoError naming it.
std::vector<std::string> NamesIn(const std::string& folder);

// The files in a folder and below it that are not hidden, as paths from there, sorted. Links to
// folders are not followed. Throws IoError naming what cannot be listed or looked at.
std::vector<std::string> FilesBelow(const std::string& folder);

// Makes it durable which files are in a folder, where the file system can. An error number, or 0.
int SyncFolder(const std::string& folder);

}  // namespace sda

#endif  // SDA_BASE_FOLDER_H_
