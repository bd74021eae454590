// A primitive written outside the library, with everything the built-in ones have.

#include <sda/checker.h>
#include <sda/sda.h>

#include <cstdio>

namespace {

using Numbers = std::vector<double>;

class Sum : public sda::Primitive<Numbers, sda::KeyedRows> {
 public:
  sda::KeyedRows operator()(const Numbers& data, const sda::KeyedRows& prior) const override {
    sda::KeyedRows posterior = prior;
    for (const double x : data) posterior.Add(static_cast<uint64_t>(x) % 7, Numbers{x});
    return posterior;
  }
};

}  // namespace

int main() {
  const Sum sum;
  const sda::KeyedRows prior(Numbers{0.5});
  sda::Plugin<Numbers, sda::KeyedRows> plugin{prior, &sum, [](uint64_t begin, uint64_t end) {
                                                Numbers data;
                                                for (; begin < end; ++begin) data.push_back(begin);
                                                return data;
                                              }};
  plugin.exact = true;
  const auto broken = sda::CheckPlugin(plugin);
  for (const auto& promise : broken) std::printf("%s\n", promise.c_str());

  sda::MemorySource<Numbers> source({{1, 2}, {3}, {8}});
  sda::MemoryStore<sda::KeyedRows> store(prior);
  sda::Run(source, sum, store, {.schedule = sda::Schedule::kAsynchronous, .workers = 2},
           sda::ShowProgress(stderr, "numbers"));
  const sda::Normal normal({"x"});
  const auto estimates = normal.Describe(normal({1, {1, 2, 3}}, normal.Prior()));
  return broken.empty() && store.Read().params.At(1)[0] == 9.5 && estimates[0].mean == 2 ? 0 : 1;
}
