// The door from Python to the library: what is called from python/sdabayes. It translates, and
// decides nothing.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bags.h"
#include "model.h"
#include "report.h"
#include "run.h"
#include "sda/errors.h"
#include "sda/lda_topics.h"
#include "sda/topic_options.h"
#include "tables.h"
#include "texts.h"
#include "waiting.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sda::python {
namespace {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

// Bags, and the arrays in which they are.
struct HeldBags {
  std::vector<AnyArray> arrays;
  std::unique_ptr<Bags> bags;
};

Array ArrayOf(const AnyArray& array) {
  const nb::dlpack::dtype type = array.dtype();
  char kind = '?';
  if (type.code == static_cast<uint8_t>(nb::dlpack::dtype_code::Int)) kind = 'i';
  if (type.code == static_cast<uint8_t>(nb::dlpack::dtype_code::UInt)) kind = 'u';
  if (type.code == static_cast<uint8_t>(nb::dlpack::dtype_code::Float)) kind = 'f';
  if (type.code == static_cast<uint8_t>(nb::dlpack::dtype_code::Bool)) kind = 'b';
  return {array.data(), kind, static_cast<size_t>(type.bits / 8)};
}

HeldBags FromCsr(AnyArray data, AnyArray indices, AnyArray indptr, size_t rows, size_t columns) {
  if (indptr.size() != rows + 1 || data.size() != indices.size()) {
    throw InputError("X has arrays that do not go together");
  }
  auto bags =
      NewCsrBags(ArrayOf(data), ArrayOf(indices), ArrayOf(indptr), data.size(), rows, columns);
  return {{std::move(data), std::move(indices), std::move(indptr)}, std::move(bags)};
}

HeldBags FromDense(AnyArray data) {
  auto bags =
      NewDenseBags(ArrayOf(data), data.shape(0), data.shape(1), data.stride(0), data.stride(1));
  return {{std::move(data)}, std::move(bags)};
}

std::string Check(const HeldBags& held) {
  const Unlocked unlocked;
  return held.bags->Check();
}

// An array with these numbers, which it owns.
template <class T>
nb::ndarray<nb::numpy, T> Owned(std::vector<T> numbers, std::vector<size_t> shape) {
  auto* const owner = new std::vector<T>(std::move(numbers));
  const nb::capsule capsule(owner,
                            [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owner->data(), shape.size(), shape.data(), capsule);
}

// Views of texts that Python holds; throws UnicodeEncodeError, a ValueError.
std::vector<std::string_view> Views(const nb::list& texts) {
  std::vector<std::string_view> views;
  views.reserve(texts.size());
  for (const nb::handle text : texts) {
    Py_ssize_t size = 0;
    const char* const utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (utf8 == nullptr) throw nb::python_error();
    views.emplace_back(utf8, size);
  }
  return views;
}

using WordTuple = std::tuple<std::string, double, double, double, bool>;
using TopicTuple = std::tuple<size_t, double, std::vector<WordTuple>>;

std::vector<TopicTuple> TopTopics(const Model& model, size_t words) {
  const auto session = model.session();
  std::vector<TopicSummary> topics;
  bool approximate = false;
  {
    const Unlocked unlocked;
    const TopicModel now = session->Snapshot();
    topics = SummarizeTopics(now.posterior, session->spec(), words);
    approximate = now.ApproximateIntervals();
  }
  std::vector<TopicTuple> out;
  for (const TopicSummary& topic : topics) {
    std::vector<WordTuple> top;
    for (const TopicWord& word : topic.top_words) {
      const Estimate& p = word.probability;
      top.emplace_back(session->vocabulary()[word.word], p.mean, p.lower, p.upper,
                       approximate || p.approximate);
    }
    out.emplace_back(topic.topic, topic.share, std::move(top));
  }
  return out;
}

// Beta(a, b) of all words in a topic, one after the other.
std::vector<double> WordBetas(const Model& model, size_t topic) {
  const Unlocked unlocked;
  const TopicModel now = model.session()->Snapshot();
  double sum = 0;
  const uint64_t words = now.vocabulary.size();
  for (uint64_t word = 0; word < words; ++word) sum += now.posterior.At(word)[topic];
  std::vector<double> betas;
  for (uint64_t word = 0; word < words; ++word) {
    const WordProbability p = ProbabilityOf(now.posterior, word, topic, sum);
    betas.insert(betas.end(), {p.a, p.b});
  }
  return betas;
}

template <class T>
std::vector<T> Numbers(const nb::ndarray<const T, nb::ndim<1>, nb::c_contig>& array) {
  return {array.data(), array.data() + array.size()};
}

// Saves the model; what its stream has beside it as arrays.
nb::tuple SaveAll(const Model& model, const std::string& path) {
  Model::Kept kept = model.SaveAll(path);
  const auto owned = [](auto numbers) {
    const size_t size = numbers.size();
    return Owned(std::move(numbers), {size});
  };
  Documents& documents = kept.documents;
  return nb::make_tuple(owned(std::move(documents.offsets)), owned(std::move(documents.words)),
                        owned(std::move(documents.counts)), owned(std::move(documents.weights)),
                        kept.formed, nb::bytes(kept.notes.data(), kept.notes.size()));
}

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig>;

std::unique_ptr<Model> Restore(const std::string& path, int threads, Column<uint64_t> offsets,
                               Column<uint32_t> words, Column<uint32_t> counts,
                               Column<float> weights, uint64_t formed, const nb::bytes& notes) {
  Documents kept;
  kept.offsets = Numbers<uint64_t>(offsets);
  kept.words = Numbers<uint32_t>(words);
  kept.counts = Numbers<uint32_t>(counts);
  kept.weights = Numbers<float>(weights);
  const bool fits = !kept.offsets.empty() && kept.offsets.back() == kept.words.size() &&
                    kept.words.size() == kept.counts.size() &&
                    (kept.weights.empty() || kept.weights.size() == kept.words.size());
  if (!fits) throw InputError("the documents of a pickled model do not go together");
  return std::make_unique<Model>(path, threads, std::move(kept), formed,
                                 std::string(notes.c_str(), notes.size()));
}

// JSON and page of the report. `bags`: null without documents.
std::pair<std::string, std::string> MakeReport(const Model& model, const HeldBags* held,
                                               std::vector<std::string> ids,
                                               const Column<int64_t>& times,
                                               std::vector<std::string> texts,
                                               const std::string& title, int words, int documents) {
  ReportOptions options;
  options.words = words;
  options.documents = documents;
  const Labels labels{std::move(ids), Numbers<int64_t>(times), std::move(texts)};
  Report report =
      ReportOf(model, held == nullptr ? nullptr : held->bags.get(), labels, title, options);
  return {std::move(report.json), std::move(report.page)};
}

void BindModel(nb::module_* module) {
  nb::class_<Model>(*module, "Model")
      .def(nb::init<const std::string&, std::vector<std::string>, int>(), "options"_a,
           "vocabulary"_a, "threads"_a)
      .def_static(
          "load",
          [](const std::string& path, int threads) {
            return std::make_unique<Model>(path, threads, Documents(), 0, "");
          },
          "path"_a, "threads"_a)
      .def_static("restore", &Restore, "path"_a, "threads"_a, "offsets"_a, "words"_a, "counts"_a,
                  "weights"_a, "formed"_a, "notes"_a)
      .def(
          "fit",
          [](Model& model, const HeldBags& held, const Progress& progress) {
            model.Fit(*held.bags, progress);
          },
          "bags"_a, "progress"_a.none())
      .def("refit", &Model::Refit)
      .def(
          "update", [](Model& model, const HeldBags& held) { return model.Update(*held.bags); },
          "bags"_a)
      .def(
          "proportions",
          [](const Model& model, const HeldBags& held) {
            const size_t topics = model.session()->spec().topics;
            return Owned(model.Proportions(*held.bags), {held.bags->rows(), topics});
          },
          "bags"_a)
      .def(
          "proportion_intervals",
          [](const Model& model, const HeldBags& held, double level, const std::string& method) {
            const InferOptions options = {.intervals = ProportionIntervalsNamed(method),
                                          .level = level};
            const size_t topics = model.session()->spec().topics;
            return Owned(model.Intervals(*held.bags, options), {held.bags->rows(), topics, 2});
          },
          "bags"_a, "level"_a, "method"_a)
      .def(
          "score", [](const Model& model, const HeldBags& held) { return model.Score(*held.bags); },
          "bags"_a)
      .def("parameters",
           [](const Model& model) {
             const LdaSpec spec = model.session()->spec();
             return Owned(model.Lambda(), {static_cast<size_t>(spec.topics), spec.vocabulary});
           })
      .def("alpha",
           [](const Model& model) {
             std::vector<double> alpha = model.session()->spec().Alpha();
             const size_t size = alpha.size();
             return Owned(std::move(alpha), {size});
           })
      .def("topics", &TopTopics, "words"_a)
      .def(
          "word_betas",
          [](const Model& model, size_t topic) {
            std::vector<double> betas = WordBetas(model, topic);
            const size_t words = betas.size() / 2;
            return Owned(std::move(betas), {words, 2});
          },
          "topic"_a)
      .def("tokens_of_topics",
           [](const Model& model) {
             std::vector<double> tokens = model.session()->TopicTokens();
             const size_t size = tokens.size();
             return Owned(std::move(tokens), {size});
           })
      .def("options", [](const Model& model) { return model.session()->options().ToJson(); })
      .def("vocabulary", [](const Model& model) { return model.session()->vocabulary(); })
      .def("learnt",
           [](const Model& model) {
             const Summary summary = model.session()->summary();
             return std::make_tuple(summary.counts.items, summary.counts.tokens,
                                    summary.minibatches, summary.seconds);
           })
      .def("report", &MakeReport, "bags"_a.none(), "ids"_a, "times"_a, "texts"_a, "title"_a,
           "words"_a, "documents"_a)
      .def("save", &Model::Save, "path"_a)
      .def("save_all", &SaveAll, "path"_a);
}

NB_MODULE(_sdabayes, module) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InputError& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const IoError& e) {
      PyErr_SetString(PyExc_OSError, e.what());
    }
  });
  nb::class_<HeldBags>(module, "Bags")
      .def_static("from_csr", &FromCsr, "data"_a, "indices"_a, "indptr"_a, "rows"_a, "columns"_a)
      .def_static("from_dense", &FromDense, "data"_a)
      .def("check", &Check)
      .def_prop_ro("rows", [](const HeldBags& held) { return held.bags->rows(); })
      .def_prop_ro("columns", [](const HeldBags& held) { return held.bags->columns(); });
  nb::class_<HeldTexts>(module, "Texts")
      .def(
          "__init__",
          [](HeldTexts* texts, const std::string& options, std::vector<std::string> vocabulary) {
            const TopicOptions settled = TopicOptions::FromJson(options).Settled();
            new (texts) HeldTexts(settled.Corpus(), std::move(vocabulary));
          },
          "options"_a, "vocabulary"_a)
      .def(
          "choose", [](HeldTexts& texts, const nb::list& list) { texts.Choose(Views(list)); },
          "texts"_a)
      .def("vocabulary", [](const HeldTexts& texts) { return texts.vocabulary(); })
      .def(
          "count",
          [](HeldTexts& texts, const nb::list& list) {
            return HeldBags{{}, texts.Count(Views(list))};
          },
          "texts"_a);
  module.def(
      "settled",
      [](const std::string& options) { return TopicOptions::FromJson(options).Settled().ToJson(); },
      "options"_a);
  BindModel(&module);
  BindRun(&module);
  BindTables(&module);
  BindWaiting(&module);
  module.attr("__version__") = SDA_VERSION;
}

}  // namespace
}  // namespace sda::python
