#include <fmt/format.h>

#include <memory>

#include "base/text.h"
#include "cluster/cluster.h"
#include "cluster/repair.h"
#include "sda/errors.h"
#include "ui/command.h"

namespace sda {
namespace {

struct RepairFlags : ClusterFlags, cluster::RepairOptions {};

void ShowFound(const cluster::Job& job, const cluster::RepairReport& report) {
  fmt::print("job        {}\n", job.name);
  if (report.log) {
    fmt::print("log        {} in {}\n", Plural(report.log->documents, "document", "documents"),
               Plural(report.log->deltas, "delta", "deltas"));
  } else {
    fmt::print("log        cannot be used: {}\n", report.why_not);
  }
  fmt::print("set aside  {}\n", Plural(report.set_aside, "message", "messages"));
  for (const cluster::SetAside& message : report.named) fmt::print("  {}\n", Describe(message));
  if (report.set_aside > report.named.size()) fmt::print("  ... and more\n");
  fmt::print(
      "documents  about {} in topic {}{}\n", Grouped(report.available), job.documents,
      report.gone == 0 ? "" : fmt::format("; {} before them are gone", Grouped(report.gone)));
  if (report.unlearnt > 0) {
    fmt::print("not learnt {} that workers have read; --from-documents learns from all again\n",
               Plural(report.unlearnt, "document", "documents"));
  }
}

void Repair(const RepairFlags& flags) {
  const Context context = ProgramContext();
  const cluster::Job job = flags.Open();
  const cluster::RepairReport report = cluster::RepairJob(job, flags, context);
  CheckNotStopped(context);
  ShowFound(job, report);
  const uint64_t before = report.log ? report.log->documents : 0;
  if (report.starts_over) {
    fmt::print("{} over from the documents: {} are forgotten, about {} are learnt from\n",
               report.done ? "started" : "would start", Plural(before, "document", "documents"),
               Grouped(report.available));
  } else if (report.log->deltas == 0) {
    fmt::print("nothing was learnt yet: nothing to repair\n");
  } else {
    fmt::print("{} a snapshot of {}\n", report.done ? "wrote" : "would write",
               Plural(before, "document", "documents"));
  }
}

}  // namespace

void AddClusterRepair(CLI::App* app) {
  CLI::App* command = app->add_subcommand(
      "repair", "Rebuild a job from the good part of its log, or from its documents");
  auto flags = std::make_shared<RepairFlags>();
  AddClusterOptions(command, flags.get());
  command->add_flag("--from-documents", flags->from_documents,
                    "Start over from the documents, even if the log can be used");
  command->add_flag("--accept-loss", flags->accept_loss,
                    "Start over even if some documents are not in their topic any more");
  command->add_flag("--dry-run", flags->dry_run, "Only say what was found and would be done");
  command->callback([=] { Repair(*flags); });
}

}  // namespace sda
