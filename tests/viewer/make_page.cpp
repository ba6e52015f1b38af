// Writes a page from a synthetic program, for the browser tests:
//   make_page OUT.html SHAPE SIZE [--hostile] [--long-names] [--busy] [--no-source] [--tuned] [--memory] [--max-grains N]
// and prints what the page must show, as JSON.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include "report/findings/findings.h"
#include "report/locality.h"
#include "report/page/page.h"
#include "synthetic.h"

namespace {

using namespace einkorn::synthetic;

uint64_t g_seed = 88172645463325252u;
uint64_t random_number() {
  g_seed ^= g_seed << 13;
  g_seed ^= g_seed >> 7;
  g_seed ^= g_seed << 17;
  return g_seed;
}
int64_t about(int64_t ns) { return ns / 2 + int64_t(random_number() % uint64_t(ns)); }

constexpr uint32_t kTeam = 4;
int64_t g_cost = 120;  // of creating a task of tree(), ns

struct Places {
  uint32_t main, region, single, task, wait, loop, barrier;
};

Places places(Program& p, bool hostile) {
  // Their line numbers are those of this file, so that the page has source text to show.
  const std::string file = EINKORN_MAKE_PAGE;
  if (!hostile) {
    Places at{};
    at.main = p.source(file, __LINE__, "main", "initial");
    at.region = p.source(file, __LINE__, "main", "parallel");
    at.single = p.source(file, __LINE__, "main", "single");
    at.task = p.source(file, __LINE__, "fib(int)", "task");
    at.wait = p.source(file, __LINE__, "fib(int)", "taskwait");
    at.loop = p.source(file, __LINE__, "smooth(double*, long)", "loop");
    at.barrier = p.source(file, __LINE__, "main", "barrier");
    return at;
  }
  const std::string run = "window.hacked=1";
  return {p.source("/tmp/</script><script>" + run + "</script>.c", 1, "main</script><script>" + run + "</script>",
                   "initial"),
          p.source("\"><img src=x onerror=" + run + ">", 2, "<!--<script>" + run, "parallel"),
          p.source("a\xe2\x80\xa8"
                   "b.c",
                   3, "x\xe2\x80\xa9'];" + run + ";//", "single"),
          p.source("\xff\xfe\xc3(.c", 4, std::string("zero\0inside", 11) + "]]>", "task"),
          p.source("@EINKORN_DATA@", 5, "@EINKORN_META@", "taskwait"),
          p.source("/dev/zero", 6, "${" + run + "}`" + run + "`", "loop"),
          p.source("../../etc/passwd", 1, "javascript:" + run, "barrier")};
}

// fib-like: two children of unlike size, then a wait.
void tree(Program& p, const Places& at, uint32_t grains, uint32_t thread) {
  p.work(about(300));
  if (grains > 1) {
    const uint32_t below = grains - 1, first = below * 618 / 1000;
    for (const uint32_t part : {first, below - first}) {
      if (part == 0) continue;
      p.begin(at.task, random_number() % 50 == 0 ? uint32_t(random_number() % kTeam) : thread, g_cost);
      tree(p, at, part, thread);
      p.end();
      p.work(about(80));
    }
    p.wait(at.wait);
  }
  p.work(grains == 1 ? about(4000) : about(200));
}

void in_single(Program& p, const Places& at, const std::function<void()>& body) {
  p.work(about(5000));
  p.region_begin(at.region, kTeam);
  for (uint32_t i = 0; i < kTeam; ++i) {
    p.member(i);
    p.share(at.single);
    p.work(about(700));
    if (i == 0) body();
  }
  p.region_end(at.barrier);
  p.work(about(2000));
}

void loops(Program& p, const Places& at, uint32_t chunks) {
  p.work(about(5000));
  p.region_begin(at.region, kTeam);
  for (uint32_t phase = 0; phase < 2; ++phase) {
    const uint32_t loop = p.loop(at.loop, uint64_t(chunks) * 4, 4);
    for (uint32_t i = 0; i < kTeam; ++i) {
      p.member(i);
      p.share(at.region);
      p.work(about(1500));
      for (uint32_t c = i; c < chunks / 2; c += kTeam)
        p.chunk(at.loop, loop, int64_t(c) * 4, 4, about(c % 17 == 0 ? 30000 : 3000));
    }
    p.barrier(at.barrier);
  }
  for (uint32_t i = 0; i < kTeam; ++i) {
    p.member(i);
    p.share(at.region);
    p.work(about(900));
  }
  p.region_end(at.barrier);
  p.work(about(2000));
}

void deep(Program& p, const Places& at, uint32_t depth) {
  for (uint32_t i = 0; i < depth; ++i) {
    p.work(about(300));
    p.begin(at.task, 0);
  }
  p.work(500);
  for (uint32_t i = 0; i < depth; ++i) {
    p.end();
    p.wait(at.wait);
    p.work(100);
  }
}

void wide(Program& p, const Places& at, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) {
    p.begin(at.task, uint32_t(random_number() % kTeam));
    p.work(about(2000));
    p.end();
    p.work(50);
  }
}

