#ifndef SDA_CLUSTER_KAFKA_FAULT_POINT_H_
#define SDA_CLUSTER_KAFKA_FAULT_POINT_H_

namespace sda::cluster {

// For tests of what happens when a process dies, is stopped or is slow at a certain place. The
// environment variable SDA_CLUSTER_FAULT=ACTION:POINT:N makes the process send itself a signal when
// it comes to that point for the Nth time: SIGKILL for ACTION kill, SIGSTOP for stop. With slow, it
// waits there for N milliseconds, every time. HACKING.md lists the points.
void FaultPoint(const char* point);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_KAFKA_FAULT_POINT_H_
