#include "data/tables/svmlight_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "data/io/numbers.h"
#include "data/tables/class_name.h"

namespace sda {
namespace {

// The next word of the line, which loses it; empty at the end.
std::string_view TakeWord(std::string_view* line) {
  const size_t begin = std::min(line->find_first_not_of(" \t"), line->size());
  line->remove_prefix(begin);
  const std::string_view word = line->substr(0, line->find_first_of(" \t"));
  line->remove_prefix(word.size());
  return word;
}

template <class T>
bool Parse(std::string_view text, T* value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), *value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

}  // namespace

void SvmlightOptions::Validate() const {
  if (inputs.empty()) throw UsageError("no input was given");
  if (minibatch == 0) throw UsageError("minibatch is 0, must be at least 1 row");
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    throw UsageError("standard input (-) is given twice");
  }
  if (features > kMaxWords) {
    throw UsageError(fmt::format("features is {}, must be at most {}", features, kMaxWords));
  }
}

SvmlightSource::SvmlightSource(SvmlightOptions options, Context context)
    : options_(std::move(options)), context_(std::move(context)) {
  options_.Validate();
  classes_ = options_.classes;
  class_names_ = classes_.names();
  OpenFile(0);
}

void SvmlightSource::OpenFile(size_t file) {
  file_ = file;
  lines_ = std::make_unique<LineReader>(Input::Open(options_.inputs[file], context_));
}

std::optional<Minibatch<SparseRows>> SvmlightSource::Next() {
  if (context_.StopRequested()) return std::nullopt;
  SparseRows rows;
  while (rows.size() < options_.minibatch && ReadRow(&rows)) {
  }
  if (rows.size() == 0) {
    if (next_id_ == 0 && !context_.StopRequested()) lines_->FailWhole("has no rows");
    return std::nullopt;
  }
  {
    std::lock_guard lock(mutex_);
    class_names_ = classes_.names();
  }
  const uint64_t id = next_id_++;
  const uint64_t size = rows.size();
  return Minibatch<SparseRows>{
      id,
      {.items = size},
      fmt::format("{} {} {} {}", next_id_, file_, lines_->offset(), lines_->line()),
      std::move(rows)};
}

std::vector<std::vector<std::string>> SvmlightSource::CategoryNames() const {
  std::lock_guard lock(mutex_);
  return {class_names_};
}

void SvmlightSource::Resume(const std::string& position, const std::vector<uint64_t>& /*cut*/) {
  if (position.empty() && next_id_ == 0) return;
  std::string_view rest = position;
  uint64_t numbers[4] = {};  // as written by Next()
  for (uint64_t& number : numbers) {
    if (position.empty()) break;
    if (!Parse(TakeWord(&rest), &number)) {
      throw InputError("not a position in svmlight files: \"" + position + "\"");
    }
  }
  if (numbers[1] >= options_.inputs.size() || options_.inputs[numbers[1]] == "-") {
    throw UsageError("cannot resume in the middle of standard input: give a file");
  }
  next_id_ = numbers[0];
  OpenFile(numbers[1]);
  lines_->SkipTo(numbers[2], numbers[3]);
}

bool SvmlightSource::ReadRow(SparseRows* rows) {
  std::string_view line;
  std::string_view label;
  while (label.empty()) {
    if (!lines_->Next(&line)) {
      if (file_ + 1 == options_.inputs.size() || context_.StopRequested()) return false;
      OpenFile(file_ + 1);
      continue;
    }
    line = line.substr(0, line.find('#'));
    label = TakeWord(&line);
  }
  double number = 0;
  if (!Parse(label, &number) || !std::isfinite(number)) {
    lines_->Fail(fmt::format("found {}, expected a label, a number", Quoted(label)));
  }
  if (options_.labels) {
    const size_t target = ClassNumber(label, &classes_);
    if (target > 1) {
      lines_->Fail(
          fmt::format("found label {}, expected {}", Quoted(label), ExpectedClasses(classes_)));
    }
    rows->target.push_back(static_cast<double>(target));
  }
  rows->ends.push_back(rows->index.size());
  for (std::string_view pair = TakeWord(&line); !pair.empty(); pair = TakeWord(&line)) {
    if (!pair.starts_with("qid:")) ReadPair(pair, rows);
  }
  return true;
}

void SvmlightSource::ReadPair(std::string_view pair, SparseRows* rows) {
  const size_t colon = pair.find(':');
  uint64_t feature = 0;
  double value = 0;
  if (colon == std::string_view::npos || !Parse(pair.substr(0, colon), &feature) ||
      !Parse(pair.substr(colon + 1), &value) || !std::isfinite(value)) {
    lines_->Fail(
        fmt::format("found {}, expected a pair feature:value, a whole number and a finite "
                    "number",
                    Quoted(pair)));
  }
  if (options_.largest > 0 && std::abs(value) > options_.largest) {
    lines_->Fail(fmt::format("found {}, expected a value of at most {:g}{}", Quoted(pair),
                             options_.largest, options_.largest_why));
  }
  if (feature == 0) {
    lines_->Fail(
        "feature 0, but svmlight counts from 1: write the file so (in scikit-learn, "
        "zero_based=False)");
  }
  ExpectRange(*lines_, "feature", feature, 1,
              options_.features > 0 ? options_.features : kMaxWords);
  const size_t begin = rows->begin(rows->size() - 1);
  if (rows->index.size() > begin && rows->index.back() + 1 >= feature) {
    lines_->Fail(fmt::format("feature {} after feature {}, expected ascending order", feature,
                             rows->index.back() + 1));
  }
  largest_feature_ = std::max(largest_feature_, feature);
  rows->index.push_back(static_cast<uint32_t>(feature - 1));
  rows->value.push_back(value);
  rows->ends.back() = rows->index.size();
}

uint64_t CountFeatures(const SvmlightOptions& options, const Context& context) {
  if (std::count(options.inputs.begin(), options.inputs.end(), "-") > 0) {
    throw UsageError(
        "standard input cannot be read twice to count the features: give --features N, or "
        "--covariance diagonal");
  }
  SvmlightSource source(options, context);
  while (source.Next()) {
  }
  return source.largest_feature();
}

}  // namespace sda
