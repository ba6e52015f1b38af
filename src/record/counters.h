// Second recording level: the events that a thread's counters have seen, from one record of its stream to the next.
//
// Hardware counters are a group of a thread, and software counters another one: where a group has to share the
// processor with others, the kernel's own counts stay exact. A hardware group is read without a system call where the
// kernel allows that (counter_page.h); any other by one read(). Of what software counters have, getrusage() tells the
// most where perf_event_open is forbidden.
//
// Software counters seldom change from one grain's border to the next, and a system call that says so costs more than
// all the others. So each of their events also writes a record into a ring that nobody reads: while its head stands
// still they have seen nothing.
#pragma once
#include <cstdint>
#include <sys/types.h>
#include "record/counter_page.h"
#include "record/counter_table.h"
#include "record/halves.h"

namespace einkorn::record {

// Since the reading before.
struct CounterReading {
  uint64_t values[kMostCounters];  // kUncounted: not known
  uint32_t estimated;              // a bit for each: scaled_count()
  bool called_kernel;              // what it took: a system call
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
  CounterReading read();
  // The same as the words of a `counters` record from `to` on, with its payload, which is 0 before. Returns the words'
  // end. The first one where no page has changed, and nothing was seen by what is watched; else nullptr, and the other
  // one has the rest behind the first `done` pages' events.
  Word* put_held(Word* to, uint32_t& payload, int& done);
  Word* put_rest(Word* to, uint32_t& payload, int done, bool& called_kernel);

 private:
  enum class Source : uint8_t { none, group, usage };
  struct Group {
    int fd = -1;  // its leader's
    uint8_t size = 0;
    uint8_t member[kMostCounters] = {};
    bool in_pages = false, watched = false;
  };
  struct Event {
    Source source = Source::none;
    uint8_t page = 0;  // which of pages_, if its group is in pages
    int fd = -1;
    CounterState last;  // when more of it than a held page was read
  };

  int add(int i, Counter);  // 0, or an errno
  void map_pages(Group&);
  void watch(Group&);
  void settle(int i, const CounterState& now, CounterReading&);
  int read_pages(Group&, int first, CounterReading&);
  void read_group(Group&, int done, CounterReading&);
  void read_rest(CounterReading&, int done);
  void release(bool unmap);

  // put_held() looks at these only. pages_: in the list's order.
  static constexpr __u64 kStill = 0;
  bool may_be_held_ = false;              // every event is in pages, or watched
  int in_pages_ = 0;                      // events of which a page is mapped
  const volatile __u64* head_ = &kStill;  // of the ring
  uint64_t seen_head_ = 0;
  HeldPage pages_[kMostCounters];

  int count_ = 0;
  pid_t tid_ = 0;
  bool has_usage_ = false, asks_for_pages_ = false;
  CounterList list_;
  uint8_t groups_ = 0;
  Group group_[kMostCounters];
  Event event_[kMostCounters];
  void* ring_ = nullptr;
};

// Why an event that could not be opened is absent.
Absence absence(Counter, int error);
// kernel.perf_event_paranoid; -100: not known.
int perf_event_paranoid();

}  // namespace einkorn::record
