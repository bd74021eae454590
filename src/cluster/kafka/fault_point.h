#ifndef SDA_CLUSTER_KAFKA_FAULT_POINT_H_
#define SDA_CLUSTER_KAFKA_FAULT_POINT_H_

namespace sda::cluster {

// A place where tests let a process die, stop or be slow. In sda and in every program of a user it
// does nothing: the library has fault_point_off.cc. The test program sda_with_faults, made of the
// same objects, has fault_point.cc instead: there the environment variable
// SDA_CLUSTER_FAULT=ACTION:POINT:N makes the process send itself a signal when it comes to that
// point for the Nth time, SIGKILL for ACTION kill, SIGSTOP for stop; with slow, it waits there for
// N milliseconds, every time. SDA_CLUSTER_FAULT_PID=PID has the signal sent to another process.
// HACKING.md lists the points.
void FaultPoint(const char* point);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_KAFKA_FAULT_POINT_H_
