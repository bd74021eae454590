#ifndef SDA_BASE_SAFE_FILE_H_
#define SDA_BASE_SAFE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/unfinished_file.h"

namespace sda {

// The steps of a save, in their order.
enum class SaveStep { kOpen, kWrite, kSync, kClose, kRename, kSyncDirectory };

// A file that replaces the one at path all at once: everything goes to a temporary file beside it,
// which Commit() syncs, renames to path, and then syncs the directory. A reader sees the old file
// or the new one, never half of one, also after a crash; so does the other of two processes that
// save the same file, and the last one stays. All saves go through this class.
//
// A file that is replaced keeps its permissions, and its owner and group where that is permitted. A
// symbolic link stays, and what it points to is replaced, unless another user made the link in a
// folder that everyone may write to. What is not an ordinary file, such as a pipe or a device, is
// refused.
//
// Every error is an IoError that names the file, the step and the reason. The old file is
// then as it was, and the temporary one is gone. (If only the directory could not be synced, the
// new file is in place, but may not survive a power failure.)
class SafeFile {
 public:
  // The file that is replaced: what a symbolic link points to, or the path itself.
  static std::string TargetOf(const std::string& path);

  explicit SafeFile(const std::string& path);
  SafeFile(const SafeFile&) = delete;
  SafeFile& operator=(const SafeFile&) = delete;

  void Write(const void* data, size_t size);
  void Write(std::string_view bytes) { Write(bytes.data(), bytes.size()); }
  // Overwrites bytes that were written already.
  void WriteAt(uint64_t offset, std::string_view bytes);
  void Commit();

  // CRC-32 of all bytes given to Write().
  uint32_t checksum() const { return checksum_; }

  // For tests: called before each step. Returns 0, or the error number with which the step is to
  // fail; for kWrite it may instead lower *bytes, for a short write. Not thread-safe.
  using Fault = std::function<int(SaveStep step, size_t* bytes)>;
  static void InjectFaults(Fault fault);

 private:
  void Open();
  void Flush();
  void WriteNow(const char* at, size_t size);
  // Throws for `error`, an error number, unless it is 0.
  void Check(int error, const char* what) const;

  std::string path_;
  UnfinishedFile file_;
  uint32_t checksum_ = 0;
  std::string buffer_;
};

uint32_t Checksum(std::string_view bytes, uint32_t before = 0);
// Of a part with the one checksum, and one with the other, of so many bytes, after it.
uint32_t CombinedChecksum(uint32_t before, uint32_t after, uint64_t bytes_after);

// The error of the last system call in words.
std::string ErrorText();

// Whether it can be opened again and read from the start: not standard input, not a pipe. What does
// not exist, or cannot be looked at, passes, and fails with its own message when it is opened.
bool CanReadTwice(const std::string& path);

}  // namespace sda

#endif  // SDA_BASE_SAFE_FILE_H_
