#ifndef SDA_PYTHON_TEXTS_H_
#define SDA_PYTHON_TEXTS_H_

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "bags.h"
#include "process.h"
#include "sda/context.h"
#include "sda/texts.h"

namespace sda::python {

// The words of texts, as Python holds them. All functions expect the lock of the interpreter and
// release it while they compute; several threads take turns. Ctrl-C ends them. In a process that
// was forked off they throw, since the thread whose turn it was is not there.
class HeldTexts {
 public:
  HeldTexts(CorpusOptions options, std::vector<std::string> vocabulary)
      : texts_(std::move(options), std::move(vocabulary)) {}

  void Choose(const std::vector<std::string_view>& texts);
  // The texts as documents with the numbers 1, 2, ...
  std::unique_ptr<Bags> Count(const std::vector<std::string_view>& texts);
  const std::vector<std::string>& vocabulary() const { return texts_.vocabulary(); }

 private:
  const OfOneProcess process_;
  std::mutex mutex_;
  Texts texts_;
};

}  // namespace sda::python

#endif  // SDA_PYTHON_TEXTS_H_
