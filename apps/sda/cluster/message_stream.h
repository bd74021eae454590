#ifndef SDA_APPS_CLUSTER_MESSAGE_STREAM_H_
#define SDA_APPS_CLUSTER_MESSAGE_STREAM_H_

#include <chrono>
#include <memory>
#include <string>

#include "cluster/job_settings.h"
#include "sda/context.h"

namespace sda {

// The documents of an input, one by one, each as the message of a job that it becomes.
class MessageStream {
 public:
  virtual ~MessageStream() = default;

  // False at the end.
  virtual bool Next(std::string* message) = 0;
  // Waits until Next() need not wait, at most until then. False if it would still wait.
  virtual bool WaitForMessage(std::chrono::steady_clock::time_point) { return true; }

  // The place of the document last read, for people.
  virtual std::string Where() const = 0;
  // How much of the input was read, from 0 to 1; 0 if that is not known.
  virtual double Share() const = 0;

  // A stop of the context ends the input. Throws InputError, or UsageError if the format is not one
  // for the job.
  static std::unique_ptr<MessageStream> Open(const std::string& input, const std::string& format,
                                             const cluster::JobSettings& settings,
                                             const Context& context);
};

}  // namespace sda

#endif  // SDA_APPS_CLUSTER_MESSAGE_STREAM_H_
