#include "ui/forgetting_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace sda {

std::string ForgettingText(const ForgettingHistory& history, const std::string& items) {
  if (history.points.empty()) return fmt::format("too few {} to learn how fast to forget\n", items);
  const ForgettingHistory::Point& last = history.points.back();
  auto whole = [](double number) { return Grouped(static_cast<uint64_t>(std::llround(number))); };
  std::string text =
      std::isfinite(last.half_life)
          ? fmt::format("learnt half-life {} {}: the posterior is that of about {} {}\n",
                        whole(last.half_life), items, whole(last.effective), items)
          : fmt::format("learnt half-life: none, all {} count\n", items);
  if (history.change_points.empty()) return text;
  constexpr size_t kShown = 10;
  std::string places;
  const size_t shown = std::min(kShown, history.change_points.size());
  for (size_t i = history.change_points.size() - shown; i < history.change_points.size(); ++i) {
    places += (places.empty() ? "" : ", ") + Grouped(history.change_points[i].items);
  }
  const size_t more = history.change_points.size() - shown;
  return text + fmt::format("the stream changed after {} {}{}\n", places, items,
                            more > 0 ? fmt::format(", and {} times before", more) : "");
}

}  // namespace sda
