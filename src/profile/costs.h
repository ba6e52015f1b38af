// The costs of the runtime's constructs on a machine, unrecorded and recorded. They are measured separately
// (cli/costs.h) and stored in each recording, so that promised gains rest on the costs of the program when it is not
// recorded. Start here.
//
// As text, in EINKORN_RECORD_COSTS and so in a recording's meta block:
//     threads=2 gomp.task=51.2/108 gomp.chunk=34.1/58.5 ... kmpc.barrier=190/420 pause=28 line=61/205/74 wake=52000 wake_call=17000
//     stream=12.8/19.8/1.6 cache=33554432
// ns each: unrecorded / recorded. What was not measured is absent. The rest belongs to the machine: pause to wake_call
// make up the cost of waiting for a lock (line: the least and the most that was seen, and what it was last); stream:
// bytes a ns of one thread / of all / by how much these usually have more; cache: bytes.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace einkorn::profile {

// Thread time of each construct, of all threads of the team together, beyond the time of its body; region, barrier and
// inner: wall time, beyond that of the work in one or between two.
enum class Cost : uint8_t {
  task,  // deferred, and run by the thread that created it
  at_once,
  chunk,
  region,
  barrier,
  inner,        // a region of one thread inside another
  handed_over,  // a task that another thread than its creator runs
  piece,  // of a taskloop. Unrecorded, the threads divide the loop among them; recorded, one thread creates all pieces
};
inline constexpr size_t kCosts = 8;
inline constexpr const char* kCostNames[kCosts] = {"task",    "at_once", "chunk",       "region",
                                                   "barrier", "inner",   "handed_over", "piece"};

struct MeasuredCost {
  double plain = -1, recorded = -1;  // ns; -1: not measured
  bool known() const { return plain >= 0 && recorded >= 0; }
};

enum class Interface : uint8_t { gomp, kmpc };  // gcc's entry points, clang's
inline constexpr const char* kInterfaceNames[2] = {"gomp", "kmpc"};

// A pause of a spinning CPU; a cache line from the core that wrote it last; the time from waking a sleeping thread
// until it runs; the part of that which the waking thread spends.
enum class Waiting : uint8_t { pause, line, wake, wake_call };
inline constexpr size_t kWaitings = 4;
inline constexpr const char* kWaitingNames[kWaitings] = {"pause", "line", "wake", "wake_call"};

struct RuntimeCosts {
  uint32_t threads = 0;  // threads of the team that was measured; 0: nothing was measured
  std::array<std::array<MeasuredCost, kCosts>, 2> of{};
  std::array<double, kWaitings> waiting{-1, -1, -1, -1};  // ns; -1: not measured
  // A host moves a virtual machine's CPUs: two may be of one core, and of different chips some seconds later. So a line
  // has a most, too, in ns, and waiting's is the least; and what it took just before the recording (of costs that are
  // kept: when they were measured). -1: not measured.
  double line_most = -1, line_now = -1;
  // Adding up arrays that no cache holds, in bytes a ns: one thread alone, one on each core together, when these slowed
  // each other down most; -1: not measured.
  double stream_alone = -1, stream_all = -1;
  // What all together have by what one has alone, while CPUs are as far from each other as just before the recording: a
  // mean of what was measured then, in which the latest counts most. -1: not measured.
  double stream_times = -1;
  double cache_bytes = -1;  // of the last level, each; -1: not known
  // at_once of tasks with a body, beyond it; of() has that of tasks with none. Of a measurement only (cli/costs.h).
  std::array<MeasuredCost, 2> with_body{};

  const MeasuredCost& operator()(Interface i, Cost c) const { return of[size_t(i)][size_t(c)]; }
  MeasuredCost& operator()(Interface i, Cost c) { return of[size_t(i)][size_t(c)]; }
  double operator()(Waiting w) const { return waiting[size_t(w)]; }
  double& operator()(Waiting w) { return waiting[size_t(w)]; }
};

// By which factor two lines differ, of so many ns; 1 where one is not known (not above 0).
double lines_differ(double one, double other);
// Are two lines of these times, in ns, of CPUs at the same distance from each other? Where one of the two is not known:
// yes. A host moves a virtual machine's CPUs between neighbours and other chips: a factor of 3 to 5.
bool same_distance(double one, double other);

// A line was seen to take so long. False: that is nothing new (to a tenth).
bool widen_line(RuntimeCosts&, double ns);
// Streams were seen to be so fast. False: they slow each other down no more than is known (to a tenth).
bool widen_streams(RuntimeCosts&, double alone, double all);
// The same, measured while CPUs are as far from each other as those that these costs are of: for stream_times, too.
void see_streams(RuntimeCosts&, double alone, double all);

std::string costs_text(const RuntimeCosts&);
// Leaves out what it does not understand: another version may have written it.
RuntimeCosts costs_of_text(std::string_view text);

}  // namespace einkorn::profile
