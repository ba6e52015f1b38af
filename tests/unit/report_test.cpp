// The reports, on profiles put together by hand: every expected number is derived in a comment.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include "report/findings/findings.h"
#include "report/json/json.h"
#include "report/text/text.h"
#include "report/wording.h"
#include "report_profiles.h"
#include "report_schema.h"

using namespace einkorn::report;
using namespace einkorn::report_test;
using nlohmann::json;

TEST(Wording, DurationsHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(duration(0), "0 ns");
  EXPECT_EQ(duration(15), "15 ns");
  EXPECT_EQ(duration(310), "0.310 us");
  EXPECT_EQ(duration(310, 2), "0.31 us");
  EXPECT_EQ(duration(49200), "49.2 us");
  EXPECT_EQ(duration(99999), "100 us");
  EXPECT_EQ(duration(1055150058), "1.06 s");
  EXPECT_EQ(duration(9999000000), "10.0 s");
  EXPECT_EQ(duration(1230000000000), "1,230 s");
  EXPECT_EQ(part_of(3100000000, 8200000000), "3.1 of 8.2 s");
  EXPECT_EQ(part_of(120000000, 1730000000), "0.12 of 1.73 s");
  EXPECT_EQ(part_of(1000, 1730000000), "0.00 of 1.73 s");
  EXPECT_EQ(count(0), "0");
  EXPECT_EQ(count(999), "999");
  EXPECT_EQ(count(20496), "20,496");
  EXPECT_EQ(count(4112897), "4,112,897");
  EXPECT_EQ(percent(1, 3), "33.3 %");
  EXPECT_EQ(percent(1, 1e6), "<0.01 %");
  EXPECT_EQ(percent(0, 0), "-");
  EXPECT_EQ(plural(1, "task"), "1 task");
}

