#include "run.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sda/dense.h"
#include "sda/errors.h"
#include "sda/loop.h"
#include "sda/program.h"
#include "waiting.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sda::python {
namespace {

// A minibatch of Python. Copies are made, and the last one destroyed, by threads that do not have
// the lock of the interpreter.
class Held {
 public:
  Held() = default;
  explicit Held(nb::object object)
      : object_(new nb::object(std::move(object)), [](nb::object* held) {
          nb::gil_scoped_acquire lock;
          delete held;
        }) {}
  const nb::object& get() const { return *object_; }

 private:
  std::shared_ptr<nb::object> object_;
};

// The first exception of Python, to be raised again when the run has ended.
class FirstError {
 public:
  // While it is being handled, with the lock of the interpreter.
  void Keep() {
    std::lock_guard lock(mutex_);
    if (!first_) first_ = std::current_exception();
  }
  void Rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

// Calls f with the lock of the interpreter. What Python raises, or gives that is refused, is kept,
// and told as text.
template <class F>
auto WithPython(FirstError* error, const F& f) {
  nb::gil_scoped_acquire lock;
  std::string message;
  try {
    return f();
  } catch (nb::python_error& raised) {
    message = raised.what();
    error->Keep();
  } catch (const InputError& refused) {  // what the primitive returned
    message = refused.what();
    error->Keep();
  }
  throw std::runtime_error(message);
}

// Rows of a minibatch: its length, or that of the first array of a tuple.
size_t ItemsOf(nb::handle data) {
  if (nb::isinstance<nb::tuple>(data) && nb::len(data) > 0) data = nb::borrow<nb::tuple>(data)[0];
  return nb::hasattr(data, "__len__") ? nb::len(data) : 1;
}

// Minibatches of an iterator: open(n) is one that begins with minibatch n. Their positions are
// their numbers.
class IteratorSource : public Source<Held> {
 public:
  IteratorSource(nb::object open, FirstError* error) : open_(std::move(open)), error_(error) {}

  std::optional<Minibatch<Held>> Next() override {
    return WithPython(error_, [&]() -> std::optional<Minibatch<Held>> {
      if (!iterator_.is_valid()) iterator_ = open_(next_);
      nb::object data = nb::steal(PyIter_Next(iterator_.ptr()));
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      if (!data.is_valid()) return std::nullopt;
      Minibatch<Held> minibatch;
      minibatch.id = next_++;
      minibatch.position = std::to_string(next_);
      minibatch.counts.items = ItemsOf(data);
      minibatch.data = Held(std::move(data));
      return minibatch;
    });
  }
  void Resume(const std::string& position, const std::vector<uint64_t>&) override {
    next_ = position.empty() ? 0 : std::stoull(position);
  }

 private:
  // Destroyed with the lock of the interpreter, as is this object.
  const nb::object open_;
  nb::object iterator_;
  FirstError* const error_;
  uint64_t next_ = 0;
};

// Calls primitive(data, prior, key) with an array that is its own, of the shape of the prior.
class PythonPrimitive : public Primitive<Held, Dense> {
 public:
  PythonPrimitive(nb::object call, FirstError* error) : call_(std::move(call)), error_(error) {}

  Dense operator()(const Held& data, const Dense& prior, uint64_t key) const override {
    return WithPython(error_, [&] {
      const nb::bytes bytes(reinterpret_cast<const char*>(prior.data()),
                            prior.size() * sizeof(double));
      return Numbers(nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(
                         call_(data.get(), bytes, key)),
                     prior.size());
    });
  }

 private:
  static Dense Numbers(const nb::ndarray<const double, nb::c_contig, nb::device::cpu>& array,
                       size_t size) {
    if (array.size() != size) {
      throw InputError("primitive returned " + std::to_string(array.size()) +
                       " numbers, must return " + std::to_string(size) + ", as many as the prior");
    }
    for (size_t i = 0; i < size; ++i) {
      if (std::isfinite(array.data()[i])) continue;
      throw InputError("primitive returned a number that is not finite, at " + std::to_string(i));
    }
    return Dense(std::vector<double>(array.data(), array.data() + size));
  }

