#include "topics/primitives.h"

#include <algorithm>

#include "sda/errors.h"

namespace sda {

const std::vector<TopicPrimitiveKind>& TopicPrimitiveKinds() {
  static const std::vector<TopicPrimitiveKind> kinds = {
      GibbsPrimitive(),
      VbPrimitive(),
      EpPrimitive(),
  };
  return kinds;
}

const std::vector<std::string>& TopicPrimitives() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const TopicPrimitiveKind& kind : TopicPrimitiveKinds()) all.emplace_back(kind.name);
    return all;
  }();
  return names;
}

const TopicPrimitiveKind& FindTopicPrimitive(const std::string& name) {
  std::string known;
  for (const TopicPrimitiveKind& kind : TopicPrimitiveKinds()) {
    if (name == kind.name) return kind;
    known += (known.empty() ? "" : ", ") + std::string(kind.name);
  }
  throw UsageError("--primitive is " + name + ", must be one of " + known);
}

int64_t Fewer(int64_t documents, int topics) { return documents * 100 / std::max(topics, 100); }

}  // namespace sda
