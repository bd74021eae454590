#ifndef SDA_BASE_EXPORT_FOLDER_H_
#define SDA_BASE_EXPORT_FOLDER_H_

#include <string>
#include <vector>

namespace sda {

// A folder of files that are written again as a whole. Its list, export.json, names them, so that
// the folder is known again: files of others are never overwritten or removed.
class ExportFolder {
 public:
  // The folder may be new, empty, or an earlier export; with `force` it may hold other files, too.
  // Nothing is written yet. Throws UsageError and IoError.
  ExportFolder(std::string folder, bool force);

  // Makes the folder, and writes a list that says that the export is not complete.
  void Begin() const;
  // Removes files of the earlier export that are not among these, as they are of another model or
  // other documents; `all` are the names that an export can have. Then completes the list.
  void Finish(const std::vector<std::string>& names, const std::vector<std::string>& all) const;

  const std::string& path() const { return folder_; }

 private:
  void WriteList(const std::vector<std::string>& names, bool complete) const;

  const std::string folder_;
  std::vector<std::string> earlier_;  // names of files
};

}  // namespace sda

#endif  // SDA_BASE_EXPORT_FOLDER_H_
