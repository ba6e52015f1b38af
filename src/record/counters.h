// Second recording level: the events that a thread's counters have seen, from one record of its stream to the next.
//
// Hardware counters are a group of a thread, and software counters another one: where a group has to share the
// processor with others, the kernel's own counts stay exact. A hardware group is read without a system call where the
// kernel allows that (counter_page.h); any other by one read(). Of what software counters have, getrusage() tells the
// most where perf_event_open is forbidden.
#pragma once
#include <cstdint>
#include <sys/types.h>
#include "record/counter_page.h"
#include "record/counter_table.h"

namespace einkorn::record {

// Since the reading before.
struct CounterReading {
  uint64_t values[kMostCounters];  // kUncounted: not known
  uint32_t estimated;              // a bit for each: scaled_count()
};

// Of one thread; it alone may call this.
class ThreadCounters {
 public:
  // absent[i]: what became of the list's i-th.
  void open(const CounterList&, Absence (&absent)[kMostCounters]);
  void close();
  // In the child of a fork, where the pages are not mapped, and the descriptors count for the parent.
  void abandon();
  bool on() const { return count_ > 0; }
  bool belongs_to(pid_t tid) const { return on() && tid_ == tid; }
  // A reading takes a system call.
  bool calls_kernel() const { return calls_kernel_; }
  CounterReading read();

 private:
  enum class Source : uint8_t { none, group, usage };
  struct Group {
    int fd = -1;  // its leader's
    uint8_t size = 0;
    uint8_t member[kMostCounters] = {};
    bool in_pages = false;
  };
  struct Event {
    Source source = Source::none;
    int fd = -1;
    const volatile perf_event_mmap_page* page = nullptr;
    CounterState last;
  };

  int add(int i, Counter);  // 0, or an errno
  void map_pages(Group&);
  void settle(int i, const CounterState& now, CounterReading&);
  int read_pages(Group&, CounterReading&);
  void read_group(Group&, int done, CounterReading&);
  void release(bool unmap);

  int count_ = 0;
  pid_t tid_ = 0;
  bool calls_kernel_ = false, has_usage_ = false, asks_for_pages_ = false;
  CounterList list_;
  uint8_t groups_ = 0;
  Group group_[kMostCounters];
  Event event_[kMostCounters];
};

// Why an event that could not be opened is absent.
Absence absence(Counter, int error);
// kernel.perf_event_paranoid; -100: not known.
int perf_event_paranoid();

}  // namespace einkorn::record
