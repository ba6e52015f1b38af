// A program before and after an edit, as recordings whose times are made up: each edit alone changes no line, and with
// one construct 30 % slower that construct is first, at both of its lines.
#include <cmath>
#include <functional>
#include <random>
#include "profile/compare.h"
#include "profile_support.h"

namespace einkorn {
namespace {

using namespace test;
using profile::Comparison;
using profile::GrainKind;
using profile::kNone;
using profile::LineChange;
using profile::Side;

enum class Work { dynamic_loop, static_loop, tasks };

struct Part {  // one parallel region, and what is in it
  std::string name;
  std::string function;
  uint32_t line;
  Work work;
  uint64_t us;  // of an iteration or a task
  uint32_t count = 100, chunk = 2;
  std::string clause = {};  // of its directive
};

struct Program {
  std::string file = "/home/me/app/p.c";
  std::vector<Part> parts = {
      {"small", "main", 10, Work::dynamic_loop, 2}, {"A", "main", 14, Work::dynamic_loop, 80},
      {"B", "work", 30, Work::dynamic_loop, 60},    {"C", "tree", 44, Work::tasks, 50},
      {"D", "grid", 60, Work::static_loop, 50},     {"last", "main", 20, Work::dynamic_loop, 30},
  };
  uint32_t threads = 2;
  bool clang = false;
  bool keeps_text = true;
  uint64_t seed = 1;

  Part& of(const std::string& name) {
    return *std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.name == name; });
  }
  void move_lines(uint32_t from, int by) {
    for (Part& p : parts)
      if (p.line >= from) p.line = uint32_t(int(p.line) + by);
  }
  GrainFile record() const;
};

// The text of a part: a directive, a for, and a call that no other part has.
std::string text_of(const Part& p) {
  return (p.work == Work::tasks ? "#pragma omp task" : "#pragma omp parallel for" + p.clause) +
         "\nfor (i = 0; i < n; i++)\n" + p.name + "_body(i);\n";
}

GrainFile Program::record() const {
  GrainFile file;
  std::mt19937_64 random(seed);
  // Some per cent of noise, and in each region one grain that lost its CPU for a while.
  auto takes = [&](const Part& p, uint32_t n, uint32_t i, uint32_t of) {
    const uint64_t ns = p.us * 1000 * n, noise = random() % (ns / 20 + 1);
    return ns + noise + (i == of / 3 && of > 8 ? 3 * ns : 0);
  };
  std::vector<Script*> team;
  for (uint32_t t = 0; t < threads; ++t) team.push_back(&file.thread(t == 0));
  uint64_t now = 1000;
  for (const Part& p : parts) {
    auto site = [&](Construct c, uint64_t at) {
      return file.site(c, at + 0x100 * p.line, 0, 0,
                       ";" + this->file + ";" + p.function + ";" + std::to_string(p.line) + ";1;;");
    };
    const uint32_t parallel = site(Construct::parallel, 0x10000), end = site(Construct::barrier_parallel, 0x10000);
    const uint32_t inner = site(p.work == Work::tasks ? Construct::task : Construct::loop, 0x20000);
    const uint64_t region = team[0]->new_region();
    team[0]->at(now).region_begin(parallel, region, threads);
    for (uint32_t t = 0; t < threads; ++t) team[t]->at(now + 10).implicit_begin(t, region);
    std::vector<uint64_t> ends(threads, now + 100);
    if (p.work == Work::dynamic_loop) {
      for (Script* t : team) t->at(now + 20).loop_begin(inner, p.count, p.chunk);
      for (uint32_t first = 0, i = 0; first < p.count; first += p.chunk, ++i) {
        const uint32_t t = i % threads, n = std::min(p.chunk, p.count - first);
        team[t]->at(ends[t]).chunk(first);
        ends[t] += takes(p, n, i, (p.count + p.chunk - 1) / p.chunk);
        team[t]->at(ends[t]).chunk_end();
        ends[t] += 20;
      }
      for (uint32_t t = 0; t < threads; ++t) team[t]->at(ends[t]).loop_end();
    } else if (p.work == Work::static_loop) {
      const uint32_t each = p.count / threads;
      for (uint32_t t = 0; t < threads; ++t) {
        if (clang)
          team[t]->at(now + 100).loop_begin(inner, p.count, each, record::Schedule::static_).chunk(t * each, each);
        ends[t] += takes(p, each, t, 1);
        if (clang) team[t]->at(ends[t]).chunk_end().loop_end();
      }
    } else {
      std::vector<uint64_t> ids;
      for (uint32_t i = 0; i < p.count; ++i) ids.push_back(team[0]->at(now + 20 + 3 * i).create(inner, 1));
      for (uint32_t t = 0; t < threads; ++t) ends[t] = now + 40 + 3 * p.count, team[t]->at(ends[t]).wait_begin(end);
      for (uint32_t i = 0; i < p.count; ++i) {
        const uint32_t t = i % threads;
        team[t]->at(ends[t] += 20).start(ids[i]);
        team[t]->at(ends[t] += takes(p, 1, i, p.count)).end();
      }
    }
    const uint64_t all = *std::max_element(ends.begin(), ends.end()) + 50;
    for (uint32_t t = 0; t < threads; ++t) {
      if (p.work != Work::tasks) team[t]->at(ends[t] + 10).wait_begin(end);
      team[t]->at(all).wait_end().implicit_end();
    }
    team[0]->at(all + 10).region_end();
    now = all + 1000;
    if (keeps_text) file.keep_text(this->file, p.line, 3, text_of(p));
  }
  for (Script* t : team) t->at(now).thread_end();
  return file;
}

