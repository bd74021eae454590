#ifndef SDA_APPS_UI_HALF_LIFE_FLAG_H_
#define SDA_APPS_UI_HALF_LIFE_FLAG_H_

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "base/text.h"
#include "sda/errors.h"
#include "sda/forgetting.h"

namespace sda {

// What --half-life says: a number of these items, or auto. Throws UsageError.
inline double HalfLifeOf(const std::string& text, const std::string& items) {
  double number = 0;
  if (text == "auto") return kAutoHalfLife;
  if (CLI::detail::lexical_cast(text, number) && !(number < 0)) return number;
  throw UsageError(fmt::format("--half-life is {}, must be a number of {} above 0, or auto",
                               Shown(text), items));
}

inline void AddHalfLife(CLI::App* command, double* half_life) {
  command
      ->add_option_function<std::string>(
          "--half-life",
          [half_life](const std::string& text) { *half_life = HalfLifeOf(text, "items"); },
          "Forget: items after which what was learnt counts half; auto: learnt from how well\n"
          "the past predicts what comes")
      ->type_name("N|auto");
}

}  // namespace sda

#endif  // SDA_APPS_UI_HALF_LIFE_FLAG_H_
