#ifndef SDA_TOPICS_SESSION_SOURCES_H_
#define SDA_TOPICS_SESSION_SOURCES_H_

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/internal/run_record.h"
#include "sda/source.h"

namespace sda {

// What a session reads from.

// One minibatch.
class OneSource : public Source<Documents> {
 public:
  OneSource(uint64_t id, Documents documents) : id_(id), documents_(std::move(documents)) {}
  std::optional<Minibatch<Documents>> Next() override {
    if (std::exchange(done_, true)) return std::nullopt;
    const Counts counts = CountsOf(documents_);
    return Minibatch<Documents>{id_, counts, "", std::move(documents_)};
  }
  void Resume(const std::string&, const std::vector<uint64_t>&) override {
    throw std::logic_error("one minibatch has no position");
  }

 private:
  const uint64_t id_;
  Documents documents_;
  bool done_ = false;
};

// Another source whose ids may start at 0, though the session has had minibatches.
class ContinuedSource : public Source<Documents> {
 public:
  ContinuedSource(Source<Documents>* source, uint64_t next) : source_(*source), next_(next) {}
  std::optional<Minibatch<Documents>> Next() override {
    auto minibatch = source_.Next();
    if (!minibatch) return minibatch;
    if (!add_) add_ = minibatch->id < next_ ? next_ - minibatch->id : 0;
    minibatch->id += *add_;
    return minibatch;
  }
  void Resume(const std::string& position, const std::vector<uint64_t>& cut) override {
    source_.Resume(position, cut);
  }

 private:
  Source<Documents>& source_;
  const uint64_t next_;
  std::optional<uint64_t> add_;  // to each id
};

// Another source whose first minibatch was taken from it already.
class PutBackSource : public Source<Documents> {
 public:
  PutBackSource(Minibatch<Documents> first, Source<Documents>* source)
      : first_(std::move(first)), source_(*source) {}
  std::optional<Minibatch<Documents>> Next() override {
    return first_ ? std::exchange(first_, std::nullopt) : source_.Next();
  }
  void Resume(const std::string& position, const std::vector<uint64_t>& cut) override {
    first_.reset();
    source_.Resume(position, cut);
  }

 private:
  std::optional<Minibatch<Documents>> first_;
  Source<Documents>& source_;
};

// The first minibatch, if there is one and no stop was requested. Throws as the loop would.
inline std::optional<Minibatch<Documents>> FirstOf(Source<Documents>& source,
                                                   const Context& context) {
  if (context.StopRequested()) return std::nullopt;
  try {
    return source.Next();
  } catch (const std::exception& e) {
    throw RunError(std::string(e.what()) + " (reading minibatch 0)", 0, {});
  }
}

}  // namespace sda

#endif  // SDA_TOPICS_SESSION_SOURCES_H_
