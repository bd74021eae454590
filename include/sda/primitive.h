#ifndef SDA_PRIMITIVE_H_
#define SDA_PRIMITIVE_H_

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "sda/export.h"
#include "sda/parameters.h"

namespace SDA_EXPORT sda {

// A(C, prior) -> posterior: turns a minibatch and a prior into a posterior of the same exponential
// family, both given by their natural parameters. It may be exact or an approximation.
//
// `key` is the minibatch's id: a primitive that draws random numbers derives them from it (and its
// own seed), so that each minibatch has its own, and always the same ones.
//
// Called from several threads at once, so it keeps no state that changes. Given the same arguments
// it returns the same result. It may throw; the run then ends, naming the minibatch.
template <class Data, NaturalParameters Params>
class Primitive {
 public:
  virtual ~Primitive() = default;
  virtual Params operator()(const Data& data, const Params& prior, uint64_t key) const = 0;
  // posterior - prior. To be overridden where that is what is computed, to save the copying.
  virtual Params Change(const Data& data, const Params& prior, uint64_t key) const {
    Params change = (*this)(data, prior, key);
    change -= prior;
    return change;
  }
  // The part of the parameters that this data reads or changes; prior holds only that part.
  virtual typename Params::Selection Touches(const Data&) const { return {}; }
};

// A primitive from a function or lambda: f(data, prior), or f(data, prior, key) if it draws random
// numbers.
template <class Data, NaturalParameters Params>
class FunctionPrimitive : public Primitive<Data, Params> {
 public:
  template <class Function>
  explicit FunctionPrimitive(Function function) {
    if constexpr (std::is_invocable_v<Function, const Data&, const Params&, uint64_t>) {
      function_ = std::move(function);
    } else {
      function_ = [function = std::move(function)](const Data& data, const Params& prior,
                                                   uint64_t) { return function(data, prior); };
    }
  }
  Params operator()(const Data& data, const Params& prior, uint64_t key) const override {
    return function_(data, prior, key);
  }

 private:
  std::function<Params(const Data&, const Params& prior, uint64_t key)> function_;
};

}  // namespace sda

#endif  // SDA_PRIMITIVE_H_
