#include "ui/start_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "ui/command.h"

namespace sda {
namespace {

// Both kinds, after the second in which no progress is shown.
std::string ShownLines() {
  StartProgress start;
  CandidateProgress candidate;
  start(1, 100);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  testing::internal::CaptureStderr();
  start(2, 100);
  candidate(50, 3, 25);
  return testing::internal::GetCapturedStderr();
}

TEST(StartProgress, IsShownUnlessQuiet) {
  EXPECT_THAT(ShownLines(), testing::AllOf(testing::HasSubstr("topics are forming: sweep 2 of 100"),
                                           testing::HasSubstr("trying 50 topics: sweep 3 of 25")));
  SetQuiet(true);
  EXPECT_EQ(ShownLines(), "");
  SetQuiet(false);
}

}  // namespace
}  // namespace sda