Side side_of_program(const Program& program) {
  const std::string path = scratch(".grain");
  program.record().save(path);
  profile::Profile p;
  profile::LoadError error;
  EXPECT_TRUE(profile::load(path, {}, p, error)) << error.message;
  remove(path.c_str());
  return side_of(p);
}

struct Edit {
  const char* name;
  std::function<void(Program&)> make;
};

const std::vector<Edit> kEdits = {
    {"none", [](Program&) {}},
    {"comment lines above", [](Program& p) { p.move_lines(0, 3); }},
    {"comment lines between", [](Program& p) { p.move_lines(30, 5); }},
    {"fewer lines", [](Program& p) { p.move_lines(0, -4); }},
    {"each line is where the next construct was", [](Program& p) { p.move_lines(0, 4), p.of("last").line = 26; }},
    {"a line is where another function's was", [](Program& p) { p.move_lines(0, 16); }},
    {"another folder", [](Program& p) { p.file = "/tmp/ci/build/7/p.c"; }},
    {"a moved function", [](Program& p) { p.of("B").line = 200; }},
    {"a function moved to the front", [](Program& p) { p.move_lines(0, 20), p.of("C").line = 5; }},
    {"a renamed function", [](Program& p) { p.of("B").function = "compute"; }},
    {"a moved and renamed function", [](Program& p) { p.of("B").function = "compute", p.of("B").line = 200; }},
    {"all functions renamed",
     [](Program& p) {
       for (Part& part : p.parts) part.function = "x_" + part.function;
     }},
    {"another compiler", [](Program& p) { p.clang = true; }},
    {"other flags", [](Program& p) { p.seed = 7; }},
    {"more threads", [](Program& p) { p.threads = 4; }},
    {"one thread", [](Program& p) { p.threads = 1; }},
    {"other chunks", [](Program& p) { p.of("A").chunk = 5, p.of("B").chunk = 4; }},
    {"a static schedule",
     [](Program& p) { p.of("A").work = Work::static_loop, p.of("A").clause = " schedule(static)"; }},
    {"a loop split in two",
     [](Program& p) {
       Part second = p.of("A");
       second.name = "A2", second.line += 3, second.us /= 2;
       p.of("A").us /= 2;
       p.parts.insert(p.parts.begin() + 2, second);
     }},
    {"a loop split in three places",
     [](Program& p) {
       for (const char* name : {"A", "B"}) {
         Part second = p.of(name);
         second.name += "2", second.line += 3, second.us /= 2;
         p.of(name).us /= 2;
         p.parts.insert(std::find_if(p.parts.begin(), p.parts.end(), [&](auto& x) { return x.name == name; }) + 1,
                        second);
       }
     }},
    {"a task added", [](Program& p) { p.parts.insert(p.parts.begin() + 3, {"N", "tree", 40, Work::tasks, 1, 20}); }},
    {"a loop added in front",
     [](Program& p) { p.parts.insert(p.parts.begin(), {"N", "main", 8, Work::dynamic_loop, 1}); }},
    {"a small loop removed", [](Program& p) { p.parts.erase(p.parts.begin()); }},
    {"a renamed file", [](Program& p) { p.file = "/home/me/app/other.c"; }},
    {"a function made of main's loop", [](Program& p) { p.of("A").function = "first", p.of("A").line = 90; }},
    {"other directives",
     [](Program& p) {
       for (Part& part : p.parts) part.clause = " default(none)";
     }},
    {"two calls swapped", [](Program& p) { std::swap(p.of("B"), p.of("C")); }},
    {"a comment, another folder and a renamed function",
     [](Program& p) { p.move_lines(0, 11), p.file = "/w/p.c", p.of("D").function = "mesh"; }},
};

class Edits : public testing::TestWithParam<bool> {};

// What the comparison says first: the rows that changed by more than 2 % of the work, which are told in the verdict.
std::string first_of(const Side& before, const Side& after) {
  const Comparison c = compare(before, after);
  const int64_t little = std::max(before.work(), after.work()) / 50;
  if (c.lines.empty() || !c.lines[0].in_both() || std::abs(c.lines[0].by_median) <= little) return "";
  const LineChange& l = c.lines[0];
  return std::to_string(before.sources[l.before_source].line) + " > " +
         std::to_string(after.sources[l.after_source].line);
}

