// What `record --counters` can count, by name: for the recorder, the readers and the tool.
#pragma once
#include <cstdint>
#include <string_view>
#include <linux/perf_event.h>

namespace einkorn::record {

enum class Counter : uint8_t {
  cycles,
  instructions,
  stalled_cycles,
  llc_misses,
  remote_accesses,
  page_faults,
  context_switches,
  migrations,
  branch_misses,
  major_faults,
};
inline constexpr int kCounters = 10;
inline constexpr int kMostCounters = 8;  // at once: a record has a bit for each

struct CounterInfo {
  const char* name;  // as it is typed
  const char* key;   // in JSON and tables
  bool hardware;     // counts the program's own code only; software: what the kernel does for it, too
  uint32_t type;     // of perf_event_open()
  uint64_t config;
};

inline constexpr uint64_t kNodeReadMisses =
    PERF_COUNT_HW_CACHE_NODE | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16;

inline constexpr CounterInfo kCounterTable[kCounters] = {
    {"cycles", "cycles", true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", "instructions", true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"stalled-cycles", "stalled_cycles", true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"llc-misses", "llc_misses", true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"remote-accesses", "remote_accesses", true, PERF_TYPE_HW_CACHE, kNodeReadMisses},
    {"page-faults", "page_faults", false, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", "context_switches", false, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"migrations", "migrations", false, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"branch-misses", "branch_misses", true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"major-faults", "major_faults", false, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
};
constexpr const CounterInfo& counter_info(Counter c) { return kCounterTable[int(c)]; }

// Some of them, each once.
struct CounterList {
  int count = 0;
  Counter counters[kMostCounters] = {};

  bool has(Counter c) const {
    for (int i = 0; i < count; ++i)
      if (counters[i] == c) return true;
    return false;
  }
};

// What is counted where nobody names anything: the first ones of the table.
constexpr CounterList default_counters() {
  CounterList list;
  for (; list.count < kMostCounters; ++list.count) list.counters[list.count] = Counter(list.count);
  return list;
}

// -1: there is none of that name.
constexpr int counter_of_name(std::string_view name) {
  for (int i = 0; i < kCounters; ++i)
    if (name == kCounterTable[i].name || name == kCounterTable[i].key) return i;
  return -1;
}

// Names separated by commas; "true" or "default": what is usual. Otherwise returns false, and `wrong` is the name that
// there is not, or none at all: too many.
constexpr bool parse_counters(std::string_view text, CounterList& list, std::string_view& wrong) {
  list = {};
  wrong = {};
  if (text == "true" || text == "default") {
    list = default_counters();
    return true;
  }
  for (;;) {
    const size_t comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    const int c = counter_of_name(name);
    if (c < 0) {
      wrong = name;
      return false;
    }
    if (!list.has(Counter(c))) {
      if (list.count == kMostCounters) return false;
      list.counters[list.count++] = Counter(c);
    }
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

// Why one is not counted.
enum class Absence : uint8_t {
  none,         // it is
  no_pmu,       // the machine shows no counters of a processor: most virtual machines
  not_there,    // this processor has no such counter
  paranoid,     // kernel.perf_event_paranoid does not allow it
  seccomp,      // a filter of system calls forbids perf_event_open: a container's
  kernel,       // the kernel has no perf_event_open
  descriptors,  // no file descriptors are left for it
};
inline constexpr const char* kAbsenceNames[] = {"",        "no_pmu", "not_there",  "paranoid",
                                                "seccomp", "kernel", "descriptors"};
inline constexpr int kAbsences = 7;

// A count that is not known, in a `counters` record and in what is made of it.
inline constexpr uint64_t kUncounted = ~0ull;

}  // namespace einkorn::record
