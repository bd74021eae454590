#include "report/topic_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report_test_util.h"

namespace sda::report {
namespace {

double SquaredDistance(const TopicMap::Point& a, const TopicMap::Point& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

TEST(TopicMapTest, PointsOfAPlaneKeepTheirDistances) {
  const std::vector<TopicMap::Point> points = {{0, 0}, {3, 0}, {0, 4}, {-2, 1}, {5, 5}};
  const size_t n = points.size();
  std::vector<double> squared;
  for (const auto& a : points) {
    for (const auto& b : points) squared.push_back(SquaredDistance(a, b));
  }
  const TopicMap map = ScaleToPlane(squared, n);
  EXPECT_NEAR(map.shown, 1, 1e-12);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      EXPECT_NEAR(SquaredDistance(map.points[i], map.points[j]), squared[i * n + j], 1e-9);
    }
  }
}

TEST(TopicMapTest, ATetrahedronShowsTwoThirds) {
  std::vector<double> squared(16, 1.0);
  for (size_t i = 0; i < 4; ++i) squared[5 * i] = 0;
  EXPECT_NEAR(ScaleToPlane(squared, 4).shown, 2.0 / 3, 1e-12);
}

TEST(TopicMapTest, OneTopicAndEqualTopicsAreInTheMiddle) {
  EXPECT_EQ(ScaleToPlane({0}, 1).points[0].x, 0);
  for (const auto& point : ScaleToPlane({0, 0, 0, 0}, 2).points) {
    EXPECT_NEAR(point.x, 0, 1e-9);
    EXPECT_NEAR(point.y, 0, 1e-9);
  }
}

TEST(TopicMapTest, DistanceIsTheJensenShannonDivergence) {
  const TopicModel model = ModelOf({{6, 1}, {3, 3}, {0, 8}});
  const TopicWords topics(model);
  double expected = 0;
  for (uint64_t word = 0; word < 3; ++word) {
    const double p = topics.posterior.At(word)[0] / topics.sums[0];
    const double q = topics.posterior.At(word)[1] / topics.sums[1];
    const double m = (p + q) / 2;
    expected += 0.5 * p * std::log(p / m) + 0.5 * q * std::log(q / m);
  }
  const auto squared = JensenShannon(topics, 3, Context(1));
  EXPECT_NEAR(squared[1], expected, 1e-12);
  EXPECT_EQ(squared[1], squared[2]);
  EXPECT_EQ(squared[0], 0);
}

TEST(TopicMapTest, FewerWordsNeverMakeADistanceLarger) {
  const TopicModel model = RandomModel(6, 300, 1);
  const TopicWords topics(model);
  const auto all = JensenShannon(topics, 300, Context(2));
  const auto some = JensenShannon(topics, 60, Context(2));
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_LE(some[i], all[i] + 1e-12);
    EXPECT_GE(some[i], 0.2 * all[i]);
  }
}

TEST(TopicMapTest, SimilarTopicsAreNearEachOther) {
  std::vector<std::vector<double>> tokens(40, std::vector<double>(3));
  for (size_t word = 0; word < 40; ++word) {
    tokens[word][0] = word < 20 ? 50 : 0;
    tokens[word][1] = word < 22 ? 45 : 0;
    tokens[word][2] = word < 20 ? 0 : 50;
  }
  const TopicModel model = ModelOf(tokens);
  const TopicMap map = MapTopics(TopicWords(model), Context(1));
  EXPECT_LT(SquaredDistance(map.points[0], map.points[1]),
            0.2 * SquaredDistance(map.points[0], map.points[2]));
  EXPECT_EQ(map.words, 40u);
}

}  // namespace
}  // namespace sda::report
