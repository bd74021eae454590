#ifndef SDA_REPORT_TOPIC_MAP_H_
#define SDA_REPORT_TOPIC_MAP_H_

#include <cstdint>
#include <vector>

#include "report/report_words.h"

namespace sda::report {

struct TopicMap {
  struct Point {
    double x = 0;
    double y = 0;
  };
  std::vector<Point> points;  // by topic
  double shown = 0;           // part of the squared distances that the plane shows, 0 to 1
  uint64_t words = 0;         // that the distances are computed from
};

// The topics in a plane, by classical multidimensional scaling. The distance of two topics is the
// square root of the Jensen-Shannon divergence of their words: a metric that embeds without loss in
// enough dimensions, so that what two of them show is a part of the whole. Of many topics only the
// most probable words are told apart, so that it takes seconds; the others count as one.
TopicMap MapTopics(const TopicWords& topics, const Context& context);

// By topic pair, row by row: squared distances as above, from at most so many words.
std::vector<double> JensenShannon(const TopicWords& topics, uint64_t words, const Context& context);

// The plane for squared distances of so many points.
TopicMap ScaleToPlane(const std::vector<double>& squared_distances, size_t points);

}  // namespace sda::report

#endif  // SDA_REPORT_TOPIC_MAP_H_
