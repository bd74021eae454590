#include "cluster/log/lost_end.h"

#include "cluster/log/note.h"

namespace sda::cluster {
namespace {

constexpr char kEndHeader[] = "sda.end";

}  // namespace

std::vector<Place> Unreadable(const Job& job, const std::vector<std::string>& topics) {
  const Consumer committed(job.ConsumerProperties(""));
  const Consumer all(job.UncommittedProperties(""));
  std::vector<Place> places;
  for (const std::string& topic : topics) {
    const int partitions = all.Partitions(topic);
    for (int32_t p = 0; p < partitions; ++p) {
      // In this order: what is committed between the two questions is not taken for open.
      const int64_t end = all.EndOffset(topic, p);
      if (committed.EndOffset(topic, p) < end) places.push_back({topic, p});
    }
  }
  return places;
}

void EndAgain(const Job& job, const std::vector<Place>& places, Producer* producer) {
  // In the log: a note of another job, which its readers ignore.
  const std::string note = ToHeader(DeltaNote{.job = "none", .id = RandomId()}, 0, 1);
  producer->Begin();
  for (const Place& place : places) {
    const bool in_log = place.topic == job.deltas_topic();
    producer->Produce(place.topic, place.partition, "", "", in_log ? kNoteHeader : kEndHeader,
                      in_log ? note : "1");
  }
  producer->Flush();
  producer->Commit();
}

bool IsEndMark(const Message& message) {
  return message.value().empty() && !message.header(kEndHeader).empty();
}

}  // namespace sda::cluster
