#include "sda/errors.h"
#include "ui/command.h"

namespace sda {

void AddCluster(CLI::App* app) {
  CLI::App* command = app->add_subcommand("cluster", "Not in this build: it has no librdkafka");
  command->allow_extras();
  command->callback([] {
    throw IoError(
        "this program was built without librdkafka; install librdkafka-dev and build again");
  });
}

}  // namespace sda
