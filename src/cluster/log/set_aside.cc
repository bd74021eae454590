#include "cluster/log/set_aside.h"

#include <fmt/format.h>

#include <utility>

namespace sda::cluster {

void SetAsides::Add(SetAside message) {
  ++count;
  if (last.size() == kNamed) last.erase(last.begin());
  last.push_back(std::move(message));
}

std::string Describe(const SetAside& message) {
  return fmt::format("topic {}, partition {}, offset {}: {}", message.topic, message.partition,
                     message.offset, message.reason);
}

}  // namespace sda::cluster
