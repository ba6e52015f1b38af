// Time lines: spans that nest, and add up to what grains executed.
#include "profile_support.h"
#include "../golden/golden_depend.h"
#include "../golden/golden_programs.h"
#include "profile/profile.h"

namespace einkorn {
namespace {

using namespace test;
using profile::Span;
using profile::SpanKind;

struct WithTimeline {
  profile::Profile profile;
  profile::Timeline timeline;
};

WithTimeline load_timeline(const std::string& bytes) {
  const std::string path = scratch(".grain");
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
  WithTimeline out;
  profile::LoadOptions options;
  options.symbolize = false;
  options.timeline = &out.timeline;
  profile::LoadError error;
  EXPECT_TRUE(profile::load(path, options, out.profile, error)) << error.message;
  remove(path.c_str());
  return out;
}

bool executes(const Span& s) { return s.kind == SpanKind::fragment || s.kind == SpanKind::chunk; }

// Every span inside the one around it, none before the one told before it, and depths as they are nested.
void expect_nested(const profile::Timeline& t) {
  for (const auto& spans : t.threads) {
    std::vector<const Span*> open;
    int64_t last = INT64_MIN;
    size_t left = 0;
    profile::walk(
        spans,
        [&](const Span& s) {
          EXPECT_EQ(s.depth, open.size());
          EXPECT_GE(s.end, s.begin);
          EXPECT_GE(s.begin, last);
          if (!open.empty()) {
            EXPECT_GE(s.begin, open.back()->begin);
            EXPECT_LE(s.end, open.back()->end);
          }
          last = s.begin;
          open.push_back(&s);
        },
        [&](const Span& s) {
          ASSERT_EQ(open.back(), &s);
          EXPECT_GE(s.end, last);
          last = s.end;
          open.pop_back();
          ++left;
        });
    EXPECT_EQ(left, spans.size());
  }
}

// By grain: length of its fragments less what is directly inside them.
std::vector<int64_t> executed(const WithTimeline& t) {
  std::vector<int64_t> exec(t.profile.grains.size(), 0);
  for (const auto& spans : t.timeline.threads) {
    std::vector<const Span*> open;
    profile::walk(
        spans,
        [&](const Span& s) {
          if (!open.empty() && executes(*open.back())) exec[open.back()->grain] -= s.end - s.begin;
          if (executes(s)) exec[s.grain] += s.end - s.begin;
          open.push_back(&s);
        },
        [&](const Span&) { open.pop_back(); });
  }
  return exec;
}

void expect_sums(const WithTimeline& t) {
  const std::vector<int64_t> exec = executed(t);
  for (size_t g = 0; g < exec.size(); ++g) EXPECT_EQ(exec[g], t.profile.grains[g].exec) << "grain " << g;
}

// One first and one last span for each grain that has fragments; as many creations as tasks.
void expect_marks(const WithTimeline& t) {
  std::vector<int> first(t.profile.grains.size()), last(first), created(first);
  for (const auto& spans : t.timeline.threads)
    for (const Span& s : spans) {
      if (executes(s)) first[s.grain] += s.first, last[s.grain] += s.last;
      if (s.kind == SpanKind::create) ++created[s.grain];
    }
  for (size_t g = 0; g < first.size(); ++g) {
    const profile::Grain& grain = t.profile.grains[g];
    EXPECT_EQ(first[g], grain.fragments > 0) << "grain " << g;
    EXPECT_EQ(last[g], grain.fragments > 0 && !(grain.flags & profile::kIncomplete)) << "grain " << g;
    EXPECT_EQ(created[g], grain.kind == profile::GrainKind::task) << "grain " << g;
  }
}

TEST(Timeline, OfTheGoldenPrograms) {
  for (const GrainFile& file : {figure53_tasks(), figure53_loop(), fib4(), nested(), depend_tasks(), depend_waits()}) {
    const WithTimeline t = load_timeline(file.bytes());
    expect_nested(t.timeline);
    expect_sums(t);
    expect_marks(t);
  }
}

TEST(Timeline, OfAllThatARecordingCanHave) {
  const WithTimeline t = load_timeline(rich_recording().bytes());
  expect_nested(t.timeline);
  expect_sums(t);
}

TEST(Timeline, NestsWhereRecordsAreMissing) { expect_nested(load_timeline(lossy_recording().bytes()).timeline); }

// The first thread of figure 5.3: it executes, creates, waits at the region's end, and runs bar there.
TEST(Timeline, OfFigure53) {
  const WithTimeline t = load_timeline(figure53_tasks().bytes());
  std::string told;
  for (const Span& s : t.timeline.threads[0])
    told += std::string(s.depth * 2, ' ') + profile::kSpanKindNames[size_t(s.kind)] + " " + std::to_string(s.begin) +
            "-" + std::to_string(s.end) + "\n";
  EXPECT_EQ(told, R"(fragment 0-100
region 100-320
  fragment 110-130
  create 130-135
  fragment 135-150
  wait 150-310
    idle 160-200
    fragment 205-245
    idle 250-300
fragment 320-400
)");
}

// A task that waits runs another one inside; a lock that it has to wait for is inside its fragment.
TEST(Timeline, LocksAndUndeferredTasks) {
  GrainFile file;
  uint32_t task = file.site(Construct::task, 0x2000), inner = file.site(Construct::task, 0x3000);
  uint32_t critical = file.site(Construct::critical, 0x4000);
  Script& a = file.thread(Script::kInitial);
  uint64_t outer = a.at(100).create(task, 10);
  a.at(115).start(outer).at(120).mutex_wait(critical, 7).at(150).mutex_acquired(critical, 7).at(160).mutex_released(7);
  uint64_t child = a.at(170).create(inner, 5);
  a.at(180).start(child).at(190).end();
  // This one runs at once: nothing of its creator lies between.
  uint64_t second = a.at(200).create(inner, 5);
  a.at(205).start(second).at(220).end();
  a.at(230).end().at(300).thread_end();
  const WithTimeline t = load_timeline(file.bytes());
  expect_nested(t.timeline);
  expect_sums(t);
  std::string told;
  for (const Span& s : t.timeline.threads[0])
    told += std::string(s.depth * 2, ' ') + profile::kSpanKindNames[size_t(s.kind)] + " " + std::to_string(s.begin) +
            "-" + std::to_string(s.end) + "\n";
  EXPECT_EQ(told, R"(fragment 0-100
create 100-110
fragment 110-300
  fragment 115-170
    blocked 120-150
  create 170-175
  fragment 175-200
    fragment 180-190
  create 200-205
  fragment 205-230
    fragment 205-220
)");
}

}  // namespace
}  // namespace einkorn