TEST_P(Edits, OfALineThatIsSlowerAndOfNone) {
  Program base;
  base.keeps_text = GetParam();
  const Side before = side_of_program(base);
  for (const Edit& edit : kEdits) {
    // Without text nobody can tell which of the loops is the new one, or that calls were swapped.
    if (!base.keeps_text && (std::string_view(edit.name) == "a small loop removed")) continue;
    Program same = base;
    same.seed = 2;
    edit.make(same);
    EXPECT_EQ(first_of(before, side_of_program(same)), "") << edit.name;
    for (const char* slow : {"A", "B", "C", "D"}) {
      Program slower = same;
      slower.of(slow).us = slower.of(slow).us * 13 / 10;
      std::string expected = std::to_string(base.of(slow).line) + " > " + std::to_string(slower.of(slow).line);
      EXPECT_EQ(first_of(before, side_of_program(slower)), expected) << edit.name << ", " << slow << " slower";
      // And the other way round: the edit is undone.
      expected = std::to_string(slower.of(slow).line) + " > " + std::to_string(base.of(slow).line);
      EXPECT_EQ(first_of(side_of_program(slower), before), expected) << edit.name << " undone, " << slow << " faster";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutText, Edits, testing::Bool());

// Two static loops with a barrier between them: shares of their region with gcc, chunks with clang.
Side two_static_loops(bool clang, uint64_t first, uint64_t second) {
  GrainFile file;
  auto site = [&](Construct c, uint32_t line) {
    return file.site(c, 0, 0x1000 * line + uint32_t(c), 0, ";p.c;main;" + std::to_string(line) + ";1;;");
  };
  const uint32_t parallel = site(Construct::parallel, 10), end = site(Construct::barrier_parallel, 10);
  const uint32_t loops[] = {site(Construct::loop, 12), site(Construct::loop, 15)}, wait = site(Construct::barrier, 14);
  std::vector<Script*> team = {&file.thread(true), &file.thread(false)};
  const uint64_t region = team[0]->new_region();
  team[0]->at(100).region_begin(parallel, region, 2);
  for (uint32_t t = 0; t < 2; ++t) {
    uint64_t now = 200;
    team[t]->at(now).implicit_begin(t, region);
    for (uint32_t i = 0; i < 2; ++i) {
      if (clang) team[t]->at(now).loop_begin(loops[i], 10, 5, record::Schedule::static_).chunk(5 * t, 5);
      team[t]->at(now += i == 0 ? first : second);
      if (clang) team[t]->chunk_end().loop_end();
      if (i == 0) team[t]->at(now += 10).wait_begin(wait).at(now += 10).wait_end();
    }
    team[t]->at(now += 10).wait_begin(end).at(now += 10).wait_end().implicit_end();
    if (t == 0) team[t]->at(now + 10).region_end();
    team[t]->at(now + 20).thread_end();
  }
  const std::string path = scratch(".grain");
  file.save(path);
  profile::Profile p;
  profile::LoadError error;
  EXPECT_TRUE(profile::load(path, {}, p, error)) << error.message;
  remove(path.c_str());
  return side_of(p);
}

TEST(EditsOnce, StaticLoopsOfTwoCompilers) {
  const Side gcc = two_static_loops(false, 30'000, 20'000);
  EXPECT_EQ(first_of(gcc, two_static_loops(true, 30'000, 20'000)), "");
  EXPECT_EQ(first_of(gcc, two_static_loops(true, 39'000, 20'000)), "14 > 12");
  EXPECT_EQ(first_of(gcc, two_static_loops(true, 30'000, 26'000)), "10 > 15");
  EXPECT_EQ(first_of(two_static_loops(true, 30'000, 26'000), gcc), "15 > 10");
}

TEST(EditsOnce, WhatIsHeldUpIsNoChange) {
  Program base, other;
  other.seed = 3;
  const Side b = side_of_program(base), a = side_of_program(other);
  const Comparison c = compare(b, a);
  EXPECT_EQ(c.share, 1);
  for (const LineChange& l : c.lines)
    if (l.kind == GrainKind::task) {
      EXPECT_LT(std::abs(l.by_median), l.before.exec / 30);
    }
}

TEST(EditsOnce, ANewConstructIsNoChangeOfAnother) {
  Program base, more;
  more.parts.insert(more.parts.begin() + 3, {"N", "tree", 40, Work::tasks, 60, 100});
  const Side b = side_of_program(base), a = side_of_program(more);
  const Comparison c = compare(b, a);
  EXPECT_EQ(first_of(b, a), "");
  const auto found = std::find_if(c.lines.begin(), c.lines.end(),
                                  [](const LineChange& l) { return !l.in_both() && l.after.grains == 100; });
  ASSERT_NE(found, c.lines.end());
  EXPECT_EQ(a.sources[found->after_source].line, 40u);
  EXPECT_EQ(found->before_source, kNone);
  // What comes behind it is still the same, though its name has shifted.
  EXPECT_GT(c.share, 0.7);
}

}  // namespace
}  // namespace einkorn
