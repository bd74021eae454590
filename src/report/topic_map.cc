#include "report/topic_map.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace sda::report {
namespace {

using Array = Eigen::ArrayXXd;

// Pairs of topics x words that are compared: about a second.
constexpr double kMostTerms = 4e8;

// Words that are told apart: those with the largest sum of probabilities over the topics.
std::vector<uint64_t> ChooseWords(const TopicWords& topics, uint64_t most) {
  std::vector<uint64_t> chosen(topics.words());
  std::iota(chosen.begin(), chosen.end(), 0);
  if (most >= chosen.size()) return chosen;
  std::vector<double> sums(topics.words());
  for (uint64_t word = 0; word < sums.size(); ++word) {
    const auto row = topics.posterior.At(word);
    for (size_t k = 0; k < topics.topics(); ++k) sums[word] += row[k] / topics.sums[k];
  }
  std::nth_element(
      chosen.begin(), chosen.begin() + most, chosen.end(),
      [&](uint64_t a, uint64_t b) { return sums[a] != sums[b] ? sums[a] > sums[b] : a < b; });
  chosen.resize(most);
  return chosen;
}

// A column of probabilities for each topic; the last row is that of all words that are not chosen.
Array Probabilities(const TopicWords& topics, const std::vector<uint64_t>& words) {
  const auto topic_count = static_cast<Eigen::Index>(topics.topics());
  const auto rows = static_cast<Eigen::Index>(words.size());
  Array p(rows + 1, topic_count);
  for (Eigen::Index v = 0; v < rows; ++v) {
    const auto row = topics.posterior.At(words[v]);
    for (Eigen::Index k = 0; k < topic_count; ++k) p(v, k) = row[k] / topics.sums[k];
  }
  // Never 0, so that its logarithm is finite; what is added is no part of any distance.
  p.row(rows) = (1 - p.topRows(rows).colwise().sum()).max(1e-300);
  return p;
}

}  // namespace

std::vector<double> JensenShannon(const TopicWords& topics, uint64_t words,
                                  const Context& context) {
  const Array p = Probabilities(topics, ChooseWords(topics, words));
  const size_t count = topics.topics();
  const Eigen::ArrayXd negative_entropy = (p * p.log()).colwise().sum().transpose();
  std::vector<double> squared(count * count);
  context.pool()->ParallelFor(count, [&](size_t i) {
    context.ThrowIfInterrupted();
    Eigen::ArrayXd middle(p.rows());
    for (size_t j = 0; j < i; ++j) {
      middle = 0.5 * (p.col(i) + p.col(j));
      const double divergence =
          0.5 * (negative_entropy(i) + negative_entropy(j)) - (middle * middle.log()).sum();
      squared[i * count + j] = squared[j * count + i] = std::max(divergence, 0.0);
    }
  });
  return squared;
}

TopicMap ScaleToPlane(const std::vector<double>& squared_distances, size_t points) {
  TopicMap map;
  map.points.resize(points);
  if (points < 2) return map;
  const auto n = static_cast<Eigen::Index>(points);
  Eigen::MatrixXd b = Eigen::Map<const Eigen::MatrixXd>(squared_distances.data(), n, n);
  // Double centring: the inner products of the points around their mean.
  b.rowwise() -= b.colwise().mean().eval();
  b.colwise() -= b.rowwise().mean().eval();
  b *= -0.5;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(b);
  const double all = solver.eigenvalues().cwiseMax(0.0).sum();
  double shown = 0;
  for (int axis = 0; axis < 2 && axis < n; ++axis) {
    const double value = std::max(solver.eigenvalues()(n - 1 - axis), 0.0);
    Eigen::VectorXd vector = solver.eigenvectors().col(n - 1 - axis);
    // The sign is free: the largest coordinate becomes positive, so that the map is always the
    // same.
    Eigen::Index largest = 0;
    vector.cwiseAbs().maxCoeff(&largest);
    if (vector(largest) < 0) vector = -vector;
    for (Eigen::Index i = 0; i < n; ++i) {
      (axis == 0 ? map.points[i].x : map.points[i].y) = std::sqrt(value) * vector(i);
    }
    shown += value;
  }
  map.shown = all > 0 ? shown / all : 1;
  return map;
}

TopicMap MapTopics(const TopicWords& topics, const Context& context) {
  const double pairs = std::max(0.5 * topics.topics() * (topics.topics() - 1.0), 1.0);
  const auto words = std::min<uint64_t>(topics.words(), std::max(kMostTerms / pairs, 100.0));
  TopicMap map = ScaleToPlane(JensenShannon(topics, words, context), topics.topics());
  map.words = words;
  return map;
}

}  // namespace sda::report
