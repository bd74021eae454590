#ifndef SDA_TOPICS_EVENT_FILE_H_
#define SDA_TOPICS_EVENT_FILE_H_

#include <string>
#include <unordered_set>

#include "sda/context.h"
#include "sda/topic_events.h"

namespace sda {

// A file that events are appended to, a line each. A run that resumes sees the events since its
// last checkpoint again: those whose lines the file has already are not written twice. A line that
// was cut off by the end of the program is taken out.
//
// Events are there to be noticed, not to stop the stream: if one cannot be written this is logged,
// once until one could be written again.
class EventFile {
 public:
  // Throws IoError if the file cannot be opened.
  EventFile(std::string path, bool resume, Context context);
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  void Write(const TopicEvent& event);

 private:
  void ReadLines();

  const std::string path_;
  const Context context_;
  int fd_ = -1;
  std::unordered_set<std::string> had_;
  bool failed_ = false;
};

}  // namespace sda

#endif  // SDA_TOPICS_EVENT_FILE_H_
