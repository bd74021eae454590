#ifndef SDA_CLUSTER_WORKER_TIMED_PRIMITIVE_H_
#define SDA_CLUSTER_WORKER_TIMED_PRIMITIVE_H_

#include <atomic>
#include <chrono>

#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/primitive.h"

namespace sda::cluster {

// Another primitive, and how long it takes.
class TimedPrimitive : public Primitive<Documents, KeyedRows> {
 public:
  // Both must outlive this; *seconds grows.
  TimedPrimitive(const Primitive<Documents, KeyedRows>* primitive, std::atomic<double>* seconds)
      : primitive_(*primitive), seconds_(*seconds) {}

  KeyedRows operator()(const Documents& documents, const KeyedRows& prior) const override {
    return Timed([&] { return primitive_(documents, prior); });
  }
  KeyedRows Change(const Documents& documents, const KeyedRows& prior) const override {
    return Timed([&] { return primitive_.Change(documents, prior); });
  }
  KeyedRows::Selection Touches(const Documents& documents) const override {
    return primitive_.Touches(documents);
  }

 private:
  template <class Compute>
  KeyedRows Timed(const Compute& compute) const {
    const auto start = std::chrono::steady_clock::now();
    KeyedRows result = compute();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    seconds_.fetch_add(elapsed.count());
    return result;
  }

  const Primitive<Documents, KeyedRows>& primitive_;
  std::atomic<double>& seconds_;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_TIMED_PRIMITIVE_H_
