// Who did what when, thread by thread, as spans that nest. Time-line exports and views are made from it.
//
// A thread's spans are in the order in which they begin, outer before inner; of two spans, one contains the other or
// they are disjoint. Tasks that run while another one waits are inside its wait; an undeferred task is inside the
// fragment of its creator. So the execution of a grain (Grain::exec) is the length of its fragments (or its chunk) less
// that of the spans directly inside them.
#pragma once
#include <cstdint>
#include <vector>
#include "profile/types.h"

namespace einkorn::profile {

enum class SpanKind : uint8_t {
  fragment,  // of a task, a share, or the program outside regions
  chunk,
  bookkeeping,  // getting a chunk
  create,       // of a task: grain is the child, source its construct
  region,       // a parallel region, seen from the thread that encountered it
  wait,         // taskwait, barrier, ...: source is the wait's
  blocked,
  idle,
  recorder,  // states of the thread, inside the above
  runtime,   // code of the runtime that is none of the above
  unknown,   // not recorded: a lost stretch
};
inline constexpr const char* kSpanKindNames[] = {"fragment", "chunk", "bookkeeping", "create",  "region", "wait",
                                                 "blocked",  "idle",  "recorder",    "runtime", "unknown"};

struct Span {
  int64_t begin = 0, end = 0;  // ns, end >= begin
  uint32_t grain = kNone;      // wait, region: the waiting task or share; blocked and below: kNone
  uint32_t source = kNone;
  uint16_t depth = 0;  // spans that contain it
  SpanKind kind = SpanKind::fragment;
  // Fragment, chunk: it is the grain's first; it is the grain's last, and the grain has ended; after it the task has
  // left this thread: it has ended, or is suspended and continues elsewhere or later.
  bool first = false, last = false, leaves = false;
};

inline constexpr uint16_t kDeepest = 0xffff;  // of Span::depth: that deep or deeper

struct Timeline {
  std::vector<std::vector<Span>> threads;  // by Profile::threads
};

// enter(span) and leave(span) for all spans of a thread, in the order of time, each inside the spans around it.
template <class Enter, class Leave>
void walk(const std::vector<Span>& spans, Enter&& enter, Leave&& leave) {
  std::vector<const Span*> open;
  auto close = [&] {
    const Span* s = open.back();
    open.pop_back();
    leave(*s);
  };
  for (const Span& s : spans) {
    while (s.depth < kDeepest ? open.size() > s.depth : open.size() > kDeepest && open.back()->end <= s.begin) close();
    open.push_back(&s);
    enter(s);
  }
  while (!open.empty()) close();
}

}  // namespace einkorn::profile
