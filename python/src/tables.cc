#include "tables.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "process.h"
#include "sda/table_stream.h"
#include "waiting.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sda::python {
namespace {

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Names = std::vector<std::vector<std::string>>;  // of each column's categories

Table TableOf(const Rows& rows) {
  return {rows.shape(1), {rows.data(), rows.data() + rows.size()}};
}

std::vector<Dictionary> Dictionaries(const Names& names) {
  std::vector<Dictionary> all;
  for (const auto& of_column : names) {
    Dictionary& dictionary = all.emplace_back();
    for (const std::string& name : of_column) dictionary.NumberOf(name);
  }
  return all;
}

// A table stream as Python holds it; see Model.
class HeldTable {
 public:
  HeldTable(TableStream stream, Context context)
      : context_(std::move(context)), stream_(new TableStream(std::move(stream))) {}
  ~HeldTable() {
    if (process_.Here()) delete stream_;
  }
  HeldTable(const HeldTable&) = delete;
  HeldTable& operator=(const HeldTable&) = delete;

  const Context& context() const { return context_; }

  // Calls f(stream) on another thread, one at a time. At Ctrl-C the context is interrupted.
  template <class F>
  auto With(const F& f) {
    process_.ExpectHere();
    return WaitFor(
        [&] {
          std::lock_guard lock(mutex_);
          context_.ClearInterrupt();
          return f(*stream_);
        },
        [this] { context_.Interrupt(); });
  }

 private:
  const OfOneProcess process_;
  const Context context_;
  std::mutex mutex_;
  TableStream* const stream_;
};

using EstimateTuple = std::tuple<std::string, double, double, double, double, bool>;

std::vector<EstimateTuple> Describe(HeldTable& held) {
  std::vector<EstimateTuple> out;
  for (const Estimate& e : held.With([](TableStream& s) { return s.Describe(); })) {
    out.emplace_back(e.name, e.mean, e.sd, e.lower, e.upper, e.approximate);
  }
  return out;
}

std::pair<std::vector<std::string>, std::vector<std::vector<double>>> Predict(HeldTable& held,
                                                                              const Rows& rows) {
  TableStream::Predicted all;
  held.With([&](TableStream& s) {
    constexpr size_t kRowsAtOnce = 4096;  // between two looks at Ctrl-C
    for (size_t first = 0; first < rows.shape(0); first += kRowsAtOnce) {
      held.context().ThrowIfInterrupted();
      const size_t last = std::min<size_t>(rows.shape(0), first + kRowsAtOnce);
      const double* const begin = rows.data() + first * rows.shape(1);
      auto part = s.Predict({rows.shape(1), {begin, begin + (last - first) * rows.shape(1)}});
      all.names = std::move(part.names);
      for (auto& row : part.rows) all.rows.push_back(std::move(row));
    }
  });
  return {std::move(all.names), std::move(all.rows)};
}

}  // namespace

void BindTables(nb::module_* module) {
  nb::class_<HeldTable>(*module, "TableModel")
      .def(
          "__init__",
          [](HeldTable* held, const std::string& options, std::vector<std::string> columns,
             int threads) {
            const Context context(threads);
            new (held) HeldTable(
                TableStream(TableFitOptions::FromJson(options), std::move(columns), context),
                context);
          },
          "options"_a, "columns"_a, "threads"_a)
      .def_static(
          "load",
          [](const std::string& path, int threads, const std::string& run) {
            const Context context(threads);
            const TableFitOptions options =
                run.empty() ? TableFitOptions() : TableFitOptions::FromJson(run);
            return std::make_unique<HeldTable>(TableStream::Load(path, context, options), context);
          },
          "path"_a, "threads"_a, "run"_a)
      .def(
          "update",
          [](HeldTable& held, const Rows& rows, const Names& names) {
            held.With([&, table = TableOf(rows)](TableStream& s) {
              s.Update(table, Dictionaries(names));
            });
          },
          "rows"_a, "names"_a)
      .def(
          "fit",
          [](HeldTable& held, const Rows& rows, const Names& names) {
            held.With(
                [&, table = TableOf(rows)](TableStream& s) { s.Fit(table, Dictionaries(names)); });
          },
          "rows"_a, "names"_a)
      .def("describe", &Describe)
      .def("notes",
           [](HeldTable& held) { return held.With([](TableStream& s) { return s.Notes(); }); })
      .def("options",
           [](HeldTable& held) {
             return held.With([](TableStream& s) { return s.options().ToJson(); });
           })
      .def("categories",
           [](HeldTable& held) { return held.With([](TableStream& s) { return s.categories(); }); })
      .def("positive_class",
           [](HeldTable& held) {
             return held.With([](TableStream& s) { return s.positive_class(); });
           })
      .def("columns",
           [](HeldTable& held) { return held.With([](TableStream& s) { return s.columns(); }); })
      .def("rows",
           [](HeldTable& held) { return held.With([](TableStream& s) { return s.rows(); }); })
      .def("predict", &Predict, "rows"_a)
      .def(
          "save",
          [](HeldTable& held, const std::string& path) {
            held.With([&](TableStream& s) { s.Save(path); });
          },
          "path"_a);
}

}  // namespace sda::python
