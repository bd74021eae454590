// Megabytes (of the files as they are on disk) per CPU second of one thread that reads a corpus.
//
//   read_bench FILE...
//
// The first documents of a text, from which the vocabulary is chosen, are part of what is measured.

#include <cstdio>
#include <ctime>
#include <exception>

#include "sda/corpus.h"

int main(int argc, char** argv) {
  try {
    for (int i = 1; i < argc; ++i) {
      const std::clock_t begin = std::clock();
      sda::CorpusOptions options;
      options.inputs = {argv[i]};
      sda::CorpusSource source(options);
      while (source.Next()) {
      }
      const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      const sda::CorpusCounts counts = source.counts();
      std::printf("%-8s %8.1f MB/s  %6.2f s  %10llu documents  %12llu tokens  %s\n",
                  sda::CorpusFormatName(source.format()), counts.bytes / 1e6 / seconds, seconds,
                  static_cast<unsigned long long>(counts.documents),
                  static_cast<unsigned long long>(counts.tokens), argv[i]);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "read_bench: %s\n", error.what());
    return 1;
  }
  return argc > 1 ? 0 : 2;
}
