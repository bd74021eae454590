#ifndef SDA_BASE_MODEL_FILE_H_
#define SDA_BASE_MODEL_FILE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_reader.h"

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

// The name of the model that the file says it holds, or "" if it does not begin as a model file of
// sda does. Reads the header alone, so the rest may be damaged. Throws IoError if it cannot be
// read.
std::string ClaimedModel(const std::string& path);

// An open model file. Its header is in memory; a tensor is read from the file when it is asked for,
// and must then still be what it was when the file was opened. All throw InputError for a file that
// is not as it was written, or has no such entry, or one of another type; IoError if it cannot be
// read.
class ModelFile {
 public:
  // Reads the file once for its checksum.
  explicit ModelFile(const std::string& path);
  ModelFile(const ModelFile&) = delete;
  ModelFile& operator=(const ModelFile&) = delete;

  const std::string& path() const { return file_.path(); }
  const std::string& metadata(const std::string& key) const;
  bool has_metadata(const std::string& key) const { return metadata_.contains(key); }
  bool has_tensor(const std::string& name) const { return tensors_.contains(name); }
  const std::vector<uint64_t>& shape(const std::string& name) const;
  std::vector<double> doubles(const std::string& name) const;
  std::vector<int64_t> integers(const std::string& name) const;
  // The rows of a matrix of doubles in their order: a large one is never in memory as a whole. A
  // change of the file is found at the end: what was made of the rows is then worth nothing.
  void ForEachRow(const std::string& name,
                  const std::function<void(uint64_t i, std::span<const double> row)>& use) const;

 private:
  struct Tensor {
    std::string type;
    std::vector<uint64_t> shape;
    uint64_t begin, end;  // in the file
    uint32_t checksum = 0;
    size_t count() const { return (end - begin) / 8; }
  };
  [[noreturn]] void Fail(const std::string& what) const;
  void ReadHeader();
  void ReadTensors(const nlohmann::json& header, uint64_t data_begin);
  // As they are in the file, where every byte must belong to one of them, and to one only.
  std::vector<Tensor*> InOrder(uint64_t data_begin);
  void CheckChecksum(const std::string& header);
  const Tensor& Find(const std::string& name, const char* type) const;
  void ReadTensor(const Tensor& tensor, void* numbers) const;
  void ExpectUnchanged(const Tensor& tensor, uint32_t checksum) const;

  FileReader file_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace sda

#endif  // SDA_BASE_MODEL_FILE_H_
