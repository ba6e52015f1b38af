// OTF2 archives of what no recorder would have written.
#include <gtest/gtest.h>
#include <filesystem>
#include "../scratch.h"
#include "report/export/export.h"
#include "report_profiles.h"

namespace einkorn {
namespace {

namespace fs = std::filesystem;
using namespace report;

// The number of a thread is a number in a file: a damaged one makes 65,536 of them, of which nothing is known.
TEST(Otf2, ThreadsWithoutEventsAreNoLocations) {
  report_test::Builder b(1'000'000, 65536);
  profile::Timeline timeline;
  timeline.threads.resize(65536);
  for (const uint32_t t : {0u, 3u, 65535u}) {
    const uint32_t task = b.grain(profile::GrainKind::task, 0, b.source("/a/b.c", 1, "task", "f"), 1000, 10, t);
    timeline.threads[t].push_back({100, 200, t == 0 ? 0 : task, 0, 0, profile::SpanKind::fragment, true, true, true});
  }
  ExportOptions options;
  options.out = test::scratch(".otf2");
  ASSERT_EQ(export_otf2(b.p, timeline, options), "");
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(options.out)) files += entry.is_regular_file();
  EXPECT_EQ(files, 2u + 3 * 2);
  fs::remove_all(options.out);
}

}  // namespace
}  // namespace einkorn
