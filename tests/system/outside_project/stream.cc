// A source and a primitive written outside the library, in a program that survives any end of it.
//
//   stream FILE [OPTION...]     a number a line
//
// The environment may say RAISE=SIGNAL:N, to be sent that signal when N minibatches are folded.

#include <sda/sda.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace {

using Numbers = std::vector<double>;

// Minibatches of a fixed number of lines. A position is the byte and the minibatch at which the
// file continues.
class LinesSource : public sda::Source<Numbers> {
 public:
  LinesSource(const std::string& path, uint64_t lines) : in_(path), lines_(lines) {
    if (!in_) throw sda::IoError(path + ": cannot open");
  }

  std::optional<sda::Minibatch<Numbers>> Next() override {
    Numbers data;
    double number = 0;
    while (data.size() < lines_ && in_ >> number) data.push_back(number);
    if (data.empty()) return std::nullopt;
    const uint64_t id = next_++;
    in_.clear();  // at the end of the file there is a place, too
    const std::string position = std::to_string(in_.tellg()) + " " + std::to_string(next_);
    return sda::Minibatch<Numbers>{id, sda::CountsOf(data), position, std::move(data)};
  }

  void Resume(const std::string& position, const std::vector<uint64_t>& /*cut*/) override {
    if (position.empty()) return Restart();
    const size_t space = position.find(' ');
    in_.clear();
    in_.seekg(std::stoll(position.substr(0, space)));
    next_ = std::stoull(position.substr(space));
  }

 private:
  void Restart() {
    in_.clear();
    in_.seekg(0);
    next_ = 0;
  }

  std::ifstream in_;
  const uint64_t lines_;
  uint64_t next_ = 0;
};

// Row 0 counts the numbers. What the others learn from a number depends on all that was learnt
// before, to the last bit, so that nothing can be left out or done in another order unnoticed.
class Trace : public sda::Primitive<Numbers, sda::KeyedRows> {
 public:
  sda::KeyedRows operator()(const Numbers& data, const sda::KeyedRows& prior,
                            uint64_t /*key*/) const override {
    sda::KeyedRows posterior = prior;
    for (const double x : data) {
      const uint64_t key = 1 + static_cast<uint64_t>(x) % 50;
      posterior.Add(key, Numbers{x / (1 + posterior.At(key)[0])});
      posterior.Add(0, Numbers{1});
    }
    return posterior;
  }
};

void RaiseAfter(uint64_t minibatches) {
  const char* const wish = std::getenv("RAISE");
  if (wish == nullptr) return;
  const std::string text = wish;
  const size_t colon = text.find(':');
  if (std::stoull(text.substr(colon + 1)) == minibatches) std::raise(std::stoi(text));
}

int Main(int argc, char** argv) {
  sda::ProgramOptions options = sda::ParseProgramOptions(argc, argv);
  if (options.arguments.size() != 1) throw sda::UsageError("give one FILE");
  options.values["prior"] = "0.5";
  LinesSource source(options.arguments[0], options.ItemsPerWorker());
  const Trace trace;
  sda::MemoryStore<sda::KeyedRows> store(sda::KeyedRows(Numbers{0.5}));
  uint64_t folds = 0;
  const sda::Summary summary = sda::RunProgram(source, trace, store, options, "numbers",
                                               [&](const sda::Summary&) { RaiseAfter(++folds); });
  const sda::KeyedRows posterior = store.Read().params;
  std::printf("%.17g numbers learnt, %llu in the summary\n", posterior.At(0)[0] - 0.5,
              static_cast<unsigned long long>(summary.counts.items));
  for (uint64_t key = 1; key <= 50; ++key) std::printf("%a\n", posterior.At(key)[0]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const sda::UsageError& e) {
    std::fprintf(stderr, "stream: %s\n%s", e.what(), sda::ProgramOptionsHelp().c_str());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "stream: %s\n", e.what());
    return 1;
  }
}
