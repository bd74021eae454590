#include <stdexcept>

#include "ui/command.h"

namespace sda {

void AddCluster(CLI::App* app) {
  CLI::App* command = app->add_subcommand("cluster", "Not in this build: it has no librdkafka");
  command->allow_extras();
  command->callback([] {
    throw std::runtime_error(
        "this program was built without librdkafka; install librdkafka-dev and build again");
  });
}

}  // namespace sda
