// Hints files: what is read, what is refused and with which words, and that what is written is read again.
#include <gtest/gtest.h>

#include "hints/text.h"

namespace einkorn::hints {
namespace {

const std::string kHead = "einkorn-hints 1\nobject fib 0a1b2c\n";

struct Parsed {
  bool good;
  File file;
  std::vector<Complaint> wrong;
};
Parsed read(const std::string& text) {
  Parsed p;
  p.good = parse(text, p.file, p.wrong);
  return p;
}

// The one complaint about the one line behind kHead.
std::string complaint(const std::string& line) {
  const Parsed p = read(kHead + line + "\n");
  EXPECT_TRUE(p.good) << line;
  EXPECT_EQ(p.file.hints.size(), 0u) << line;
  if (p.wrong.size() != 1) return "(" + std::to_string(p.wrong.size()) + " complaints)";
  EXPECT_EQ(p.wrong[0].line, 3) << line;
  return p.wrong[0].what;
}

TEST(HintsText, EveryHintIsRead) {
  const Parsed p = read(
      "# what tune found\n\neinkorn-hints 1\r\n"
      "object my%20app 0a1b2c\n"
      "task fib.c:21 at 0x11b5 cutoff=9  # below here fib is short\n"
      "taskloop a.c:3 at 0x10,0x20-0x30 grain=100\n"
      "\tloop a.c:4 at 0x40 schedule=guided\n"
      "loop a.c:5 at 0x50 schedule=dynamic,64 bold\n"
      "loop a.c:6 at 0x60 chunk=8\n"
      "object libx.so.1\n"
      "region solve threads=2\n"
      "allocation a.c:9 at 0x90 place=blocked\n");
  ASSERT_TRUE(p.good);
  EXPECT_TRUE(p.wrong.empty()) << p.wrong[0].what;
  ASSERT_EQ(p.file.objects.size(), 2u);
  EXPECT_EQ(p.file.objects[0].name, "my app");
  EXPECT_EQ(p.file.objects[0].build_id, "0a1b2c");
  EXPECT_EQ(p.file.objects[1].build_id, "");
  ASSERT_EQ(p.file.hints.size(), 7u);
  const auto& h = p.file.hints;
  EXPECT_EQ(h[0].construct, Construct::task);
  EXPECT_EQ(h[0].place, "fib.c:21");
  EXPECT_EQ(h[0].cutoff, 9);
  EXPECT_EQ(h[0].line, 5);
  ASSERT_EQ(h[0].code.size(), 1u);
  EXPECT_EQ(h[0].code[0].begin, 0x11b5u);
  EXPECT_EQ(h[0].code[0].end, 0x11b6u);
  EXPECT_EQ(h[1].grain, 100u);
  ASSERT_EQ(h[1].code.size(), 2u);
  EXPECT_EQ(h[1].code[1].end, 0x30u);
  EXPECT_EQ(h[2].kind, Kind::guided);
  EXPECT_EQ(h[2].chunk, 0u);
  EXPECT_EQ(h[3].kind, Kind::dynamic);
  EXPECT_EQ(h[3].chunk, 64u);
  EXPECT_TRUE(h[3].bold);
  EXPECT_EQ(h[4].kind, Kind::unchanged);
  EXPECT_EQ(h[4].chunk, 8u);
  EXPECT_EQ(h[5].object, 1u);
  EXPECT_EQ(h[5].threads, 2u);
  EXPECT_TRUE(h[5].code.empty());
  EXPECT_EQ(h[6].construct, Construct::allocation);
  EXPECT_EQ(h[6].spread, Spread::blocked);
  EXPECT_EQ(values_of(h[6]), "place=blocked");
  EXPECT_TRUE(places_allocations(p.file));
  EXPECT_FALSE(places_allocations(read(kHead + "task fib.c:21 at 0x11b5 cutoff=9\n").file));
}

TEST(HintsText, OfVariables) {
  const std::string text = "einkorn-hints 1\nobject a b1\nvariable f%20a(int)::x.1 at 0x4060-0x44060 place=fine\n";
  const Parsed p = read(text);
  EXPECT_TRUE(p.wrong.empty());
  ASSERT_EQ(p.file.hints.size(), 1u);
  EXPECT_EQ(p.file.hints[0].construct, Construct::variable);
  EXPECT_EQ(p.file.hints[0].place, "f a(int)::x.1");
  EXPECT_EQ(p.file.hints[0].spread, Spread::fine);
  EXPECT_EQ(to_text(p.file), text);
  EXPECT_FALSE(places_allocations(p.file));
  EXPECT_EQ(complaint("variable"), "no variable follows");
  EXPECT_EQ(complaint("variable x"), "it asks for nothing");
  EXPECT_EQ(complaint("variable a%2 place=fine"), "\"a%2\" is not a variable");
  EXPECT_EQ(complaint("variable x cutoff=1"), "cutoff is said of a task, not of a variable");
  EXPECT_EQ(complaint("variable x place"), "place has no value");
  EXPECT_EQ(complaint("variable x place=fine place=fine"), "the variable has two places");
}

TEST(HintsText, WhatIsWrongWithALineIsSaid) {
  EXPECT_EQ(complaint("task fib.c:21 cutof=9"), "there is no hint \"cutof\"");
  EXPECT_EQ(complaint("tasks fib.c:21 cutoff=9"),
            "\"tasks\" is none of set, object, task, taskloop, loop, region, allocation and variable");
  EXPECT_EQ(complaint("task fib.c:21"), "it asks for nothing");
  EXPECT_EQ(complaint("task"), "no FILE:LINE or function follows");
  EXPECT_EQ(complaint("task a%2 cutoff=1"), "\"a%2\" is not FILE:LINE or a function");
  EXPECT_EQ(complaint("task a%0ab cutoff=1"), "\"a%0ab\" is not FILE:LINE or a function");
  EXPECT_EQ(complaint("task fib.c:21 threads=2"), "threads is said of a region, not of a task");
  EXPECT_EQ(complaint("task fib.c:21 cutoff"), "cutoff has no value");
  EXPECT_EQ(complaint("task fib.c:21 cutoff=-1"), "cutoff=\"-1\" is not a number from 0 to 1000000");
  EXPECT_EQ(complaint("task fib.c:21 cutoff=99999999999999999999"),
            "cutoff=\"99999999999999999999\" is not a number from 0 to 1000000");
  EXPECT_EQ(complaint("allocation a.c:1 place=there"), "place=\"there\" is none of fine, coarse, blocked and nearest");
  EXPECT_EQ(complaint("allocation a.c:1 place=fine place=coarse"), "the allocation has two places");
  EXPECT_EQ(complaint("allocation a.c:1 threads=2"), "threads is said of a region, not of an allocation");
  EXPECT_EQ(complaint("loop a.c:1 place=fine"), "place is said of an allocation, not of a loop");
  EXPECT_EQ(complaint("region a.c:1 threads=0"), "threads=\"0\" is not a number from 1 to 65534");
  EXPECT_EQ(complaint("region a.c:1 bind=master"), "bind=\"master\" is none of primary, close and spread");
  EXPECT_EQ(complaint("task a.c:1 bind=close"), "bind is said of a region, not of a task");
  EXPECT_EQ(complaint("task a.c:1 priority=1 priority=2"), "priority is said twice");
  EXPECT_EQ(complaint("task a.c:1 cutoff=0 cutoff=0"), "cutoff is said twice");
  EXPECT_EQ(complaint("region a.c:1 bind=close bind=spread"), "bind is said twice");
  EXPECT_EQ(complaint("loop a.c:1 chunk=3 chunk=3"), "chunk is said twice");
  EXPECT_EQ(complaint("variable x at 0x4060 place=fine"), "a variable is a range of addresses, such as 0x4060-0x44060");
  EXPECT_EQ(complaint("task a.c:1 priority=0"), "priority=\"0\" is not a number from 1 to 1000000");
  EXPECT_EQ(values_of(read(kHead + "task fib.c:21 priority=7 cutoff=0\n").file.hints.at(0)), "cutoff=0 priority=7");
  EXPECT_EQ(complaint("loop a.c:1 schedule=auto"), "schedule=\"auto\" is none of static, dynamic and guided");
  EXPECT_EQ(complaint("loop a.c:1 schedule=dynamic,0"),
            "the chunk in schedule=\"dynamic,0\" is not a number from 1 to 2147483647");
  EXPECT_EQ(complaint("loop a.c:1 schedule=dynamic chunk=3"), "the loop has two schedules");
  EXPECT_EQ(complaint("task fib.c:21 at 1234 cutoff=1"), "\"1234\" are no addresses, such as 0x11b5,0x1200-0x1280");
  EXPECT_EQ(complaint("task fib.c:21 at 0x20-0x10 cutoff=1"),
            "\"0x20-0x10\" are no addresses, such as 0x11b5,0x1200-0x1280");
  EXPECT_EQ(complaint("object fib xyz"), "\"xyz\" is not a build-id");
  EXPECT_EQ(complaint("task fib \x1b[31m=9"), "there is no hint \"?[31m\"");  // nothing for a terminal
  EXPECT_EQ(complaint("task \x1b[31mfib cutoff=9"), "\"?[31mfib\" is not FILE:LINE or a function");
}

TEST(HintsText, ForTheWholeProgram) {
  const Parsed p = read("einkorn-hints 1\nset OMP_PROC_BIND=close,spread  # both levels\nset OMP_PLACES={0:4}\n");
  EXPECT_TRUE(p.wrong.empty());
  ASSERT_EQ(p.file.hints.size(), 2u);
  EXPECT_EQ(p.file.hints[0].construct, Construct::set);
  EXPECT_EQ(p.file.hints[0].place, "OMP_PROC_BIND");
  EXPECT_EQ(p.file.hints[0].value, "close,spread");
  EXPECT_EQ(words_of(p.file.hints[1]), "set OMP_PLACES={0:4}");
  EXPECT_EQ(to_text(p.file), "einkorn-hints 1\nset OMP_PROC_BIND=close,spread\nset OMP_PLACES={0:4}\n");
  EXPECT_EQ(complaint("set LD_PRELOAD=/tmp/a.so"),
            "\"LD_PRELOAD\" is none of OMP_PROC_BIND, OMP_PLACES, OMP_WAIT_POLICY and EINKORN_SCHEDULE");
  EXPECT_EQ(complaint("set OMP_PLACES"), "OMP_PLACES has no value");
  EXPECT_EQ(complaint("set OMP_PLACES="), "OMP_PLACES has no value");
  EXPECT_EQ(complaint("set OMP_PLACES=\x1b[31m"), "OMP_PLACES has no value");
  EXPECT_EQ(complaint("set OMP_WAIT_POLICY=passive OMP_PLACES=cores"), "more follows the value");
  const Parsed twice = read("einkorn-hints 1\nset OMP_PLACES=cores\nset OMP_PLACES=threads\n");
  ASSERT_EQ(twice.wrong.size(), 1u);
  EXPECT_EQ(twice.wrong[0].what, "it is about the same variable as line 2");
}

TEST(HintsText, WhatTheUserSetsCounts) {
  EXPECT_EQ(overruled_by("OMP_PLACES", [](const char*) { return false; }), nullptr);
  EXPECT_STREQ(overruled_by("OMP_PLACES", [](const char* name) { return std::string(name) == "GOMP_CPU_AFFINITY"; }),
               "GOMP_CPU_AFFINITY");
  EXPECT_STREQ(overruled_by("OMP_WAIT_POLICY", [](const char* name) { return std::string(name) == "KMP_BLOCKTIME"; }),
               "KMP_BLOCKTIME");
  EXPECT_EQ(overruled_by("EINKORN_SCHEDULE", [](const char* name) { return std::string(name) == "OMP_PLACES"; }),
            nullptr);
}

TEST(HintsText, AHintWithoutItsObjectIsNotGuessed) {
  const Parsed p = read("einkorn-hints 1\ntask fib.c:21 cutoff=9\nobject ! x\ntask fib.c:22 cutoff=9\n");
  EXPECT_TRUE(p.good);
  EXPECT_TRUE(p.file.hints.empty());
  ASSERT_EQ(p.wrong.size(), 3u);
  EXPECT_EQ(p.wrong[0].what,
            "no line \"object NAME\" stands above it: NAME is the file of the program or library, such as app");
  EXPECT_EQ(p.wrong[2].what, p.wrong[0].what);  // the line above it is not valid
}

TEST(HintsText, OtherFilesAndNewerOnesAreRefused) {
  for (const char* text :
       {"", "\n\n# nothing\n", "EINKGRAIN", "einkorn-hints", "einkorn-hints one\n", "einkorn-hints 0\n"}) {
    const Parsed p = read(text);
    EXPECT_FALSE(p.good) << text;
    ASSERT_EQ(p.wrong.size(), 1u) << text;
    EXPECT_NE(p.wrong[0].what.find("\"einkorn-hints 1\""), std::string::npos) << text;
  }
  const Parsed newer = read("einkorn-hints 2\nobject fib 00\nalways fib\n");
  EXPECT_FALSE(newer.good);
  ASSERT_EQ(newer.wrong.size(), 1u);
  EXPECT_NE(newer.wrong[0].what.find("version 2"), std::string::npos);
  EXPECT_FALSE(read(kHead + std::string(kMostBytes, '\n')).good);
}

TEST(HintsText, OfLinesAboutOneConstructTheFirstCounts) {
  const Parsed p = read(kHead +
                        "task fib.c:21 at 0x10 cutoff=1\n"       // 3
                        "loop fib.c:21 at 0x10 chunk=2\n"        // another construct
                        "task fib.c:22 at 0x0-0x100 cutoff=2\n"  // 5: holds 0x10
                        "task fib.c:21 cutoff=3\n"               // 6: the same line, without addresses
                        "task fib.c:21 at 0x200 cutoff=4\n"      // another task of that line
                        "object other 0a\n"
                        "task fib.c:21 at 0x10 cutoff=5\n");
  ASSERT_TRUE(p.good);
  ASSERT_EQ(p.wrong.size(), 2u);
  EXPECT_EQ(p.wrong[0].line, 5);
  EXPECT_EQ(p.wrong[0].what, "it is about the same task as line 3");
  EXPECT_EQ(p.wrong[1].line, 6);
  EXPECT_EQ(p.wrong[1].what, "it is about the same task as line 3");
  EXPECT_EQ(p.file.hints.size(), 4u);
}

TEST(HintsText, WhatIsWrittenIsReadAgain) {
  File file;
  file.objects = {{"a b#c%d,e", "00ff"}, {"lib.so", ""}};
  Hint task, loop;
  task.object = 1;
  task.place = "x y.c:3";
  task.cutoff = 0;
  task.comment = "from 2.0 s to 1.0 s";
  loop.construct = Construct::loop;
  loop.place = "operator,()";
  loop.kind = Kind::static_;
  loop.chunk = 7;
  loop.bold = true;
  loop.code = {{0x10, 0x11}, {0x20, 0x40}};
  file.hints = {task, loop};
  const std::string text = to_text(file);
  EXPECT_NE(text.find("# from 2.0 s to 1.0 s\ntask x%20y.c:3 cutoff=0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("loop operator%2c() at 0x10,0x20-0x40 schedule=static,7 bold\n"), std::string::npos) << text;
  const Parsed again = read(text);
  ASSERT_TRUE(again.good);
  EXPECT_TRUE(again.wrong.empty());
  EXPECT_EQ(again.file.objects[0].name, file.objects[0].name);
  ASSERT_EQ(again.file.hints.size(), 2u);
  EXPECT_EQ(again.file.hints[0].place, "operator,()");
  EXPECT_EQ(again.file.hints[1].place, "x y.c:3");
  EXPECT_EQ(again.file.hints[1].cutoff, 0);
}

TEST(HintsText, Lines) {
  std::string file;
  uint32_t line = 0;
  EXPECT_TRUE(as_line("a/b.c:12", file, line));
  EXPECT_EQ(file, "a/b.c");
  EXPECT_EQ(line, 12u);
  for (const char* not_one : {"solve", "a::b", ":3", "a.c:", "a.c:0", "a.c:4294967296"})
    EXPECT_FALSE(as_line(not_one, file, line)) << not_one;
}

}  // namespace
}  // namespace einkorn::hints
