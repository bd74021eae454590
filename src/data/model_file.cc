#include "data/model_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

namespace sda {
namespace {

using nlohmann::json;

constexpr size_t kAlignment = 8;  // of the tensors in the file

std::string ErrorText() { return std::generic_category().message(errno); }

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A file under a temporary name that is removed again unless it is committed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path)
      : path_(std::filesystem::is_symlink(path) ? std::filesystem::weakly_canonical(path).string()
                                                : path),
        temporary_(path_ + ".tmp." + std::to_string(getpid())) {
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ < 0) Fail("cannot write");
  }
  ~TemporaryFile() {
    if (fd_ >= 0) close(fd_);
    if (!committed_) unlink(temporary_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void Write(const void* data, size_t size) {
    if (buffer_.size() + size > kBufferBytes) Flush();
    if (size > kBufferBytes) return WriteNow(static_cast<const char*>(data), size);
    buffer_.append(static_cast<const char*>(data), size);
  }

  void Commit() {
    Flush();
    if (fsync(fd_) != 0) Fail("cannot write");
    if (close(std::exchange(fd_, -1)) != 0) Fail("cannot write");
    if (rename(temporary_.c_str(), path_.c_str()) != 0) Fail("cannot write");
    committed_ = true;
    const int directory = open(DirectoryOf(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
      fsync(directory);  // some file systems cannot; the rename is still whole
      close(directory);
    }
  }

 private:
  static constexpr size_t kBufferBytes = size_t{1} << 20;

  void Flush() {
    WriteNow(buffer_.data(), buffer_.size());
    buffer_.clear();
  }

  void WriteNow(const char* at, size_t size) {
    while (size > 0) {
      const ssize_t n = write(fd_, at, size);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) Fail("cannot write");
      at += n;
      size -= n;
    }
  }

  [[noreturn]] void Fail(const char* what) const {
    throw std::runtime_error(path_ + ": " + what + ": " + ErrorText());
  }
  std::string path_;
  std::string temporary_;
  int fd_ = -1;
  bool committed_ = false;
  std::string buffer_;
};

}  // namespace

void WriteModelFile(const std::string& path, const std::map<std::string, std::string>& metadata,
                    const std::vector<TensorSpec>& tensors) {
  json header;
  header["__metadata__"] = metadata;
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

  TemporaryFile file(path);
  file.Write(&length, sizeof(length));
  file.Write(text.data(), text.size());
  for (const TensorSpec& t : tensors) {
    file.Write(t.doubles.data(), t.doubles.size_bytes());
    file.Write(t.integers.data(), t.integers.size_bytes());
    for (uint64_t i = 0; t.row && i < t.shape[0]; ++i) {
      const auto row = t.row(i);
      if (row.size() != t.shape[1]) throw std::logic_error("tensor " + t.name + " has a bad row");
      file.Write(row.data(), row.size_bytes());
    }
  }
  file.Commit();
}

void WriteFile(const std::string& path, const std::vector<std::string_view>& parts) {
  TemporaryFile file(path);
  for (const std::string_view part : parts) file.Write(part.data(), part.size());
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

void ModelFile::Fail(const std::string& what) const {
  throw std::runtime_error(path_ + ": " + what);
}

void ModelFile::ReadHeader(std::span<const char> bytes) {
  uint64_t length = 0;
  if (bytes.size() < sizeof(length)) Fail("is not a model: too short");
  std::memcpy(&length, bytes.data(), sizeof(length));
  bytes = bytes.subspan(sizeof(length));
  if (length > bytes.size()) Fail("is not a model, or is cut off");
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
      if (begin > end || end > data.size()) Fail("is cut off: tensor " + name + " is not whole");
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
