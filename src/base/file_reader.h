#ifndef SDA_BASE_FILE_READER_H_
#define SDA_BASE_FILE_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sda {

// An ordinary file, read at any place into the caller's memory. Others may cut it off or write to
// it meanwhile: that is an error, or other bytes than before, but never a signal (SIGBUS), as it
// would be with a mapping. What is read twice must be compared by its checksum.
//
// Throws IoError for what cannot be opened or read, InputError for what is not a file or was cut
// off; both name it.
class FileReader {
 public:
  explicit FileReader(const std::string& path);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }  // when it was opened

  void Read(uint64_t begin, void* data, size_t size) const;
  std::string Read(uint64_t begin, size_t size) const;
  // From begin to end in pieces, each of a multiple of `unit` bytes.
  void ForEachPiece(uint64_t begin, uint64_t end, size_t unit,
                    const std::function<void(std::string_view piece)>& use) const;
  // CRC-32.
  uint32_t ChecksumOf(uint64_t begin, uint64_t end) const;

 private:
  std::string path_;
  int fd_;
  uint64_t size_ = 0;
};

}  // namespace sda

#endif  // SDA_BASE_FILE_READER_H_
