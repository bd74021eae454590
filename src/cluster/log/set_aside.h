#ifndef SDA_CLUSTER_LOG_SET_ASIDE_H_
#define SDA_CLUSTER_LOG_SET_ASIDE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sda::cluster {

// A message of a job's topics that is not what a worker writes: it is skipped, counted and named.
struct SetAside {
  std::string topic;
  int32_t partition = 0;
  int64_t offset = 0;
  // Of a message of the log: "the delta ..." or "the snapshot ...", in words of this program alone,
  // never of the message, and at most kMostReasonBytes.
  std::string reason;

  bool operator==(const SetAside&) const = default;
};

inline constexpr size_t kMostReasonBytes = 200;

// Told of each once by a LogView (its constructor's last argument), on the thread that polls it; it
// must not wait for long.
using OnSetAside = std::function<void(const SetAside&)>;

// How many, and the last of them.
struct SetAsides {
  static constexpr size_t kNamed = 8;

  uint64_t count = 0;
  std::vector<SetAside> last;  // at most kNamed

  void Add(SetAside message);
  bool operator==(const SetAsides&) const = default;
};

// "topic sda.x.deltas, partition 0, offset 17: ..."
std::string Describe(const SetAside& message);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_LOG_SET_ASIDE_H_
