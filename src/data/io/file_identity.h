#ifndef SDA_DATA_IO_FILE_IDENTITY_H_
#define SDA_DATA_IO_FILE_IDENTITY_H_

#include <sys/stat.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sda {

// Identifies the file that a followed stream is in, independently of its current name: by device,
// inode and the time it was made, and by its first bytes, since inodes are used again. A file only
// grows, or it is a different one.
struct FileIdentity {
  // Two files with this many equal bytes at their beginnings are the same, or one is a copy.
  static constexpr uint64_t kTellingBytes = 1024;

  uint64_t device = 0;
  uint64_t inode = 0;  // 0: not a file that is followed
  uint64_t size = 0;   // at least: this much was read
  uint64_t head_bytes = 0;
  uint64_t head_checksum = 0;  // of this many bytes at its beginning, read or not
  uint64_t first_bytes = 0;    // the same of fewer bytes, for what is left if the file shrinks
  uint64_t first_checksum = 0;
  uint64_t birth = 0;  // in nanoseconds; 0: the file system does not record it
  // When it, or the file before it, was last written to before this one was first read: files that
  // were rotated and written to after that come after it. In nanoseconds; 0: not known.
  uint64_t modified = 0;

  // The numbers in the order in which they stand in positions. The last ones may be missing.
  static constexpr size_t kNumbers = 9;
  static constexpr size_t kLeastNumbers = 7;
  std::array<uint64_t, kNumbers> ToNumbers() const;
  static FileIdentity FromNumbers(std::span<const uint64_t, kNumbers> numbers);

  // Of an open file, of which nothing was read. Throws std::system_error.
  static FileIdentity Of(int fd);
  // Of a file. Throws InputError if it cannot be opened.
  static FileIdentity Of(const std::string& path);
  // bytes_read of its bytes were read. Reads more of its beginning, if that is not yet known.
  void Update(int fd, uint64_t bytes_read);

  // As much of the beginning is known as tells a file from others, whatever its inode.
  bool is_telling() const { return head_bytes >= kTellingBytes; }
};

// A file that may be the one of an identity, open while this exists.
class FoundFile {
 public:
  explicit FoundFile(const std::string& path);
  ~FoundFile();
  FoundFile(const FoundFile&) = delete;
  FoundFile& operator=(const FoundFile&) = delete;

  bool SameInode(const FileIdentity& identity) const;
  // It begins in the same way, and has at least what was read.
  bool SameContent(const FileIdentity& identity) const {
    return size() >= identity.size && SameHead(identity);
  }
  bool SameHead(const FileIdentity& identity) const;
  bool is_regular() const { return good_; }
  uint64_t size() const { return info_.st_size; }
  uint64_t inode() const { return info_.st_ino; }
  // When it was last written to, and made, in nanoseconds; 0: it is not there, or not known.
  uint64_t modified() const;
  uint64_t birth() const;

 private:
  int fd_;
  bool good_ = false;
  struct stat info_ = {};
};

// Whether the file that is open still begins as it did: else it was truncated and written again.
bool BeginsAsBefore(int fd, const FileIdentity& identity);
// The same for all that is known of its beginning, if the file still has as much; many files may
// begin with the same line.
bool BeginsAsFarAsKnown(int fd, const FileIdentity& identity);

}  // namespace sda

#endif  // SDA_DATA_IO_FILE_IDENTITY_H_
