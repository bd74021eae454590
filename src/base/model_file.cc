#include "base/model_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/safe_file.h"
#include "sda/errors.h"

namespace sda {
namespace {

using nlohmann::json;

constexpr size_t kAlignment = 8;  // of the tensors in the file

// The checksum is part of the header, so it is computed with zeros in its place.
constexpr std::string_view kNoChecksum = "00000000";
constexpr std::string_view kChecksumKey = "\"checksum\":\"";  // no quoted text can hold this

// Where the checksum is in the text of the header; npos if there is none.
size_t ChecksumPlace(std::string_view header) {
  const size_t key = header.find(kChecksumKey);
  if (key == std::string_view::npos) return key;
  const size_t place = key + kChecksumKey.size();
  return place + kNoChecksum.size() <= header.size() ? place : std::string_view::npos;
}

}  // namespace

void WriteModelFile(const std::string& path, const std::map<std::string, std::string>& metadata,
                    const std::vector<TensorSpec>& tensors) {
  json header;
  header["__metadata__"] = metadata;
  header["__metadata__"]["checksum"] = kNoChecksum;
  uint64_t offset = 0;
  for (const TensorSpec& t : tensors) {
    uint64_t count = 1;
    for (const uint64_t n : t.shape) count *= n;
    if (!t.row && count != t.doubles.size() + t.integers.size()) {
      throw std::logic_error("tensor " + t.name + " does not have the size of its shape");
    }
    const uint64_t end = offset + count * 8;
    header[t.name] = {{"dtype", t.integers.empty() ? "F64" : "I64"},
                      {"shape", t.shape},
                      {"data_offsets", {offset, end}}};
    offset = end;
  }
  // Names come from data and may be any bytes; what is not UTF-8 is replaced.
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  while (text.size() % kAlignment != 0) text += ' ';
  const uint64_t length = text.size();

  SafeFile file(path);
  file.Write(&length, sizeof(length));
  file.Write(text);
  for (const TensorSpec& t : tensors) {
    file.Write(t.doubles.data(), t.doubles.size_bytes());
    file.Write(t.integers.data(), t.integers.size_bytes());
    for (uint64_t i = 0; t.row && i < t.shape[0]; ++i) {
      const auto row = t.row(i);
      if (row.size() != t.shape[1]) throw std::logic_error("tensor " + t.name + " has a bad row");
      file.Write(row.data(), row.size_bytes());
    }
  }
  file.WriteAt(sizeof(length) + ChecksumPlace(text), fmt::format("{:08x}", file.checksum()));
  file.Commit();
}

void WriteFile(const std::string& path, const std::vector<std::string_view>& parts) {
  SafeFile file(path);
  for (const std::string_view part : parts) file.Write(part);
  file.Commit();
}

ModelFile::ModelFile(const std::string& path) : path_(path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) Fail("cannot open: " + ErrorText());
  struct stat info;
  const bool ok = fstat(fd, &info) == 0;
  if (!ok || !S_ISREG(info.st_mode)) {
    close(fd);
    Fail("is not a file");
  }
  size_ = info.st_size;
  if (size_ > 0) mapping_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    Fail("cannot read: " + ErrorText());
  }
  try {
    ReadHeader({static_cast<const char*>(mapping_), size_});
  } catch (...) {
    if (mapping_ != nullptr) munmap(mapping_, size_);
    throw;
  }
}

ModelFile::~ModelFile() {
  if (mapping_ != nullptr) munmap(mapping_, size_);
}

void ModelFile::Fail(const std::string& what) const { throw InputError(path_ + ": " + what); }

void ModelFile::ReadHeader(std::span<const char> bytes) {
  uint64_t length = 0;
  if (bytes.size() < sizeof(length)) Fail("is not a model: too short");
  std::memcpy(&length, bytes.data(), sizeof(length));
  bytes = bytes.subspan(sizeof(length));
  if (length > bytes.size()) Fail("is not a model, or is truncated");
  const json header = json::parse(bytes.data(), bytes.data() + length, nullptr, false);
  const std::span<const char> data = bytes.subspan(length);
  if (!header.is_object()) Fail("is not a model: its header is not JSON");
  uint64_t used = 0;
  try {
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__") {
        metadata_ = entry.get<std::map<std::string, std::string>>();
        continue;
      }
      Tensor t;
      t.type = entry.at("dtype").get<std::string>();
      t.shape = entry.at("shape").get<std::vector<uint64_t>>();
      const uint64_t begin = entry.at("data_offsets").at(0).get<uint64_t>();
      const uint64_t end = entry.at("data_offsets").at(1).get<uint64_t>();
      if (begin > end || end > data.size()) Fail("is truncated: tensor " + name + " is incomplete");
      t.data = data.data() + begin;
      t.count = 1;
      for (const uint64_t n : t.shape) {
        if (n != 0 && t.count > data.size() / n) Fail("tensor " + name + " has a wrong shape");
        t.count *= n;
      }
      const bool aligned = reinterpret_cast<uintptr_t>(t.data) % kAlignment == 0;
      const bool known = t.type == "F64" || t.type == "I64";
      if (!known || !aligned || t.count * 8 != end - begin) {
        Fail("tensor " + name + " has a wrong type, place or size");
      }
      used += end - begin;
      tensors_[name] = std::move(t);
    }
  } catch (const json::exception& e) {
    Fail(std::string("is not a model: ") + e.what());
  }
  if (used != data.size()) Fail("is not a model: it has bytes that belong to no tensor");
  CheckChecksum(length);
}

void ModelFile::CheckChecksum(uint64_t header_length) const {
  const std::string_view file(static_cast<const char*>(mapping_), size_);
  const size_t place = ChecksumPlace(file.substr(0, sizeof(uint64_t) + header_length));
  if (place == std::string_view::npos) {
    Fail("has no checksum: it is damaged, or no model of this version of sda");
  }
  uint32_t checksum = Checksum(file.substr(0, place));
  checksum = Checksum(kNoChecksum, checksum);
  checksum = Checksum(file.substr(place + kNoChecksum.size()), checksum);
  if (file.substr(place, kNoChecksum.size()) != fmt::format("{:08x}", checksum)) {
    Fail("is damaged: its checksum does not match its content");
  }
}

const std::string& ModelFile::metadata(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) Fail("is not a model of sda: it has no \"" + key + "\"");
  return found->second;
}

const ModelFile::Tensor& ModelFile::Find(const std::string& name, const char* type) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) Fail("is not a model of sda: it has no tensor " + name);
  if (type != nullptr && found->second.type != type && found->second.count > 0) {
    Fail("tensor " + name + " is " + found->second.type + ", expected " + type);
  }
  return found->second;
}

std::span<const double> ModelFile::doubles(const std::string& name) const {
  const Tensor& t = Find(name, "F64");
  return {reinterpret_cast<const double*>(t.data), t.count};
}

std::span<const int64_t> ModelFile::integers(const std::string& name) const {
  const Tensor& t = Find(name, "I64");
  return {reinterpret_cast<const int64_t*>(t.data), t.count};
}

const std::vector<uint64_t>& ModelFile::shape(const std::string& name) const {
  return Find(name, nullptr).shape;
}

}  // namespace sda
