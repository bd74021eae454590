#ifndef SDA_APPS_COMPARE_COMPARE_PLAN_H_
#define SDA_APPS_COMPARE_COMPARE_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sda {

// One run of `sda fit`. Settings without a value here have their defaults.
struct RunSettings {
  std::string corpus = "corpus";  // the name of a CorpusCopy
  std::string algorithm = "sda";
  std::string primitive;  // of sda alone
  int topics = 100;
  std::optional<double> eta;
  uint64_t minibatch = 0;        // 0: the default
  uint64_t first_minibatch = 0;  // of sda alone; 0: the default
  std::string schedule = "serial";
  int workers = 1;
  int threads = 0;             // 0: all cores
  double total_documents = 0;  // of svi alone, as the two below
  std::optional<double> tau0;
  std::optional<double> kappa;
  uint64_t seed = 1;

  // The arguments of `sda fit`, but for where the model and the report go.
  std::vector<std::string> Arguments() const;
  // A file name that contains all of them, except those that all runs share.
  std::string Name() const;
};

// A run that has a place in an experiment.
struct PlannedRun {
  std::string experiment;  // id of one of Experiments()
  std::string series;      // row of the table, or line of the plot
  double x = 0;            // on the plot's axis; 0 where the line is the run's own curve
  RunSettings settings;
};

struct PlanOptions {
  int topics = 100;
  std::vector<int> try_topics;          // ascending; not empty: these are compared, nothing else
  int seeds = 3;                        // of the first three experiments; one of the others
  int workers = 32;                     // of the row of the table
  int cores = 1;                        // of the machine
  bool quick = false;                   // fewer points
  uint64_t documents = 0;               // to learn from, in the corpus
  std::vector<std::string> primitives;  // that the program knows
  uint64_t part_documents = 0;          // the same of "part", for primitives that are slow

  void Validate() const;
};

struct Experiment {
  std::string id;     // of its files
  std::string title;  // for people
  std::string x;      // what PlannedRun::x is, for the CSV file; empty if nothing
  bool curve;         // lines are the runs' own curves
};

// In the order of the report.
const std::vector<Experiment>& Experiments();

// The largest power of two not above n; 1 if n is 0.
uint64_t PowerOfTwo(double n);
// Documents per round, and in the first minibatch of sda: so that even a small corpus is a stream.
uint64_t UsualMinibatch(uint64_t documents);
uint64_t FirstMinibatchOf(uint64_t documents);

// All runs, in the order in which they are to be done. The same settings may occur several times.
std::vector<PlannedRun> MakePlan(const PlanOptions& options);

}  // namespace sda

#endif  // SDA_APPS_COMPARE_COMPARE_PLAN_H_
