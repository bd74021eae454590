#ifndef SDA_CHECKPOINT_H_
#define SDA_CHECKPOINT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sda/errors.h"
#include "sda/export.h"
#include "sda/id_set.h"
#include "sda/parameters.h"
#include "sda/store.h"
#include "sda/tracked_source.h"

namespace SDA_EXPORT sda {

using ByteSink = std::function<void(std::string_view bytes)>;

// The bytes of params.Serialize(), in pieces where the type can: the posterior may be large.
template <NaturalParameters Params>
void SerializeTo(const Params& params, const ByteSink& sink) {
  if constexpr (requires { params.SerializeTo(sink); }) {
    params.SerializeTo(sink);
  } else {
    sink(params.Serialize());
  }
}

// A checkpoint as it was read, except for its posterior, which may be large and is read when it is
// asked for.
class Checkpoint {
 public:
  Progress progress;
  std::string notes;  // the application's own
  IdSet folded;
  std::string path;

  // Throws InputError naming the file, if it is not one of these parameters, or was changed since.
  template <NaturalParameters Params>
  Snapshot<Params> Posterior() const {
    const auto bytes = ReadPosterior();
    try {
      if (rates_.empty()) {
        return {Params::Deserialize({bytes.get(), posterior_.size}), folded, progress.total()};
      }
      auto learnt = std::make_shared<RateSums<Params>>(
          RateSums<Params>{ForgettingRates::Deserialize(rates_), {}});
      for (const std::string_view sum :
           SplitSums({bytes.get(), posterior_.size}, learnt->rates.size())) {
        learnt->sums.push_back(Params::Deserialize(sum));
      }
      Snapshot<Params> posterior{Params(), folded, progress.total(), learnt};
      learnt->Mean({}, Context(1), &posterior.params);
      return posterior;
    } catch (const std::exception& e) {
      throw InputError(path + ": " + e.what());
    }
  }

  // Throws InputError that names the file if it is not as it was written, to the last bit; IoError
  // if it cannot be read.
  static Checkpoint Load(const std::string& path);
  // Writes a file that Load() reads, in one atomic step. write_posterior gives its bytes.
  static void Write(const std::string& path, const IdSet& folded,
                    const std::function<void(const ByteSink&)>& write_posterior,
                    const Progress& progress, const std::string& notes,
                    const std::string& rates = "");

 private:
  // What the sums of the rates of forgetting were written as: each, and then the sizes of all.
  static std::vector<std::string_view> SplitSums(std::string_view bytes, size_t sums);
  std::unique_ptr<const char[]> ReadPosterior() const;

  struct Part {
    uint64_t begin = 0, size = 0;
    uint32_t checksum = 0;
  };
  Part posterior_;     // in the file
  std::string rates_;  // of forgetting, if that is learnt
};

// The folder of a run's checkpoints. Holds the last two, so that there is another one if the last
// is damaged; one that was found damaged does not count. One run at a time: it is locked until this
// object is destroyed or the process has ended.
class CheckpointFolder {
 public:
  // Makes the folder if there is none. Throws IoError naming it.
  explicit CheckpointFolder(const std::string& path);
  ~CheckpointFolder();
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;

  const std::string& path() const { return path_; }
  bool empty() const { return numbers_.empty(); }

  // The newest checkpoint that is not damaged; *damage describes what is wrong with newer ones, a
  // line each. Nothing if the folder is empty; throws InputError if all are damaged.
  std::optional<Checkpoint> LoadLast(std::vector<std::string>* damage);

  // Writes another checkpoint, and removes those before the last two, and damaged ones. Throws
  // IoError naming the file; the earlier checkpoints are then kept.
  template <NaturalParameters Params>
  void Write(const Snapshot<Params>& posterior, const Progress& progress,
             const std::string& notes) {
    if (posterior.forgetting == nullptr) {
      Write(
          posterior.folded, [&](const ByteSink& sink) { SerializeTo(posterior.params, sink); },
          progress, notes, "");
      return;
    }
    const RateSums<Params>& learnt = *posterior.forgetting;
    auto write_sums = [&](const ByteSink& sink) {
      std::vector<uint64_t> sizes;
      for (const Params& sum : learnt.sums) {
        sizes.push_back(0);
        SerializeTo(sum, [&](std::string_view bytes) {
          sizes.back() += bytes.size();
          sink(bytes);
        });
      }
      sink({reinterpret_cast<const char*>(sizes.data()), sizes.size() * sizeof(uint64_t)});
    };
    Write(posterior.folded, write_sums, progress, notes, learnt.rates.Serialize());
  }
  // The same of a run that has not learnt anything yet: a checkpoint without a posterior.
  void WriteStart(const Progress& progress, const std::string& notes) {
    Write(
        IdSet(), [](const ByteSink&) {}, progress, notes, "");
  }

 private:
  void FindCheckpoints();
  std::string FileOf(uint64_t number) const;
  void Remove(uint64_t number);
  void Write(const IdSet& folded, const std::function<void(const ByteSink&)>& write_posterior,
             const Progress& progress, const std::string& notes, const std::string& rates);

  std::string path_;
  int lock_ = -1;
  std::vector<uint64_t> numbers_;  // of the existing checkpoints, ascending
  std::vector<uint64_t> damaged_;  // those of them that were found to be
};

// The posterior at one moment, of any type, to be written as a checkpoint.
struct PosteriorCopy {
  IdSet folded;
  std::shared_ptr<const void> snapshot;  // the Snapshot<Params>
  std::function<void(CheckpointFolder&, const Progress&, const std::string& notes)> write;
};

// Threads that add to the store wait for the copy, not for the writing.
template <NaturalParameters Params>
PosteriorCopy CopyPosterior(const Store<Params>& store) {
  auto copy = std::make_shared<Snapshot<Params>>(store.ReadToResume());
  return {copy->folded, copy,
          [copy](CheckpointFolder& folder, const Progress& progress, const std::string& notes) {
            folder.Write(*copy, progress, notes);
          }};
}

}  // namespace sda

#endif  // SDA_CHECKPOINT_H_
