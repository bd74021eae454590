#include "compare/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

namespace sda {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

boost::property_tree::ptree Parsed(const std::string& xml) {
  std::istringstream in(xml);
  boost::property_tree::ptree tree;
  read_xml(in, tree);  // throws if it is not well formed
  return tree;
}

// Places of the drawn texts, by what they say.
double PlaceOf(const boost::property_tree::ptree& svg, const std::string& text, const char* axis) {
  for (const auto& [name, element] : svg.get_child("svg")) {
    if (name == "text" && element.data() == text) {
      return std::stod(element.get<std::string>(std::string("<xmlattr>.") + axis));
    }
  }
  ADD_FAILURE() << "nothing says " << text;
  return 0;
}

TEST(Plot, TicksAreAtRoundNumbersInsideTheRange) {
  EXPECT_THAT(RoundTicks(-8.93, -7.81, 6),
              Pointwise(DoubleNear(1e-12), {-8.8, -8.6, -8.4, -8.2, -8.0}));
  EXPECT_THAT(RoundTicks(0, 1000, 5), Pointwise(DoubleNear(1e-9), {0, 200, 400, 600, 800, 1000}));
  EXPECT_THAT(LogTicks(30, 700), ElementsAre(50, 100, 200, 500));
  EXPECT_THAT(LogTicks(8, 200000), ElementsAre(10, 100, 1000, 10000, 100000));
}

TEST(Plot, LabelsHaveGroupsOfThreeAndAMinusSign) {
  EXPECT_EQ(TickLabel(16384), "16,384");
  EXPECT_EQ(TickLabel(-0.05), "−0.05");
  EXPECT_EQ(TickLabel(-8, 1), "−8.0");
}

TEST(Plot, IsXmlWhateverTheLabels) {
  Plot plot{.title = "a < b & \"c\"", .x_label = "x & y", .y_label = "<z>", .lines = {}};
  plot.lines.push_back({"one \x01 <line>", {{1, 2, 2, 2}, {3, 4, 3, 5}}});
  const std::string svg = Svg(plot);
  EXPECT_EQ(Parsed(svg).get<std::string>("svg.title"), "a < b & \"c\"");
  EXPECT_THAT(svg, Not(HasSubstr("\x01")));
}

TEST(Plot, TheLegendHasTheOrderOfTheRightEnds) {
  Plot plot{.x_label = "x", .y_label = "y", .lines = {}};
  plot.lines.push_back({"falls", {{1, 9, 9, 9}, {2, 1, 1, 1}}});
  plot.lines.push_back({"rises", {{1, 0, 0, 0}, {2, 8, 8, 8}}});
  const auto svg = Parsed(Svg(plot));
  EXPECT_LT(PlaceOf(svg, "rises", "y"), PlaceOf(svg, "falls", "y"));
}

TEST(Plot, EqualFactorsAreEqualStepsOnALogarithmicAxis) {
  Plot plot{.log_x = true, .x_ticks = {1, 10, 100}, .lines = {}};
  plot.lines.push_back({"line", {{1, 1, 1, 1}, {100, 2, 2, 2}}});
  const auto svg = Parsed(Svg(plot));
  const double one = PlaceOf(svg, "1", "x"), ten = PlaceOf(svg, "10", "x");
  EXPECT_NEAR(PlaceOf(svg, "100", "x") - ten, ten - one, 0.11);
}

TEST(Plot, SmallDifferencesLookSmallIfARangeIsAsked) {
  Plot plot{.least_y_range = 1, .lines = {}};
  plot.lines.push_back({"line", {{1, 5.00, 5.00, 5.00}, {2, 5.01, 5.01, 5.01}}});
  EXPECT_THAT(Svg(plot), HasSubstr(">4.6<"));
}

TEST(Plot, ANumberAloneCanBeDrawn) {
  Plot plot{.lines = {}};
  plot.lines.push_back({"line", {{3, 7, 7, 7}}});
  EXPECT_THAT(Svg(plot), Not(HasSubstr("nan")));
  EXPECT_THAT(Svg(Plot{.lines = {}}), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace sda