TEST(Wording, LongNamesLoseTheirMiddle) {
  EXPECT_EQ(shortened("merge_sort", 10), "merge_sort");
  EXPECT_EQ(shortened("merge_sort", 8), "mer..ort");
  EXPECT_EQ(shortened("merge_sort", 9), "merg..ort");
  EXPECT_EQ(shortened("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 9),
            "\xc3\xa4\xc3\xa4..\xc3\xa4");  // whole characters
}

TEST(Wording, LongNamesOfCxxLoseWhatTellsNothing) {
  const std::string head = "library::internal::parallel_for_each_range<Solver::", tail = "::{lambda(long)#1}>";
  EXPECT_EQ(shortened(head + "assemble()" + tail, 48), "parallel_for_each_range<assemble()::{lambda#1}>");
  EXPECT_EQ(shortened(head + "assemble()" + tail, 43), "parallel_for_each_range<assemble()::{#1}>");
  EXPECT_EQ(shortened(head + "precondition()" + tail, 43), "parallel_f..ach_range<precondition()::{#1}>");
  EXPECT_EQ(
      shortened("xgboost::common::ParallelFor<unsigned int, xgboost::common::(anonymous namespace)::BuildHist<true>("
                "xgboost::GradientPair const*, std::vector<int, std::allocator<int> > const&)::{lambda(unsigned "
                "int)#2}>",
                48),
      "ParallelFor<.., BuildHist<..>()::{lambda#2}>");
  EXPECT_EQ(shortened("kernels::apply<double, 16, true, kernels::Policy<float, 8> >", 48),
            "kernels::apply<double, 16, true, ..>");
  EXPECT_EQ(
      shortened("ns::operator<< <std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&)", 48),
      "ns::operator<< <std::char_traits<char>>()");
  EXPECT_EQ(shortened("Foo::apply(std::vector<int> const&, unsigned long)::{lambda(int)#1}::operator()(int) const", 48),
            "Foo::apply()::{lambda#1}::operator()() const");
  // Brackets that do not match, and what never ends: only the middle is lost.
  for (const char* odd :
       {"broken<name(of>something)that is quite long", "<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<", "operator", "((((((((((((((",
        "a::::::::::::::::::::::::::::::b", ">>>>>>>>>>>>>>>>>>>>>>>>", "f<,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,>"})
    EXPECT_LE(shortened(odd, 12).size(), 12u) << odd;
}

TEST(Wording, PathsAreAsShortAsTheyCanBe) {
  Builder b(1, 1);
  const uint32_t one = b.source("/a/x/sort.c", 1, "task", "f"), other = b.source("/a/y/sort.c", 2, "task", "f");
  const uint32_t alone = b.source("/a/x/main.c", 3, "task", "f"), bare = b.source("sort.c", 4, "task", "f");
  const uint32_t line_less = b.source("", 0, "task", "");
  b.p.sources[line_less].module = "/usr/lib/libm.so";
  b.p.sources[line_less].address = 0x11d0;
  const uint32_t evil = b.source("/a/\x1b[31m.c", 5, "task", "f");
  // Without a line: the function, by its address where others are alike.
  auto in_function = [&](const char* function, const char* construct, uint64_t address) {
    const uint32_t s = b.source("", 0, construct, function);
    b.p.sources[s].module = "/usr/lib/libm.so";
    b.p.sources[s].address = address;
    return s;
  };
  const uint32_t blur = in_function("blur", "parallel", 0x10), loop = in_function("blur", "loop", 0x20),
                 twin = in_function("blur", "loop", 0x30);
  const uint32_t lengthy =
      in_function("ns::Matrix<double, std::allocator<double>>::multiply<ns::Blocked>(long)", "task", 0x40);
  const Places places(b.p);
  EXPECT_EQ(places(blur), "blur");
  EXPECT_EQ(places(loop), "blur@0x20");
  EXPECT_EQ(places(twin), "blur@0x30");
  EXPECT_EQ(places(lengthy), "Matrix<double, ..>::multiply<ns::Blocked>()@0x40");  // at most 48 of the name
  EXPECT_EQ(places(one), "x/sort.c:1");
  EXPECT_EQ(places(other), "y/sort.c:2");
  EXPECT_EQ(places(alone), "main.c:3");
  EXPECT_EQ(places(bare), "sort.c:4");
  EXPECT_EQ(places(line_less), "libm.so+0x11d0");
  EXPECT_EQ(places(evil), "?[31m.c:5");
  EXPECT_EQ(places(kNone), "unknown place");
}

TEST(Text, Golden) {
  Profile p = fine_sort();
  p.host = "barley";
  p.started = "2026-11-21T05:00:00.000Z";
  p.totals.lost_tasks = 7;
  p.totals.tasks += 7;
  EXPECT_EQ(text_report(p, {}), R"(./sort 1000
2.05 ms wall time on 2 threads, 2 CPUs, barley, 2026-11-21T05:00:00.000Z
3,007 tasks, 0 loop chunks, 2 shares in 1 parallel region
Recorded: structure and time

Where the threads' time went
  work      2.400 ms   62.3 %  #########################
  overhead  0.900 ms   23.4 %  #########
  idle      0.300 ms    7.8 %  ###
  serial    0.250 ms    6.5 %  ###
  total     3.850 ms  100.0 %

  thread (ms)   work  overhead   idle  serial  total
  0, initial   1.350     0.450  0.000   0.250  2.050
  1            1.050     0.450  0.300   0.000  1.800

Most expensive source lines
  line        construct  function    grains    total   share      mean    median  creation
  sort.c:142  task       merge_sort   3,000  1.20 ms  50.0 %  0.400 us  0.400 us  0.200 us
  sort.c:160  parallel   main             2  1.20 ms  50.0 %  0.600 ms  0.600 ms         -

Critical path
  0.850 ms (0.850 ms with overhead), parallelism 3.12: on any number of threads at most 3.12 times as fast as on one
  1.29 threads worked at a time, of 2.00: on so many at most 2.00, with a greedy schedule at least 1.51, with its burden about 1.29

Problems, by what they cost at most
  0.47 ms  sort.c:142  tasks too fine (median 0.40 us, creation 0.20 us)
  0.15 ms  sort.c:150  threads idle at the taskwait (0.30 ms of thread time in 2 waits)
  0.12 ms  sort.c:160  0.25 ms outside parallel regions, 0.25 ms of it before the one at sort.c:160
  Create fewer, larger tasks: several units of work in each, or none where there is little to do.
  (3,000 tasks, 0.90 ms of thread time for creating and fetching them; of the program as recorded: what recording adds was not measured on its machine)
  einkorn tune tries cut-offs of these tasks by their depth, without touching the source

warning: 7 grains ran while no buffer was free, or the file was full: counted, but not in the tables above

sort.c:142 costs up to 0.47 of 2.05 ms: tasks too fine (median 0.40 us, creation 0.20 us)
)");
}

TEST(Text, FitsTheWidth) {
  Profile p = fine_sort();
  p.sources[0].function = std::string(300, 'f');
  p.argv.assign(100, "argument");
  for (unsigned width : {100u, 120u}) {
    const std::string text = text_report(p, {.width = width});
    const std::string table = text.substr(0, text.find("Critical path"));
    for (size_t at = 0, end; at < table.size(); at = end + 1) {
      end = std::min(table.find('\n', at), table.size());
      EXPECT_LE(end - at, width) << table.substr(at, end - at);
    }
  }
}

TEST(Text, ColourOnlyWhereAsked) {
  const Profile p = fine_sort();
  const std::string plain = text_report(p, {});
  std::string colored = text_report(p, {.color = true});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_NE(colored, plain);
  for (size_t at; (at = colored.find('\x1b')) != std::string::npos;) colored.erase(at, colored.find('m', at) - at + 1);
  EXPECT_EQ(colored, plain);
}

TEST(Text, SaysWhatIsMissing) {
  Profile p = fine_sort();
  p.totals.complete = false;
  p.totals.damaged_blocks = 2;
  const std::string text = text_report(p, {});
  EXPECT_NE(text.find("warning: the recording has no end"), std::string::npos);
  EXPECT_NE(text.find("warning: 2 blocks of the file cannot be read"), std::string::npos);
  for (Grain& g : p.grains) g.flags |= kPerturbed;
  EXPECT_NE(text_report(p, {}).find("~0.400 us"), std::string::npos);
}

TEST(Json, WhatWasNotMeasuredIsAbsent) {
  Profile p = fine_sort();
  json j = json::parse(json_report(p));
  EXPECT_EQ(j["tasks"], 3000);
  EXPECT_EQ(j["threads"], 2);
  EXPECT_DOUBLE_EQ(j["wall_seconds"], 0.00205);
  EXPECT_DOUBLE_EQ(j["thread_time"]["work"], 0.0024);
  EXPECT_DOUBLE_EQ(j["thread_time"]["blocked"], 0);
  EXPECT_DOUBLE_EQ(j["critical_path_seconds"], 0.00085);
  EXPECT_EQ(j["problems"][0]["kind"], "tasks_too_fine");
  EXPECT_DOUBLE_EQ(j["problems"][0]["gain_seconds"], 0.0004725);
  EXPECT_EQ(j["problems"][0]["grains"], 3000);
  EXPECT_EQ(j["problems"][0]["file"], "/home/ada/sort/src/sort.c");
  EXPECT_EQ(j["problems"][0]["line"], 142);
  EXPECT_EQ(j["problems"][1]["lines"].size(), 2u);  // the wait, and the tasks that it waits for
  EXPECT_FALSE(j["problems"][2].contains("grains"));
  EXPECT_DOUBLE_EQ(j["metrics"]["too_fine"], 0.75);  // 0.9 of 1.2 ms
  EXPECT_EQ(j["sources"].size(), 2u);
  EXPECT_FALSE(j.contains("locality"));
  EXPECT_FALSE(j.contains("host"));
  EXPECT_FALSE(j["thread_time"].contains("inflation"));
  EXPECT_FALSE(j["thread_time"].contains("offcpu"));  // no thread read its CPU time
  EXPECT_FALSE(j["per_thread"][0].contains("cpu_seconds"));
  p.threads[1].cpu_ns = 1800 * us;
  p.graph = {};
  j = json::parse(json_report(p));
  EXPECT_DOUBLE_EQ(j["thread_time"]["offcpu"], 0);
  EXPECT_FALSE(j.contains("critical_path_seconds"));
  EXPECT_FALSE(j.contains("parallelism"));
}

TEST(Json, MatchesTheSchema) {
  Profile p = fine_sort();
  EXPECT_EQ(check_schema(json_report(p)), 0);
  p.host = "barley";
  p.runtime = "einkorn 0.1.0";
  p.threads[0].cpu_ns = 5;
  p.threads[0].involuntary_switches = 0;
  p.threads[0].os_tid = 77;
  p.sources[0].inlined = {"f a.h:3"};
  p.sources[0].module = "/bin/sort";
  p.sources[0].address = 64;
  p.sources[0].function = "not UTF-8: \xff";
  p.grains[5].source = kNone;
  p.locks.push_back({0x1000, kNone, 4, 3, 4 * ms, 6 * ms});
  p.waits.push_back({kNone, 1, 0, 5, 0});
  EXPECT_EQ(check_schema(json_report(p)), 0);
}

TEST(Json, SchemaCheckRefuses) {
  json j = json::parse(json_report(fine_sort()));
  auto without = [&](const char* name) {
    json copy = j;
    copy.erase(name);
    return copy.dump();
  };
  auto with = [&](const char* pointer, json value) {
    json copy = j;
    copy[json::json_pointer(pointer)] = std::move(value);
    return copy.dump();
  };
  EXPECT_EQ(check_schema(j.dump()), 0);
  EXPECT_EQ(check_schema(without("tasks")), 1);
  EXPECT_EQ(check_schema(with("/tasks", -1)), 1);
  EXPECT_EQ(check_schema(with("/times_off_by", 0.5)), 0);
  EXPECT_EQ(check_schema(with("/times_off_by", 0)), 1);
  EXPECT_EQ(check_schema(with("/times_off_by", 0.51)), 1);
  EXPECT_EQ(check_schema(with("/tasks", 1.5)), 1);
  EXPECT_EQ(check_schema(with("/complete", 1)), 1);
  EXPECT_EQ(check_schema(with("/colour", "red")), 1);
  EXPECT_EQ(check_schema(with("/problems/0/kind", "bad luck")), 1);
  EXPECT_EQ(check_schema(with("/thread_time/work", "2 s")), 1);
  EXPECT_EQ(check_schema("{"), 1);
}
