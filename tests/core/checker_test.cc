#include "sda/checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/test_primitives.h"

namespace sda {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Plugin<Numbers, Dense> PluginOf(const Primitive<Numbers, Dense>& primitive, bool exact) {
  return {.prior = Dense{1, 2},
          .primitive = &primitive,
          .data =
              [](uint64_t begin, uint64_t end) {
                Numbers data;
                for (uint64_t i = begin; i < end; ++i) data.push_back(std::sin(i) + 2);
                return data;
              },
          .exact = exact};
}

TEST(CheckPlugin, AcceptsAnExactPrimitive) {
  const FunctionPrimitive<Numbers, Dense> primitive(AddUp);
  EXPECT_THAT(CheckPlugin(PluginOf(primitive, true)), IsEmpty());
}

TEST(CheckPlugin, AcceptsAnApproximationThatDoesNotClaimToBeExact) {
  const FunctionPrimitive<Numbers, Dense> primitive(Saturate);
  EXPECT_THAT(CheckPlugin(PluginOf(primitive, false)), IsEmpty());
}

TEST(CheckPlugin, FindsAnApproximationThatClaimsToBeExact) {
  const FunctionPrimitive<Numbers, Dense> primitive(Saturate);
  EXPECT_THAT(CheckPlugin(PluginOf(primitive, true)),
              Contains(HasSubstr("synchronous with 5 workers is the batch posterior")));
}

TEST(CheckPlugin, FindsAPrimitiveWithState) {
  int calls = 0;
  const FunctionPrimitive<Numbers, Dense> primitive([&](const Numbers& data, const Dense& prior) {
    Dense posterior = AddUp(data, prior);
    posterior[0] += ++calls;
    return posterior;
  });
  EXPECT_THAT(CheckPlugin(PluginOf(primitive, false)),
              Contains(HasSubstr("a serial run can be repeated")));
}

// A parameter space whose subtraction forgets something.
class Sloppy : public Dense {
 public:
  using Dense::Dense;
  Sloppy& operator+=(const Sloppy& other) {
    Dense::operator+=(other);
    return *this;
  }
  Sloppy& operator-=(const Sloppy& other) {
    Dense::operator-=(other);
    data()[0] *= 0.999;
    return *this;
  }
  Sloppy& operator*=(double factor) {
    Dense::operator*=(factor);
    return *this;
  }
  static Sloppy Deserialize(std::string_view bytes) {
    Sloppy out;
    static_cast<Dense&>(out) = Dense::Deserialize(bytes);
    return out;
  }
};

TEST(CheckPlugin, FindsAParameterSpaceThatIsNone) {
  const FunctionPrimitive<Numbers, Sloppy> primitive([](const Numbers& data, const Sloppy& prior) {
    Sloppy posterior = prior;
    posterior[0] += data[0];
    return posterior;
  });
  const Plugin<Numbers, Sloppy> plugin{
      .prior = Sloppy{1.0, 2.0}, .primitive = &primitive, .data = [](uint64_t begin, uint64_t end) {
        return Numbers(end - begin, 1.0);
      }};
  EXPECT_THAT(CheckPlugin(plugin), Contains(HasSubstr("prior + (q - prior) is q")));
}

}  // namespace
}  // namespace sda
