#include <fmt/format.h>

#include <memory>

#include "base/model_file.h"
#include "sda/errors.h"
#include "ui/command.h"

namespace sda {
namespace {

// A .npy file of K x V doubles. The model has V x K in rows, which is K x V in columns: NumPy calls
// that Fortran order, so nothing needs to be turned around.
void ExportLambda(const std::string& model, const std::string& path) {
  const ModelFile file(model);
  const auto lambda = file.doubles("lambda");
  const auto& shape = file.shape("lambda");
  if (shape.size() != 2) throw InputError(model + ": lambda is not a matrix");
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': True, 'shape': ({}, {}), }}",
                                   shape[1], shape[0]);
  constexpr size_t kPreamble = 10;
  constexpr size_t kAlignment = 64;
  while ((kPreamble + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  std::string preamble("\x93NUMPY\x01\x00", 8);
  preamble += static_cast<char>(header.size() & 0xff);
  preamble += static_cast<char>(header.size() >> 8);
  WriteFile(
      path,
      {preamble, header, {reinterpret_cast<const char*>(lambda.data()), lambda.size_bytes()}});
}

}  // namespace

void AddExport(CLI::App* app) {
  CLI::App* command = app->add_subcommand("export", "Write a topic model for other programs");
  struct Flags {
    std::string model;
    std::string lambda;
  };
  auto flags = std::make_shared<Flags>();
  command->add_option("MODEL", flags->model, "A topic model saved by sda fit")->required();
  command
      ->add_option("--lambda", flags->lambda,
                   "File.npy for the topics x words matrix of Dirichlet parameters (float64)")
      ->required();
  command->callback([flags] {
    CheckWritable(flags->lambda, {flags->model});
    ExportLambda(flags->model, flags->lambda);
  });
}

}  // namespace sda