// Tasks that outlive their parents: nobody waits before the barrier.
void rogue(Program& p, const Places& at, uint32_t grains) {
  p.work(about(400));
  const uint32_t below = grains - 1;
  for (const uint32_t part : {below / 2, below - below / 2}) {
    if (part == 0) continue;
    p.begin(at.task, uint32_t(random_number() % kTeam));
    rogue(p, at, part);
    p.end();
    p.work(about(100));
  }
}

// Regions one after the other, as a solver has them in its loop.
void regions(Program& p, const Places& at, uint32_t n) {
  for (uint32_t r = 0; r < n; ++r) {
    p.work(about(200));
    p.region_begin(at.region, kTeam);
    for (uint32_t i = 0; i < kTeam; ++i) {
      p.member(i);
      p.share(at.region);
      p.work(about(2000));
    }
    p.region_end(at.barrier);
  }
}

// Names as C++ and Cython make them, half of them without a line.
void lengthen(einkorn::profile::Profile& p) {
  for (size_t i = 0; i < p.sources.size(); ++i) {
    einkorn::profile::Source& s = p.sources[i];
    s.function = fmt::format(
        "__pyx_pf_8skimage_7restoration_14_denoise_cy_{}<std::vector<std::pair<double, std::allocator<double>>>, "
        "Eigen::Matrix<double, -1, -1, 0, -1, -1>>::operator()(long, long) const",
        i);
    if (i % 2) s.file.clear(), s.line = 0;
  }
}

// What a machine that others use makes of it: the kernel let threads wait for a CPU. And tasks wait for some time, with
// data on four nodes.
void disturb(einkorn::profile::Profile& p) {
  p.times_valid = false;
  p.totals.cpu_wait_ns = p.wall_ns;
  p.thread_time[size_t(State::work)] /= 200;  // by the kernel's account; the grains have their time off the CPU in them
  for (size_t i = 0; i < p.grains.size(); ++i) {
    Grain& g = p.grains[i];
    if (g.kind != GrainKind::task) continue;
    g.create_begin = std::max<int64_t>(0, g.create_begin - 5000);
    g.footprint = uint32_t(p.footprints.size());
    Footprint f;
    f.bytes = f.known = f.at_home = 4096;
    f.home = uint16_t(i % 4);
    p.footprints.push_back(f);
  }
  p.chained_tasks = p.totals.tasks;
  p.longest_chain = 12;
}

