#ifndef SDA_BASE_UNFINISHED_FILE_H_
#define SDA_BASE_UNFINISHED_FILE_H_

#include <sys/types.h>

#include <string>

namespace sda {

// A new file beside the one at path, PATH.tmp. and 16 random hexadecimal digits, which is to be
// renamed to it. The name cannot be foreseen, and what has it already is never opened: others may
// write to the folder, too. Removed with this object, unless it was renamed.
//
// It is locked until then, so that RemoveLeftovers() can tell it from one that a killed process has
// left. Where the file system has no locks, leftovers stay.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  // Each returns an error number, or 0.
  int Open(const std::string& path, mode_t mode);
  int Sync();
  int Close();
  int RenameTo(const std::string& path);

  int fd() const { return fd_; }

 private:
  int OpenOnce(const std::string& name, mode_t mode);
  int Lock();
  void Discard();

  std::string name_;  // empty: there is none
  int fd_ = -1;
  int lock_ = -1;  // the same file again: the lock must outlive the writing
};

// Removes what killed processes of this user have left of the file at path, as far as it can.
void RemoveLeftovers(const std::string& path);

}  // namespace sda

#endif  // SDA_BASE_UNFINISHED_FILE_H_
