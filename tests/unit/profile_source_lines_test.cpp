// What a recording keeps of its source lines: read, made, and set against what the program's files say today.
#include "profile/source_lines.h"
#include "profile_support.h"

namespace einkorn {
namespace {

using namespace test;
using profile::choose_source;
using profile::Source;
using profile::SourceLines;

std::span<const std::byte> bytes_of(const std::string& s) { return std::as_bytes(std::span(s.data(), s.size())); }

Source source(const std::string& file, uint32_t line, const std::string& function) {
  Source s;
  s.file = file;
  s.line = line;
  s.function = function;
  return s;
}

TEST(SourceLines, WhatIsMadeIsRead) {
  SourceLines lines;
  for (uint32_t id = 1; id <= 20000; ++id) lines.of_site[id] = source("/a/long/folder/file.cpp", id, "ns::function");
  lines.of_site[7].inlined = {"inner inner.h:3", "outer file.cpp:7"};
  lines.of_site[8].module = "/bin/app";
  lines.of_site[8].address = 0x1234;
  lines.of_site[9] = source("", 0, "");  // nothing is known: not kept
  lines.of_access[0xffff'8000'0000'0001] = source("x.c", 3, "f");
  lines.texts = {{"x.c", 2, {"two", "", "four"}}, {"y.c", 1, {std::string(2000, 'y')}}};
  SourceLines read;
  const std::vector<std::string> payloads = profile::source_line_payloads(lines);
  EXPECT_GT(payloads.size(), 1u);  // no block is too large
  for (const std::string& p : payloads) {
    EXPECT_LT(p.size(), 1u << 20);
    EXPECT_TRUE(read_source_lines(bytes_of(p), read));
  }
  for (const std::string& p : profile::source_text_payloads(lines.texts))
    EXPECT_TRUE(read_source_text(bytes_of(p), read));
  EXPECT_EQ(read.of_site.size(), 19999u);
  EXPECT_FALSE(read.of_site.contains(9));
  EXPECT_EQ(read.of_site.at(20000).line, 20000u);
  EXPECT_EQ(read.of_site.at(7).inlined, lines.of_site[7].inlined);
  EXPECT_EQ(read.of_site.at(8).module, "/bin/app");
  EXPECT_EQ(read.of_site.at(8).address, 0x1234u);
  EXPECT_EQ(read.of_access.at(0xffff'8000'0000'0001).function, "f");
  ASSERT_EQ(read.texts.size(), 2u);
  EXPECT_EQ(read.texts[0].lines, (std::vector<std::string>{"two", "", "four"}));
  EXPECT_EQ(read.texts[0].first_line, 2u);
  EXPECT_EQ(read.texts[1].lines[0].size(), 512u);
}

TEST(SourceLines, DamageIsNoticed) {
  GrainFile file;
  file.keep_line(1, "a.c", 3, "f", std::string("f a.c:3\0", 8));
  file.keep_text("a.c", 3, 1, "text\n");
  const std::string good = file.source_lines, text = file.source_text;
  for (size_t n = 1; n < good.size(); ++n) {
    SourceLines out;
    EXPECT_FALSE(read_source_lines(bytes_of(good.substr(0, n)), out)) << n;
  }
  for (size_t n = 1; n < text.size(); ++n) {
    SourceLines out;
    EXPECT_FALSE(read_source_text(bytes_of(text.substr(0, n)), out)) << n;
  }
  auto refused = [](auto&& fill) {
    GrainFile f;
    fill(f);
    SourceLines out;
    return !read_source_lines(bytes_of(f.source_lines), out) || !read_source_text(bytes_of(f.source_text), out);
  };
  EXPECT_FALSE(refused([](GrainFile& f) { f.keep_line(1, "a.c", 1, "f"); }));
  EXPECT_TRUE(refused([](GrainFile& f) { f.keep_line(1, std::string("a\0c", 3), 1, "f"); }));
  EXPECT_TRUE(refused([](GrainFile& f) { f.keep_line(1, std::string(5000, 'a'), 1, "f"); }));
  EXPECT_TRUE(refused([](GrainFile& f) { f.keep_line(1, "", 1, "f"); }));  // a line of no file
  EXPECT_TRUE(refused([](GrainFile& f) { f.keep_line(1, "a.c", 1, "f", "no end"); }));
  EXPECT_TRUE(refused([](GrainFile& f) { f.keep_text("a.c", 0, 1, "x\n"); }));
  EXPECT_TRUE(refused([](GrainFile& f) { f.keep_text("a.c", 0xffffffff, 1, "x\n"); }));
  EXPECT_TRUE(refused([](GrainFile& f) { f.keep_text("a.c", 1, 2, "x\n"); }));
  EXPECT_TRUE(refused([](GrainFile& f) { f.keep_text("a.c", 1, 1, "x"); }));
  EXPECT_TRUE(refused([](GrainFile& f) { f.keep_text("", 1, 1, "x\n"); }));
}

TEST(SourceLines, TodaysFilesOnlyWhereTheyAreThoseRecorded) {
  const Source kept = source("/src/a.c", 3, "f");
  auto chosen = [](Source now, const Source* k, bool same) {
    now.construct = "task";
    choose_source(now, k, same);
    EXPECT_EQ(now.construct, "task");
    return now;
  };
  EXPECT_EQ(chosen(source("/src/a.c", 9, "f"), &kept, false).line, 3u);  // another file by now
  EXPECT_EQ(chosen(source("/src/a.c", 9, "f"), &kept, true).line, 9u);
  EXPECT_EQ(chosen(source("", 0, ""), &kept, true).line, 3u);  // stripped since
  EXPECT_EQ(chosen(source("", 0, ""), &kept, false).line, 3u);
  EXPECT_EQ(chosen(source("", 0, ""), nullptr, false).line, 0u);
  const Source named = source("", 0, "f");  // stripped when it was recorded: debug information may have come since
  EXPECT_EQ(chosen(source("/src/a.c", 9, "g"), &named, true).line, 9u);
  EXPECT_EQ(chosen(source("", 0, ""), &named, true).function, "f");
}

TEST(SourceLines, OfARecordingWhoseProgramIsGone) {
  const GrainFile file = rich_recording();
  const std::string path = scratch(".grain");
  file.save(path);
  profile::Profile p;
  profile::LoadError error;
  ASSERT_TRUE(profile::load(path, {}, p, error)) << error.message;
  remove(path.c_str());
  const auto task = std::find_if(p.sources.begin(), p.sources.end(), [](const Source& s) { return s.line == 12; });
  ASSERT_NE(task, p.sources.end());
  EXPECT_EQ(task->file, "/src/a.c");
  EXPECT_EQ(task->function, "work");
  EXPECT_EQ(task->construct, "task");
  EXPECT_EQ(task->inlined, (std::vector<std::string>{"inner a.c:3", "work a.c:12"}));
  ASSERT_EQ(p.source_texts.size(), 1u);
  EXPECT_EQ(p.source_texts[0].lines[1], "#pragma omp task");
  EXPECT_TRUE(p.totals.complete);
  EXPECT_EQ(p.totals.damaged_blocks, 0u);
}

}  // namespace
}  // namespace einkorn
