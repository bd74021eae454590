#include "base/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/parse_json.h"
#include "base/safe_file.h"
#include "base/text.h"
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

std::string ClaimedModel(const std::string& path) {
  const FileReader file(path);
  uint64_t length = 0;
  if (file.size() < sizeof(length)) return "";
  file.Read(0, &length, sizeof(length));
  if (length > file.size() - sizeof(length)) return "";
  const json header = ParseJson(file.Read(sizeof(length), length), false);
  const auto metadata = header.is_object() ? header.find("__metadata__") : header.end();
  if (metadata == header.end() || !metadata->is_object() || !metadata->contains("format_version")) {
    return "";
  }
  const auto model = metadata->find("model");
  return model != metadata->end() && model->is_string() ? model->get<std::string>() : "";
}

ModelFile::ModelFile(const std::string& path) : file_(path) { ReadHeader(); }

void ModelFile::Fail(const std::string& what) const { throw InputError(path() + ": " + what); }

void ModelFile::ReadHeader() {
  uint64_t length = 0;
  if (file_.size() < sizeof(length)) Fail("is not a model: too short");
  file_.Read(0, &length, sizeof(length));
  if (length > file_.size() - sizeof(length)) Fail("is not a model, or is truncated");
  const std::string text = file_.Read(sizeof(length), length);
  std::vector<std::set<std::string>> names;  // in the objects that are open
  std::string repeated;
  const auto watch_names = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) names.emplace_back();
    if (event == json::parse_event_t::object_end) names.pop_back();
    if (event == json::parse_event_t::key && !names.back().insert(parsed).second) repeated = parsed;
    return true;
  };
  const json header = json::parse(text, watch_names, false);
  if (!header.is_object()) Fail("is not a model: its header is not JSON");
  if (!repeated.empty()) Fail("is not a model: its header has " + Quoted(repeated) + " twice");
  try {
    ReadTensors(header, sizeof(length) + length);
  } catch (const json::exception& e) {
    Fail(std::string("is not a model: ") + e.what());
  }
  CheckChecksum(text);
}

void ModelFile::ReadTensors(const json& header, uint64_t data_begin) {
  const uint64_t data_size = file_.size() - data_begin;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      metadata_ = entry.get<std::map<std::string, std::string>>();
      continue;
    }
    const uint64_t begin = entry.at("data_offsets").at(0).get<uint64_t>();
    const uint64_t end = entry.at("data_offsets").at(1).get<uint64_t>();
    if (begin > end || end > data_size) Fail("is truncated: tensor " + name + " is incomplete");
    Tensor t = {.type = entry.at("dtype").get<std::string>(),
                .shape = entry.at("shape").get<std::vector<uint64_t>>(),
                .begin = data_begin + begin,
                .end = data_begin + end};
    uint64_t count = 1;
    for (const uint64_t n : t.shape) {
      if (n != 0 && count > data_size / n) Fail("tensor " + name + " has a wrong shape");
      count *= n;
    }
    const bool known = t.type == "F64" || t.type == "I64";
    if (!known || t.begin % kAlignment != 0 || count * 8 != end - begin) {
      Fail("tensor " + name + " has a wrong type, place or size");
    }
    tensors_[name] = std::move(t);
  }
}

std::vector<ModelFile::Tensor*> ModelFile::InOrder(uint64_t data_begin) {
  std::vector<Tensor*> in_order;
  for (auto& [name, tensor] : tensors_) in_order.push_back(&tensor);
  std::sort(in_order.begin(), in_order.end(), [](const Tensor* a, const Tensor* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  uint64_t end = data_begin;
  for (const Tensor* t : in_order) {
    if (t->begin != end) Fail("is not a model: its tensors overlap, or have gaps between them");
    end = t->end;
  }
  if (end != file_.size()) Fail("is not a model: it has bytes that belong to no tensor");
  return in_order;
}

// The checksum of the whole file is put together from those of its header and its tensors.
void ModelFile::CheckChecksum(const std::string& header) {
  const uint64_t length = header.size();
  const std::vector<Tensor*> tensors = InOrder(sizeof(length) + length);
  const size_t place = ChecksumPlace(header);
  if (place == std::string::npos) {
    Fail("has no checksum: it is damaged, or no model of this version of sda");
  }
  std::string blank = header;
  blank.replace(place, kNoChecksum.size(), kNoChecksum);
  uint32_t checksum = Checksum({reinterpret_cast<const char*>(&length), sizeof(length)});
  checksum = Checksum(blank, checksum);
  for (Tensor* t : tensors) {
    t->checksum = file_.ChecksumOf(t->begin, t->end);
    checksum = CombinedChecksum(checksum, t->checksum, t->end - t->begin);
  }
  if (header.compare(place, kNoChecksum.size(), fmt::format("{:08x}", checksum)) != 0) {
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
  if (type != nullptr && found->second.type != type && found->second.count() > 0) {
    Fail("tensor " + name + " is " + found->second.type + ", expected " + type);
  }
  return found->second;
}

const std::vector<uint64_t>& ModelFile::shape(const std::string& name) const {
  return Find(name, nullptr).shape;
}

std::vector<double> ModelFile::doubles(const std::string& name) const {
  const Tensor& t = Find(name, "F64");
  std::vector<double> numbers(t.count());
  ReadTensor(t, numbers.data());
  return numbers;
}

std::vector<int64_t> ModelFile::integers(const std::string& name) const {
  const Tensor& t = Find(name, "I64");
  std::vector<int64_t> numbers(t.count());
  ReadTensor(t, numbers.data());
  return numbers;
}

void ModelFile::ReadTensor(const Tensor& tensor, void* numbers) const {
  const size_t size = tensor.end - tensor.begin;
  file_.Read(tensor.begin, numbers, size);
  ExpectUnchanged(tensor, Checksum({static_cast<const char*>(numbers), size}));
}

void ModelFile::ForEachRow(
    const std::string& name,
    const std::function<void(uint64_t i, std::span<const double> row)>& use) const {
  const Tensor& t = Find(name, "F64");
  if (t.shape.size() != 2) Fail("tensor " + name + " is not a matrix");
  if (t.count() == 0) return;
  const size_t width = t.shape[1];
  uint64_t i = 0;
  uint32_t checksum = 0;
  std::vector<double> row(width);
  file_.ForEachPiece(t.begin, t.end, width * 8, [&](std::string_view piece) {
    checksum = Checksum(piece, checksum);
    for (; !piece.empty(); piece.remove_prefix(width * 8)) {
      std::memcpy(row.data(), piece.data(), width * 8);
      use(i++, row);
    }
  });
  ExpectUnchanged(t, checksum);
}

void ModelFile::ExpectUnchanged(const Tensor& tensor, uint32_t checksum) const {
  if (checksum != tensor.checksum) Fail("was changed while it was read");
}

}  // namespace sda