// Who allocates memory, on a machine of 1,024 nodes, four of which ran grains: a thousand entries, of which one is a
// variable.
void allocate(einkorn::profile::Profile& p, const std::string& variable) {
  for (size_t i = 0; i < p.grains.size(); ++i) p.grains[i].node = uint16_t(i % 4);
  for (uint32_t i = 0; i < 1000; ++i) {
    einkorn::profile::Source s;
    s.module = "/nowhere/synthetic";
    s.address = 0x10000 + i;
    if (i == 2) s.construct = "variable", s.function = variable;
    else s.construct = "allocation", s.function = "main", s.file = EINKORN_MAKE_PAGE, s.line = i + 1;
    Allocations a;
    a.source = uint32_t(p.sources.size());
    a.blocks = i == 2 ? 1 : 1 + i * 7 % 1000;
    a.bytes = uint64_t(4'000'000'000 / (i + 1));
    a.largest = a.bytes / a.blocks;
    if (i == 0) a.on.assign(1024, 1000), a.on[700] = 177'000;  // 14.8 %; 84.7 % are on 1,016
    if (i == 1 || i == 2) a.on = {0, 0, 1000, 9000};
    p.sources.push_back(std::move(s));
    p.allocations.push_back(std::move(a));
  }
}

int usage() {
  fmt::print(
      stderr,
      "make_page OUT.html tree|loops|deep|wide|regions|rogue|mixed SIZE [--hostile] [--long-names] [--busy] [--no-source] "
      "[--tuned] [--memory] [--max-grains N]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return usage();
  const std::string shape = argv[2];
  const uint32_t size = uint32_t(std::strtoul(argv[3], nullptr, 10));
  bool hostile = false, long_names = false, busy = false, memory = false;
  einkorn::report::HtmlOptions options;
  options.out = argv[1];
  // As `einkorn tune` has it.
  const nlohmann::json tuning = {{"goal", "time"},
                                 {"runs", 9},
                                 {"seconds", 1.5},
                                 {"tried",
                                  {{{"hints", "task tree.c:8 cutoff=8"},
                                    {"what", "</script>run tasks with 8 or more above them at once"},
                                    {"verdict", "accepted"},
                                    {"pairs", 3},
                                    {"before_seconds", 0.25},
                                    {"after_seconds", 0.125},
                                    {"gained_seconds", 0.125},
                                    {"promised_seconds", 0.2}},
                                   {{"hints", "region tree.c:3 threads=3"},
                                    {"what", "3 threads instead of 4"},
                                    {"verdict", "not tried"},
                                    {"pairs", 0},
                                    {"predicted_percent", {-1.5, 4}}}}},
                                 {"hints_file", "tree.hints"},
                                 {"stopped", "nothing was gained in so many runs"}};
  for (int i = 4; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--hostile")) hostile = true;
    else if (!std::strcmp(argv[i], "--long-names")) long_names = true;
    else if (!std::strcmp(argv[i], "--busy")) busy = true;
    else if (!std::strcmp(argv[i], "--memory")) memory = true;
    else if (!std::strcmp(argv[i], "--no-source")) options.source.none = true;
    else if (!std::strcmp(argv[i], "--tuned")) options.tuning = &tuning;
    else if (!std::strcmp(argv[i], "--max-grains") && i + 1 < argc)
      options.max_grains = uint32_t(std::strtoul(argv[++i], nullptr, 10));
    else return usage();
  }

  Program p;
  const Places at = places(p, hostile);
  if (shape == "tree") in_single(p, at, [&] { tree(p, at, size, 0); });
  else if (shape == "loops") loops(p, at, size);
  else if (shape == "deep") in_single(p, at, [&] { deep(p, at, size); });
  else if (shape == "wide") in_single(p, at, [&] { wide(p, at, size); });
  else if (shape == "regions") regions(p, at, size);
  else if (shape == "rogue") in_single(p, at, [&] { rogue(p, at, size); });
  else if (shape == "mixed") {
    g_cost = 900;  // as much as they execute: there is a problem to be found
    loops(p, at, size / 4);
    in_single(p, at, [&] { tree(p, at, size / 2, 0); });
    in_single(p, at, [&] { rogue(p, at, size / 8); });
    loops(p, at, size / 8);
  } else return usage();
  einkorn::profile::Profile profile = p.finish(kTeam);
  profile.source_folders = {std::filesystem::path(EINKORN_MAKE_PAGE).parent_path().string()};
  if (hostile) {
    profile.program = "</script><script>window.hacked=1</script>";
    profile.argv = {profile.program, "<!--", "\xff\xfe"};
    profile.host = "\"><svg onload=window.hacked=1>";
    profile.totals.complete = false;
    profile.times_valid = false;
  }

  if (long_names) lengthen(profile);
  if (busy) disturb(profile);
  if (memory) allocate(profile, hostile ? "</td><img src=x onerror=window.hacked=1>" : "grid");

  std::string error;
  if (!einkorn::report::write_html(profile, options, error)) {
    fmt::print(stderr, "make_page: {}\n", error);
    return 1;
  }
  const auto& task = profile.sources[at.task];
  nlohmann::json expect = {{"nodes", profile.graph.nodes.size()},
                           {"grains", profile.grains.size()},
                           {"tasks", profile.totals.tasks},
                           {"found", profile.totals.tasks}};  // they are all of one line
  expect["cut"] = profile.grains.size() > options.max_grains && profile.graph.nodes.size() > 4ull * options.max_grains;
  expect["no_source"] = options.source.none;
  expect["bar"] = shape == "regions";
  expect["counted"] = profile.totals.tasks + profile.totals.chunks + profile.totals.shares;
  if (memory) {
    const einkorn::report::Locality where = einkorn::report::locality(profile);
    expect["advice"] = einkorn::report::one_node_advice(profile, where, einkorn::report::on_one_node(profile, where));
  }
  expect["problems"] = nlohmann::json::array();
  for (const einkorn::report::Finding& f : einkorn::report::find_problems(profile)) {
    nlohmann::json problem = {{"grains", f.grains}, {"advice", f.advice}};
    if (f.source != einkorn::profile::kNone) problem["line"] = profile.sources[f.source].line;
    expect["problems"].push_back(std::move(problem));
  }
  if (!hostile && !long_names && profile.totals.tasks > 0 && !expect["cut"])
    expect["task_source"] = fmt::format("{}:{}", std::strrchr(task.file.c_str(), '/') + 1, task.line);
  fmt::print("{}\n", expect.dump());
}
