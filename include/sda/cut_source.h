#ifndef SDA_CUT_SOURCE_H_
#define SDA_CUT_SOURCE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sda/corpus.h"
#include "sda/documents.h"
#include "sda/export.h"
#include "sda/source.h"

namespace SDA_EXPORT sda {

// Documents that are somewhere in memory, cut into the minibatches that CorpusSource would make of
// them if they were in a file: so the result is that of `sda fit`. One minibatch at a time is made.
class CutSource : public Source<Documents> {
 public:
  // Appends the next document of the stream, with its number; or nothing, where that has no known
  // word, and adds to *skipped. Returns false at the end.
  using Read = std::function<bool(Documents* batch, uint64_t* skipped)>;

  // Of the options: minibatch and first_minibatch.
  CutSource(CorpusOptions options, Read read);

  std::optional<Minibatch<Documents>> Next() override;
  // Throws InputError: what was read cannot be read again.
  void Resume(const std::string& position, const std::vector<uint64_t>& cut) override;

 private:
  const CorpusOptions options_;
  const Read read_;
  uint64_t next_ = 0;
};

}  // namespace sda

#endif  // SDA_CUT_SOURCE_H_
