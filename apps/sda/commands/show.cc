#include <fmt/format.h>

#include <memory>

#include "tables/table_fit.h"
#include "ui/command.h"

namespace sda {

void AddShow(CLI::App* app) {
  CLI::App* command = app->add_subcommand("show", "What a model knows of its parameters");
  struct Flags {
    std::string model;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  command->add_option("MODEL", flags->model, "A model saved by sda fit")->required();
  command->add_flag("--json", flags->json, "Print JSON");
  command->callback([flags] {
    const auto fit = TableFit::Load(flags->model);
    fmt::print("{}", flags->json ? FitJson(*fit) : FitText(*fit));
  });
}

}  // namespace sda
