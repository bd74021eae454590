#ifndef SDA_PRIMITIVE_H_
#define SDA_PRIMITIVE_H_

#include <functional>
#include <utility>

#include "sda/export.h"
#include "sda/parameters.h"

namespace SDA_EXPORT sda {

// A(C, prior) -> posterior: turns a minibatch and a prior into a posterior of the same exponential
// family, both given by their natural parameters. It may be exact or an approximation.
//
// Called from several threads at once, so it keeps no state that changes. Given the same arguments
// it returns the same result. It may throw; the run then ends, naming the minibatch.
template <class Data, NaturalParameters Params>
class Primitive {
 public:
  virtual ~Primitive() = default;
  virtual Params operator()(const Data& data, const Params& prior) const = 0;
  // posterior - prior. To be overridden where that is what is computed, to save the copying.
  virtual Params Change(const Data& data, const Params& prior) const {
    Params change = (*this)(data, prior);
    change -= prior;
    return change;
  }
  // The part of the parameters that this data reads or changes; prior holds only that part.
  virtual typename Params::Selection Touches(const Data&) const { return {}; }
};

// A primitive from a function or lambda.
template <class Data, NaturalParameters Params>
class FunctionPrimitive : public Primitive<Data, Params> {
 public:
  using Function = std::function<Params(const Data&, const Params& prior)>;
  explicit FunctionPrimitive(Function function) : function_(std::move(function)) {}
  Params operator()(const Data& data, const Params& prior) const override {
    return function_(data, prior);
  }

 private:
  Function function_;
};

}  // namespace sda

#endif  // SDA_PRIMITIVE_H_
