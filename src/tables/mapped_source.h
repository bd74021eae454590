#ifndef SDA_TABLES_MAPPED_SOURCE_H_
#define SDA_TABLES_MAPPED_SOURCE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sda/source.h"

namespace sda {

// A source of the same minibatches in another form.
template <class From, class To>
class MappedSource : public Source<To> {
 public:
  MappedSource(Source<From>* source, std::function<To(const From&)> map)
      : source_(source), map_(std::move(map)) {}
  std::optional<Minibatch<To>> Next() override {
    auto minibatch = source_->Next();
    if (!minibatch) return std::nullopt;
    return Minibatch<To>{minibatch->id, minibatch->counts, std::move(minibatch->position),
                         map_(minibatch->data)};
  }
  void Resume(const std::string& position, const std::vector<uint64_t>& cut) override {
    source_->Resume(position, cut);
  }

 private:
  Source<From>* source_;
  std::function<To(const From&)> map_;
};

}  // namespace sda

#endif  // SDA_TABLES_MAPPED_SOURCE_H_
