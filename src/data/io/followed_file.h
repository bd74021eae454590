#ifndef SDA_DATA_IO_FOLLOWED_FILE_H_
#define SDA_DATA_IO_FOLLOWED_FILE_H_

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
  uint64_t device = 0;
  uint64_t inode = 0;  // 0: not a file that is followed
  uint64_t size = 0;   // at least
  uint64_t head_bytes = 0;
  uint64_t head_checksum = 0;  // of this many bytes at its beginning
  uint64_t first_bytes = 0;    // the same of fewer bytes, for what is left if the file shrinks
  uint64_t first_checksum = 0;
  uint64_t birth = 0;  // in nanoseconds; 0: the file system does not record it

  // The numbers in the order in which they stand in positions. The last one may be missing.
  static constexpr size_t kNumbers = 8;
  std::array<uint64_t, kNumbers> ToNumbers() const;
  static FileIdentity FromNumbers(std::span<const uint64_t, kNumbers> numbers);

  // Of an open file; bytes_read of its bytes were read.
  static FileIdentity Of(int fd, uint64_t bytes_read);
  // Reads more of the beginning, if not all that is wanted is known. Throws std::system_error.
  void Update(int fd, uint64_t bytes_read);
};

// Where a stream continues that had come to a place in a file that is followed. One that is
// renamed, with another in its place, is read to its end, and then the new one from its start; one
// that is truncated is read from its start again.
struct FollowedPlace {
  std::string path;         // of that file now, perhaps another than the name that is followed
  bool from_start = false;  // it was truncated since, and is read from its start
};

// Looks for it under its name, and then under others in the same folder. Throws InputError if the
// file is not there, or is shorter than it was and yet begins as it did: its documents would be
// counted twice.
FollowedPlace FindFollowed(const std::string& name, const FileIdentity& identity);

// Throws InputError if the stream restarts in a truncated file, and minibatches must have the same
// sizes as before: those already folded were of the old content, and would hide the new.
void ExpectNoneFolded(const std::string& name, bool from_start, std::span<const uint64_t> items);

// Throws InputError if the file that has the name now begins with all that is known of the
// beginning of the one before, and that is enough to be sure: it was edited, or copied and appended
// to.
void ExpectNoCopy(const std::string& name, const FileIdentity& identity);

// Throws InputError if, between the file that was followed, open here and read to its end, and the
// one that has its name now, there seems to have been another that is not empty: NAME.1,
// NAME-20260131.gz.
void ExpectNoneBetween(const std::string& name, int fd);

}  // namespace sda

#endif  // SDA_DATA_IO_FOLLOWED_FILE_H_
