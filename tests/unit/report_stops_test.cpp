// What the report says of a thread that lost its CPU in a grain on the critical path.
#include <gtest/gtest.h>
#include "report/text/text.h"
#include "stopped_recording.h"

namespace einkorn {
namespace {

constexpr char kIsNoWork[] = "is no work: threads were taken off their CPUs";

TEST(ReportStops, TheyAreNamedWithTheCriticalPath) {
  const std::string text = report::text_report(test::stopped_recording(), {});
  EXPECT_NE(
      text.find(
          "  40.0 ms of it is no work: threads were taken off their CPUs in grains on it, for 40.0 ms in one of "),
      std::string::npos)
      << text;
  EXPECT_EQ(report::text_report(test::stopped_recording(0), {}).find(kIsNoWork), std::string::npos);
}

}  // namespace
}  // namespace einkorn
