#include "sda/topic_stability.h"

#include <Eigen/Dense>
#include <algorithm>
#include <span>
#include <stdexcept>

#include "topics/assignment.h"

namespace sda {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Words that are multiplied at a time.
constexpr uint64_t kWords = 512;

// Cosines do not depend on the scale, so that the Dirichlet's parameters do as well as its means.
Matrix Cosines(const KeyedRows& ours, const KeyedRows& theirs, uint64_t vocabulary) {
  const auto topics = static_cast<Eigen::Index>(ours.width());
  Matrix products = Matrix::Zero(topics, topics);
  Eigen::VectorXd our_squares = Eigen::VectorXd::Zero(topics);
  Eigen::VectorXd their_squares = Eigen::VectorXd::Zero(topics);
  for (uint64_t first = 0; first < vocabulary; first += kWords) {
    const auto words = static_cast<Eigen::Index>(std::min(kWords, vocabulary - first));
    Matrix a(words, topics);
    Matrix b(words, topics);
    for (Eigen::Index i = 0; i < words; ++i) {
      const uint64_t word = first + static_cast<uint64_t>(i);
      std::ranges::copy(ours.At(word), a.row(i).data());
      std::ranges::copy(theirs.At(word), b.row(i).data());
    }
    products.noalias() += a.transpose() * b;
    our_squares += a.colwise().squaredNorm().transpose();
    their_squares += b.colwise().squaredNorm().transpose();
  }
  return our_squares.cwiseSqrt().cwiseInverse().asDiagonal() * products *
         their_squares.cwiseSqrt().cwiseInverse().asDiagonal();
}

}  // namespace

std::vector<TopicMatch> MatchTopics(const KeyedRows& ours, const KeyedRows& theirs,
                                    uint64_t vocabulary) {
  const size_t topics = ours.width();
  if (theirs.width() != topics) throw std::logic_error("matching different numbers of topics");
  const Matrix cosines = Cosines(ours, theirs, vocabulary);
  const std::vector<size_t> assigned =
      LargestAssignment(std::span(cosines.data(), topics * topics), topics);
  std::vector<TopicMatch> matches;
  for (size_t k = 0; k < topics; ++k) {
    const double cosine =
        cosines(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(assigned[k]));
    matches.push_back({assigned[k], std::clamp(cosine, 0.0, 1.0)});
  }
  return matches;
}

TopicStability StabilityFrom(size_t topics,
                             const std::vector<std::vector<TopicMatch>>& other_runs) {
  TopicStability stability{.runs = 1 + other_runs.size(),
                           .found_by = std::vector<uint64_t>(topics, 1),
                           .cosine = std::vector<double>(topics)};
  for (const auto& matches : other_runs) {
    for (size_t k = 0; k < topics; ++k) {
      if (matches[k].cosine >= kFoundAgain) ++stability.found_by[k];
      stability.cosine[k] += matches[k].cosine / static_cast<double>(other_runs.size());
    }
  }
  return stability;
}

}  // namespace sda
