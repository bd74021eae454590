#ifndef SDA_BASE_SEEDED_HASH_H_
#define SDA_BASE_SEEDED_HASH_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sda {

// A hash of text and numbers for tables in memory. Its key is drawn at random by each process, so
// that nobody can prepare words or keys that all fall into the same slot. It differs from run to
// run: it must not be stored, and no order and no result may depend on it.
class SeededHash {
 public:
  using Key = std::array<uint64_t, 3>;

  SeededHash() : key_(KeyOfProcess()) {}
  explicit SeededHash(const Key& key) : key_(key) {}

  // As wyhash does it: products of 128 bits of the text and the key, folded.
  uint64_t operator()(std::string_view text) const {
    const char* p = text.data();
    size_t left = text.size();
    uint64_t hash = key_[0] ^ left;
    for (; left > 16; p += 16, left -= 16) {
      hash = Fold(Load<uint64_t>(p) ^ key_[1], Load<uint64_t>(p + 8) ^ hash);
    }
    // The rest in two parts, which overlap unless it is as long as both.
    uint64_t a = 0, b = 0;
    if (left >= 8) {
      a = Load<uint64_t>(p);
      b = Load<uint64_t>(p + left - 8);
    } else if (left >= 4) {
      a = Load<uint32_t>(p);
      b = Load<uint32_t>(p + left - 4);
    } else if (left > 0) {
      a = static_cast<unsigned char>(p[0]);
      b = static_cast<unsigned char>(p[left / 2]) * 256u + static_cast<unsigned char>(p[left - 1]);
    }
    return Fold(Fold(a ^ key_[1], b ^ hash) ^ key_[2], 0x9e3779b97f4a7c15);
  }
  uint64_t operator()(uint64_t number) const {
    return Fold(Fold(number ^ key_[1], key_[0]) ^ key_[2], 0x9e3779b97f4a7c15);
  }

 private:
  template <class Number>
  static uint64_t Load(const char* p) {
    Number number;
    std::memcpy(&number, p, sizeof(number));
    return number;
  }
  static uint64_t Fold(uint64_t a, uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
  static const Key& KeyOfProcess();

  Key key_;
};

}  // namespace sda

#endif  // SDA_BASE_SEEDED_HASH_H_
