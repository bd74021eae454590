#ifndef SDA_LDA_MODEL_H_
#define SDA_LDA_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/lda.h"

namespace SDA_EXPORT sda {

// A fitted topic model, as it is saved: one .safetensors file with the tensors lambda (V x K, a row
// for each word), alpha and eta (K each), the rest in its metadata.
struct LdaModel {
  LdaOptions options;                   // of them topics, vocabulary, alpha, eta and seed are saved
  std::vector<std::string> vocabulary;  // by word id
  KeyedRows posterior;
  uint64_t documents = 0;  // folded
  uint64_t tokens = 0;
  std::string algorithm;  // as on the command line
};

// Throws std::runtime_error naming the file; an old file at path stays as it was.
void SaveLdaModel(const LdaModel& model, const std::string& path);

// Throws std::runtime_error naming the file and what is wrong with it.
LdaModel LoadLdaModel(const std::string& path);

}  // namespace sda

#endif  // SDA_LDA_MODEL_H_
