#ifndef SDA_BASE_MODEL_FILE_H_
#define SDA_BASE_MODEL_FILE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sda {

// A .safetensors file (8-byte little-endian header length, JSON header, raw tensors), which any
// language reads. Tensors are F64 or I64. The metadata holds a checksum of the whole file.
//
// Every error message names the file.
struct TensorSpec {
  std::string name;
  std::vector<uint64_t> shape;
  // The numbers come from the first of these that is not empty; from none if the shape has none.
  std::span<const double> doubles;
  std::span<const int64_t> integers;
  std::function<std::span<const double>(uint64_t i)> row;  // of a matrix, valid until the next call
};

// Replaces the file at path all at once, and throws IoError, as SafeFile does.
void WriteModelFile(const std::string& path, const std::map<std::string, std::string>& metadata,
                    const std::vector<TensorSpec>& tensors);

// Writes a file from these parts, one after the other, in the same safe way.
void WriteFile(const std::string& path, const std::vector<std::string_view>& parts);

// An open model file. The tensors are read from disk as they are used (memory-mapped).
class ModelFile {
 public:
  // Throws InputError if the file cannot be read or is not as it was written: reads it once
  // for its checksum.
  explicit ModelFile(const std::string& path);
  ~ModelFile();
  ModelFile(const ModelFile&) = delete;
  ModelFile& operator=(const ModelFile&) = delete;

  const std::string& path() const { return path_; }
  // Throw InputError if there is no such entry, or it is of another type.
  const std::string& metadata(const std::string& key) const;
  bool has_metadata(const std::string& key) const { return metadata_.contains(key); }
  std::span<const double> doubles(const std::string& name) const;
  std::span<const int64_t> integers(const std::string& name) const;
  const std::vector<uint64_t>& shape(const std::string& name) const;

 private:
  struct Tensor {
    std::string type;
    std::vector<uint64_t> shape;
    const char* data;
    size_t count;
  };
  [[noreturn]] void Fail(const std::string& what) const;
  void ReadHeader(std::span<const char> bytes);
  void CheckChecksum(uint64_t header_length) const;
  const Tensor& Find(const std::string& name, const char* type) const;

  std::string path_;
  void* mapping_ = nullptr;
  size_t size_ = 0;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace sda

#endif  // SDA_BASE_MODEL_FILE_H_
