#include "record/counters.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/clock.h"
#include "record/counter_registers.h"
#include "record/recorder.h"
#include "record/system.h"

namespace einkorn::record {

namespace {

constexpr uint64_t kPageBytes = 4096;  // all that is mapped of an event: its head
static_assert(2 * (kMostCounters + 3) <= Recorder::kCountsUnits);

// A processor's counters are devices of these names; a computer with two kinds of processors has two.
int processors_pmus() {
  const int folder = ::open("/sys/bus/event_source/devices", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return 0;
  alignas(dirent64) char entries[2048];
  int found = 0;
  long bytes;
  while ((bytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
    for (long at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      const std::string_view name = entry->d_name;
      const bool arm = name.starts_with("armv") && name.find("uncore") == name.npos;  // armv8_..., armv9_...
      found += name == "cpu" || name.starts_with("cpu_") || name.starts_with("apple_") || arm;
      at += entry->d_reclen;
    }
  ::close(folder);
  return found;
}

// Where a page has to be asked for, not where there are two kinds of processors: a thread that was moved to the other
// kind while it reads would die, as nothing allows it to read there.
bool may_ask_for_pages() {
  if (kAskForPages == 0) return false;
  char allowed = '0';
  return read_file("/proc/sys/kernel/perf_user_access", &allowed, 1) == 1 && allowed == '1' && processors_pmus() == 1;
}

// Returns a descriptor, or the negative errno. High up: the program may expect its next open() to return a small one.
int open_event(Counter c, int leader, bool ask_for_page) {
  const CounterInfo& info = counter_info(c);
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = info.type;
  attr.config = info.config;
  if (ask_for_page && info.hardware) attr.config1 = kAskForPages;
  if (!info.hardware) {  // each event a record of its own, whose head is all of it: watch()
    attr.sample_period = 1;
    attr.watermark = 1;
    attr.wakeup_watermark = ~0u;  // nobody waits for them
  }
  attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attr.exclude_kernel = info.hardware;  // what is asked for is the program's work, and anyone may count that
  attr.exclude_hv = 1;
  const auto fd = int(syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
  if (fd < 0) return -errno;
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return fd;
  // At most the upper half of what the program may have.
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, int(std::min<rlim_t>(files.rlim_cur, 4096) / 2));
  const int error = errno;
  ::close(fd);
  return high >= 0 ? high : -error;
}

bool told_by_usage(Counter c) {
  return c == Counter::page_faults || c == Counter::major_faults || c == Counter::context_switches;
}

uint64_t of_usage(Counter c, const rusage& u) {
  if (c == Counter::context_switches) return uint64_t(u.ru_nvcsw) + uint64_t(u.ru_nivcsw);
  return uint64_t(u.ru_majflt) + (c == Counter::page_faults ? uint64_t(u.ru_minflt) : 0);
}

}  // namespace

int perf_event_paranoid() {
  char text[16];
  const ssize_t n = read_file("/proc/sys/kernel/perf_event_paranoid", text, sizeof text - 1);
  if (n <= 0) return -100;
  text[n] = 0;
  return atoi(text);
}

Absence absence(Counter c, int error) {
  switch (error) {
    case 0: return Absence::none;
    case ENOSYS: return Absence::kernel;
    case EMFILE:
    case ENFILE: return Absence::descriptors;
    case EACCES:
    case EPERM: return error == EPERM && filters_system_calls().value_or(false) ? Absence::seccomp : Absence::paranoid;
    default: return counter_info(c).hardware && processors_pmus() == 0 ? Absence::no_pmu : Absence::not_there;
  }
}

int ThreadCounters::add(int i, Counter c) {
  const bool hardware = counter_info(c).hardware;
  Group* last = groups_ ? &group_[groups_ - 1] : nullptr;
  if (last && counter_info(list_.counters[last->member[0]]).hardware != hardware) last = nullptr;
  int fd = open_event(c, last ? last->fd : -1, asks_for_pages_);
  if (fd == -EINVAL && last) {  // the processor cannot count so many at once: they take turns
    last = nullptr;
    fd = open_event(c, -1, asks_for_pages_);
  }
  if (fd < 0) {
    if (!told_by_usage(c)) return -fd;
    event_[i].source = Source::usage;
    has_usage_ = true;
    return 0;
  }
  if (!last) {
    last = &group_[groups_++];
    last->fd = fd;
  }
  last->member[last->size++] = uint8_t(i);
  event_[i].source = Source::group;
  event_[i].fd = fd;
  return 0;
}

void ThreadCounters::open(const CounterList& list, Absence (&absent)[kMostCounters]) {
  *this = ThreadCounters();
  list_ = list;
  tid_ = pid_t(syscall(SYS_gettid));
  asks_for_pages_ = may_ask_for_pages();
  int there = 0;
  for (const bool hardware : {true, false})
    for (int i = 0; i < list.count; ++i) {
      if (counter_info(list.counters[i]).hardware != hardware) continue;
      absent[i] = absence(list.counters[i], add(i, list.counters[i]));
      there += absent[i] == Absence::none;
    }
  may_be_held_ = !has_usage_ && there == list.count;
  for (int g = 0; g < groups_; ++g) {
    if (counter_info(list.counters[group_[g].member[0]]).hardware) map_pages(group_[g]);
    else watch(group_[g]);
    may_be_held_ &= group_[g].in_pages || group_[g].watched;
  }
  if (!there) return;
  count_ = list.count;
  read();
}

void ThreadCounters::map_pages(Group& g) {
  g.in_pages = kReadsPages && (kAskForPages == 0 || asks_for_pages_);
  for (int k = 0; k < g.size && g.in_pages; ++k) {
    const int i = g.member[k];
    void* page = mmap(nullptr, kPageBytes, PROT_READ, MAP_SHARED, event_[i].fd, 0);
    if (page == MAP_FAILED) {
      g.in_pages = false;
      break;
    }
    event_[i].page = uint8_t(in_pages_);
    pages_[in_pages_].bit = 1u << i;
    pages_[in_pages_++].page = static_cast<const volatile perf_event_mmap_page*>(page);
  }
  CounterReading first;
  first.estimated = 0;
  if (g.in_pages) g.in_pages = read_pages(g, 0, first) == g.size;
}

// A ring that all the group's events write to. As nobody may write to it, it is never full: its head goes on and on.
// If the program closes the events' descriptors, the ring keeps the leader alive.
void ThreadCounters::watch(Group& g) {
  if (ring_) return;
  const auto bytes = size_t(2 * sysconf(_SC_PAGESIZE));
  void* ring = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, g.fd, 0);
  if (ring == MAP_FAILED) return;
  ring_ = ring;
  for (int k = 1; k < g.size; ++k)
    if (ioctl(event_[g.member[k]].fd, PERF_EVENT_IOC_SET_OUTPUT, g.fd) != 0) return;
  head_ = &static_cast<const volatile perf_event_mmap_page*>(ring)->data_head;
  seen_head_ = ~uint64_t(0);  // what was counted before is not in it
  g.watched = true;
}

// What event i has seen since the reading before.
inline void ThreadCounters::settle(int i, const CounterState& now, CounterReading& out) {
  CounterState& last = event_[i].last;
  const ScaledCount c = scaled_count(now.count - last.count, now.enabled - last.enabled, now.running - last.running);
  out.values[i] = c.value;
  out.estimated |= uint32_t(c.estimated) << i;
  last = now;
}

// From the group's `first` one on. Returns how many of the group's first ones are read.
int ThreadCounters::read_pages(Group& g, int first, CounterReading& out) {
  for (int k = first; k < g.size; ++k) {
    Event& e = event_[g.member[k]];
    HeldPage& held = pages_[e.page];
    e.last.count += held.since();  // that was told already
    CounterState now;
    if (!read_counter_page(held, read_pmc, read_clock, now)) return k;
    settle(g.member[k], now, out);
  }
  return g.size;
}

// All but the group's first `done`. What cannot be read is not known, from then on.
void ThreadCounters::read_group(Group& g, int done, CounterReading& out) {
  uint64_t words[3 + kMostCounters];
  const size_t bytes = (3 + size_t(g.size)) * sizeof *words;
  out.called_kernel = true;
  const bool good = ::read(g.fd, words, bytes) == ssize_t(bytes) && words[0] == g.size;
  if (!good) may_be_held_ = false;
  for (int k = done; k < g.size; ++k) {
    const int i = g.member[k];
    if (!good) event_[i].source = Source::none;  // the program has closed it
    else settle(i, {words[3 + k], words[1], words[2]}, out);
  }
}

// All but the first `done` that are in pages.
void ThreadCounters::read_rest(CounterReading& out, int done) {
  for (int n = 0; n < groups_; ++n) {
    Group& g = group_[n];
    if (g.watched) {
      const uint64_t head = *head_;
      // Behind it: what is seen after the head is read again next time, if only to find that it is known.
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (head == seen_head_) {
        for (int k = 0; k < g.size; ++k) out.values[g.member[k]] = 0;
        continue;
      }
      seen_head_ = head;
    }
    int k = 0;
    if (g.in_pages) {
      while (k < g.size && event_[g.member[k]].page < done) ++k;
      k = read_pages(g, k, out);
    }
    if (k < g.size) read_group(g, k, out);
  }
  rusage usage;
  if (has_usage_) {
    getrusage(RUSAGE_THREAD, &usage);
    out.called_kernel = true;
  }
  for (int i = 0; i < count_; ++i) {
    if (event_[i].source == Source::none) {
      out.values[i] = kUncounted;
      out.estimated &= ~(1u << i);
    } else if (event_[i].source == Source::usage) {
      settle(i, {of_usage(list_.counters[i], usage), 0, 0}, out);
    }
  }
}

CounterReading ThreadCounters::read() {
  CounterReading out;  // what is not set is not asked for
  out.estimated = 0;
  out.called_kernel = false;
  read_rest(out, 0);
  return out;
}

[[gnu::always_inline]] inline Word* ThreadCounters::put_held(Word* to, uint32_t& payload, int& done) {
  if (__builtin_expect(!may_be_held_ || *head_ != seen_head_, 0)) return nullptr;
  return put_held_pages(pages_, in_pages_, read_pmc, to, payload, done);
}

Word* ThreadCounters::put_rest(Word* to, uint32_t& payload, int done, bool& called) {
  CounterReading r;
  r.estimated = 0;
  r.called_kernel = false;
  take_back(pages_, done, to, payload, r.values);
  read_rest(r, done);
  payload = r.estimated << 8;
  for (int i = 0; i < count_; ++i) {
    if (r.values[i] == 0) continue;
    payload |= 1u << i;
    *to++ = r.values[i];
  }
  called = r.called_kernel;
  return to;
}

void ThreadCounters::release(bool unmap) {
  if (unmap) {
    for (int n = 0; n < in_pages_; ++n) munmap(const_cast<perf_event_mmap_page*>(pages_[n].page), kPageBytes);
    if (ring_) munmap(ring_, size_t(2 * sysconf(_SC_PAGESIZE)));
  }
  for (Event& e : event_)
    if (e.fd >= 0) ::close(e.fd);
  *this = ThreadCounters();
}

void ThreadCounters::close() { release(true); }
void ThreadCounters::abandon() { release(false); }

// ---- in a stream ---------------------------------------------------------------------------------------------------

namespace {

// Records that end or begin a grain's own code, or the runtime's. Creations do not: their cost is their creator's.
bool divides(Kind k) {
  switch (k) {
    case Kind::region_begin:
    case Kind::region_end:
    case Kind::implicit_begin:
    case Kind::implicit_end:
    case Kind::task_start:
    case Kind::task_start_other:
    case Kind::task_end:
    case Kind::task_suspend:
    case Kind::stretch:
    case Kind::wait_begin:
    case Kind::wait_end:
    case Kind::loop_begin:
    case Kind::loop_end:
    case Kind::chunk_begin:
    case Kind::chunk_begin_long:
    case Kind::chunk_end:
    case Kind::mutex_wait:
    case Kind::mutex_acquired:
    case Kind::yield:
    case Kind::yield_end:
    case Kind::taskloop_begin:
    case Kind::taskloop_end:
    case Kind::graph_run:
    case Kind::codelet_begin:
    case Kind::codelet_end:
    case Kind::aggregate:
    case Kind::thread_end: return true;
    default: return false;
  }
}

}  // namespace

void Recorder::open_counters(Stream& s, bool initial) {
  Process& g = g_process;
  Lane& lane = lane_of(s);
  if (g.counters.count == 0 || lane.counted_only) return;
  ThreadCounters& since_start = g.initial_counters;
  if (initial && since_start.belongs_to(pid_t(lane.record.os_tid))) {
    lane.counters = since_start;
    since_start = ThreadCounters();
  } else {
    Absence absent[kMostCounters];
    lane.counters.open(g.counters, absent);
    lane.counts_torn = initial;  // its time began before
  }
  if (s.buffer_) set_limit(s, s.cursor_);  // from now on every record comes to refill()
}

// What the counters have seen since the last such record, before a record of that kind at t. There is room for it.
void Recorder::write_counts(Stream& s, Kind k, uint64_t t) {
  if (divides(k) && !g_process.over()) write_rest_of_counts(s, k, t, 0, 0);  // over: a forked process may have no pages
}

// The same where a border should take 60 ns at most, several counters of the processor included. So it calls nothing.
bool Recorder::count_quickly(Stream& s, Kind k, uint64_t t) {
  if (!divides(k) || g_process.over()) return true;
  Lane& lane = lane_of(s);
  const uint64_t delta = t - s.last_;
  uint32_t payload = 0;
  int done = 0;
  if (__builtin_expect(delta > kMaxDelta || k == Kind::codelet_begin || lane.counts_torn, 0))
    return write_rest_of_counts(s, k, t, 0, 0);
  Word* const p = reinterpret_cast<Word*>(s.cursor_);
  Word* const end = lane.counters.put_held(p + 1, payload, done);
  if (__builtin_expect(end == nullptr, 0)) return write_rest_of_counts(s, k, t, done, payload);
  s.last_ = t;
  *p = pack(Kind::counters, delta, payload);
  s.close(end);
  return true;
}

// Behind the cursor is what count_quickly() has put there. Returns true.
[[gnu::noinline]] bool Recorder::write_rest_of_counts(Stream& s, Kind k, uint64_t t, int done, uint32_t payload) {
  Lane& lane = lane_of(s);
  // A codelet is recorded after it has begun, or ended.
  const bool torn = lane.counts_torn || k == Kind::codelet_begin;
  lane.counts_torn = k == Kind::codelet_begin;
  Word* const words = put_unasked(s, Kind::counters, t, 0);
  const uint64_t begin = ticks();
  bool called_kernel;
  Word* const end = lane.counters.put_rest(words, payload, done, called_kernel);
  if (called_kernel) owe(s, begin, ticks());
  words[-1] |= pack(Kind(), 0, payload | uint32_t(torn) << 16);
  s.close(end);
  return true;
}

void choose_counters(const char* text) {
  Process& g = g_process;
  CounterList asked;
  std::string_view wrong;
  if (!parse_counters(text, asked, wrong)) {
    if (!wrong.data())
      warn_once("EINKORN_RECORD_COUNTERS: at most %d counters at once: none is recorded", kMostCounters);
    else
      warn_once("EINKORN_RECORD_COUNTERS: there is no counter '%.*s': none is recorded", int(wrong.size()),
                wrong.data());
    return;
  }
  Absence absent[kMostCounters];
  ThreadCounters probe;
  probe.open(asked, absent);
  probe.close();
  for (int i = 0; i < asked.count; ++i) {
    if (absent[i] == Absence::none) g.counters.counters[g.counters.count++] = asked.counters[i];
    else g.absent_counters[g.absent_count++] = {asked.counters[i], absent[i]};
  }
  if (g.counters.count > 0) g.initial_counters.open(g.counters, absent);
}

}  // namespace einkorn::record
