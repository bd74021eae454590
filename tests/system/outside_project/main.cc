// A primitive written outside the library, with everything the built-in ones have.

#include <sda/checker.h>
#include <sda/sda.h>

#include <cstdio>

namespace {

using Numbers = std::vector<double>;

class Sum : public sda::Primitive<Numbers, sda::KeyedRows> {
 public:
  sda::KeyedRows operator()(const Numbers& data, const sda::KeyedRows& prior,
                            uint64_t /*key*/) const override {
    sda::KeyedRows posterior = prior;
    for (const double x : data) posterior.Add(static_cast<uint64_t>(x) % 7, Numbers{x});
    return posterior;
  }
};

// Does the primitive keep the promises of the framework?
bool KeepsItsPromises(const Sum& sum, const sda::KeyedRows& prior) {
  sda::Plugin<Numbers, sda::KeyedRows> plugin{prior, &sum, [](uint64_t begin, uint64_t end) {
                                                Numbers data;
                                                for (; begin < end; ++begin) data.push_back(begin);
                                                return data;
                                              }};
  plugin.exact = true;
  const auto broken = sda::CheckPlugin(plugin);
  for (const auto& promise : broken) std::printf("%s\n", promise.c_str());
  return broken.empty();
}

// A program with the schedules, the progress and the report of `sda fit`.
int Main(int argc, char** argv) {
  const sda::ProgramOptions options = sda::ParseProgramOptions(argc, argv);
  const Sum sum;
  const sda::KeyedRows prior(Numbers{0.5});
  sda::MemorySource<Numbers> source({{1, 2}, {3}, {8}});
  sda::MemoryStore<sda::KeyedRows> store(prior);
  int folds = 0;
  const sda::Summary summary =
      sda::RunProgram(source, sum, store, options, "numbers",
                      [&](const sda::Summary& s) { folds += s.finished ? 0 : 1; });
  const sda::Normal normal({"x"});
  const auto estimates = normal.Describe(normal({1, {1, 2, 3}}, normal.Prior(), 0));
  return KeepsItsPromises(sum, prior) && store.Read().params.At(1)[0] == 9.5 && folds == 3 &&
                 summary.counts.items == 4 && estimates[0].mean == 2
             ? 0
             : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "outside: %s\n%s", e.what(), sda::ProgramOptionsHelp().c_str());
    return 2;
  }
}
