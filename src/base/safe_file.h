#ifndef SDA_BASE_SAFE_FILE_H_
#define SDA_BASE_SAFE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sda {

// The steps of a save, in their order.
enum class SaveStep { kOpen, kWrite, kSync, kClose, kRename, kSyncDirectory };

// A file that replaces the one at path all at once: everything goes to a temporary file beside it,
// which Commit() syncs, renames to path, and then syncs the directory. A reader sees the old file
// or the new one, never half of one, also after a crash. All saves go through this class.
//
// Every error is an IoError that names the file, the step and the reason. The old file is
// then as it was, and the temporary one is gone. (If only the directory could not be synced, the
// new file is in place, but may not survive a power failure.)
class SafeFile {
 public:
  explicit SafeFile(const std::string& path);
  ~SafeFile();
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
  void Flush();
  void WriteNow(const char* at, size_t size);
  void SyncDirectory() const;
  // Throws for `error`, an error number, unless it is 0.
  void Check(int error, const char* what) const;

  std::string path_;
  std::string temporary_;
  int fd_ = -1;
  bool renamed_ = false;
  uint32_t checksum_ = 0;
  std::string buffer_;
};

uint32_t Checksum(std::string_view bytes, uint32_t before = 0);

// The error of the last system call in words.
std::string ErrorText();

// Removes the temporary files PATH.tmp.NUMBER that killed saves of this file have left. A running
// save holds a lock.
void RemoveLeftovers(const std::string& path);

// Whether it can be opened again and read from the start: not standard input, not a pipe. What does
// not exist passes, and fails with its own message when it is opened.
bool CanReadTwice(const std::string& path);

}  // namespace sda

#endif  // SDA_BASE_SAFE_FILE_H_
