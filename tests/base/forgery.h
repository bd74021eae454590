#ifndef SDA_TESTS_BASE_FORGERY_H_
#define SDA_TESTS_BASE_FORGERY_H_

#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "base/safe_file.h"

namespace sda {

// Files as someone makes them who knows how to make the checksum right.

inline constexpr double kAbsurd[] = {std::numeric_limits<double>::quiet_NaN(),
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(),
                                     1e308,
                                     -1e308,
                                     1e-300,
                                     0.0,
                                     -1.0};

// use(what, bytes) with each number of 8 bytes replaced in turn, by each of these.
inline void ForEachForgery(
    const std::string& bytes,
    const std::function<void(const std::string& what, const std::string& bytes)>& use) {
  for (size_t place = 0; place + sizeof(double) <= bytes.size(); place += sizeof(double)) {
    for (const double number : kAbsurd) {
      std::string forged = bytes;
      std::memcpy(forged.data() + place, &number, sizeof(number));
      use(fmt::format("number {} is {}", place / sizeof(double), number), forged);
    }
  }
}

inline std::string BytesOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A model file in its parts; the tensors' bytes follow each other.
struct ForgedModel {
  nlohmann::json header;
  std::string tensors;

  explicit ForgedModel(const std::string& path) {
    const std::string bytes = BytesOf(path);
    uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof(length));
    header = nlohmann::json::parse(bytes.substr(sizeof(length), length));
    tensors = bytes.substr(sizeof(length) + length);
  }

  nlohmann::json& metadata(const char* key) { return header["__metadata__"][key]; }

  // The bytes of a tensor, to be changed in place.
  std::string TensorBytes(const char* name) const {
    const auto& place = header.at(name).at("data_offsets");
    return tensors.substr(place[0], place[1].get<size_t>() - place[0].get<size_t>());
  }
  void SetTensor(const char* name, const std::string& bytes) {
    tensors.replace(header.at(name).at("data_offsets")[0], bytes.size(), bytes);
  }

  void Write(const std::string& path) const {
    nlohmann::json with_checksum = header;
    with_checksum["__metadata__"]["checksum"] = "00000000";
    WriteText(path, with_checksum.dump());
  }
  // With this text as the header, which holds "checksum":"00000000".
  void WriteText(const std::string& path, std::string text) const {
    while (text.size() % 8 != 0) text += ' ';
    const uint64_t length = text.size();
    std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
    bytes += text + tensors;
    const std::string key = "\"checksum\":\"";
    bytes.replace(bytes.find(key) + key.size(), 8, fmt::format("{:08x}", Checksum(bytes)));
    WriteBytes(path, bytes);
  }
};

// The bytes of a checkpoint that was changed, with the checksum that they should have.
inline std::string WithChecksum(std::string checkpoint) {
  uint32_t checksum = 0;
  const size_t end = checkpoint.size() - sizeof(checksum);
  checksum = Checksum(std::string_view(checkpoint).substr(0, end));
  std::memcpy(checkpoint.data() + end, &checksum, sizeof(checksum));
  return checkpoint;
}

// The same with another posterior, of the same size, in its place.
inline std::string ForgedCheckpoint(std::string checkpoint, const std::string& posterior) {
  const size_t end = checkpoint.size() - sizeof(uint32_t);
  checkpoint.replace(end - posterior.size(), posterior.size(), posterior);
  return WithChecksum(checkpoint);
}

}  // namespace sda

#endif  // SDA_TESTS_BASE_FORGERY_H_