  const nb::object call_;
  FirstError* const error_;
};

nb::dict DictOf(const Summary& summary) {
  nb::dict out;
  out["minibatches"] = summary.minibatches;
  out["items"] = summary.counts.items;
  out["seconds"] = summary.seconds;
  out["computing_seconds"] = summary.computing_seconds;
  out["staleness_mean"] = summary.staleness_mean();
  out["staleness_max"] = summary.staleness_max;
  out["stopped"] = summary.stopped;
  return out;
}

template <class Value>
Value Named(const std::map<std::string, Value>& names, const std::string& name, const char* what) {
  const auto found = names.find(name);
  if (found != names.end()) return found->second;
  std::string list;
  for (const auto& [other, value] : names) list += (list.empty() ? "" : ", ") + other;
  throw UsageError(std::string(what) + " is " + name + ", must be one of " + list);
}

// Run(), with checkpoints if the options name a folder.
Summary RunWithCheckpoints(IteratorSource& source, const PythonPrimitive& primitive,
                           MemoryStore<Dense>& store, const ProgramOptions& options,
                           const Observer& observer) {
  TrackedSource<Held> tracked(&source);
  ProgramCheckpoints checkpoints(options, "items");
  if (const Checkpoint* last = checkpoints.last()) {
    store.Restore(last->Posterior<Dense>());
    tracked.Resume(last->progress);
  }
  checkpoints.Begin([&] { return CopyPosterior(store); },
                    [&](const IdSet& folded) { return tracked.At(folded); });
  const Observer observe = [&](const Summary& summary) {
    if (observer) observer(checkpoints.Whole(summary));
    checkpoints.Observe(summary);
  };
  Source<Held>& stream = checkpoints.on() ? static_cast<Source<Held>&>(tracked) : source;
  const Summary summary =
      checkpoints.Whole(Run(stream, primitive, store, options.run, observe, options.context));
  checkpoints.Finish(summary);
  return summary;
}

// The posterior, as bytes, and the summary. `open`: see IteratorSource. `observer`: None or a
// function of a summary. stopped(): called at Ctrl-C, for a stream that waits. `values`: what must
// be the same when the run is resumed.
nb::tuple RunPython(nb::object call, nb::bytes prior, nb::object open, nb::object stopped,
                    const std::string& schedule, int workers, const std::string& worker_prior,
                    double half_life, nb::object observer, const std::string& checkpoint,
                    const std::string& checkpoint_every, bool resume,
                    std::map<std::string, std::string> values) {
  const auto* const numbers = reinterpret_cast<const double*>(prior.c_str());
  MemoryStore<Dense> store(Dense(std::vector<double>(numbers, numbers + prior.size() / 8)));
  ProgramOptions options;
  options.run.schedule = Named(ScheduleNames(), schedule, "schedule");
  options.run.worker_prior = Named(WorkerPriorNames(), worker_prior, "worker_prior");
  options.run.workers = workers;
  if (half_life != 0) options.run.discount = HalfLife(half_life);
  options.run.Validate();
  options.checkpoint = checkpoint;
  options.checkpoint_every = checkpoint_every;
  options.resume = resume;
  options.values = std::move(values);
  options.context = Context(1);

  FirstError error;
  IteratorSource source(std::move(open), &error);
  const PythonPrimitive primitive(std::move(call), &error);
  Observer observe;
  if (!observer.is_none()) {
    observe = [&](const Summary& summary) {
      WithPython(&error, [&] { observer(DictOf(summary)); });
    };
  }
  Summary summary;
  try {
    WaitFor([&] { summary = RunWithCheckpoints(source, primitive, store, options, observe); },
            [&] {
              options.context.RequestStop();
              stopped();
            });
  } catch (const RunError&) {
    error.Rethrow();
    throw;
  }
  const std::vector<double> posterior = store.Read().params.values();
  return nb::make_tuple(
      nb::bytes(reinterpret_cast<const char*>(posterior.data()), posterior.size() * sizeof(double)),
      DictOf(summary));
}

}  // namespace

void BindRun(nb::module_* module) {
  module->def("run", &RunPython, "call"_a, "prior"_a, "open"_a, "stopped"_a, "schedule"_a,
              "workers"_a, "worker_prior"_a, "half_life"_a, "observer"_a.none(), "checkpoint"_a,
              "checkpoint_every"_a, "resume"_a, "values"_a);
}

}  // namespace sda::python
