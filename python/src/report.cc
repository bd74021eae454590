#include "report.h"

#include <algorithm>
#include <utility>

#include "sda/context.h"
#include "waiting.h"

namespace sda::python {
namespace {

// The entries [first, last), or none if there are none at all.
template <class T>
std::vector<T> Part(const std::vector<T>& all, size_t first, size_t last) {
  if (all.empty()) return {};
  return {all.begin() + first, all.begin() + last};
}

class LabelledRows : public Source<Documents> {
 public:
  LabelledRows(const Bags& bags, const Labels& labels, const Context& context)
      : bags_(bags), labels_(labels), context_(context) {}

  std::optional<Minibatch<Documents>> Next() override {
    constexpr size_t kRowsAtOnce = 2048;  // between two looks at Ctrl-C
    context_.ThrowIfInterrupted();
    if (row_ == bags_.rows()) return std::nullopt;
    const size_t first = row_;
    row_ = std::min(bags_.rows(), first + kRowsAtOnce);
    Documents documents = DocumentsOf(bags_, first, row_, true);
    documents.ids = Part(labels_.ids, first, row_);
    documents.times = Part(labels_.times, first, row_);
    documents.texts = Part(labels_.texts, first, row_);
    const Counts counts = CountsOf(documents);
    return Minibatch<Documents>{next_++, counts, "", std::move(documents)};
  }
  void Resume(const std::string&, const std::vector<uint64_t>&) override {
    throw InputError("rows in memory have no position to resume from");
  }

 private:
  const Bags& bags_;
  const Labels& labels_;
  const Context& context_;
  size_t row_ = 0;
  uint64_t next_ = 0;
};

// Empty if the library has none.
std::string PageOf(const ModelReport& report) {
  try {
    RequireReportPage();
  } catch (const InputError&) {
    return "";
  }
  return ReportPage(report);
}

}  // namespace

Report ReportOf(const Model& model, const Bags* bags, const Labels& labels,
                const std::string& title, const ReportOptions& options) {
  const auto session = model.session();
  const Context context(model.context().threads());  // its own, which alone is interrupted
  return WaitFor(
      [&] {
        std::optional<LabelledRows> rows;
        if (bags != nullptr) rows.emplace(*bags, labels, context);
        ModelReport report =
            MakeReport(session->Snapshot(), options, context, rows ? &*rows : nullptr);
        report.title = title;
        return Report{report.ToJson(), PageOf(report)};
      },
      [&] { context.Interrupt(); });
}

}  // namespace sda::python
