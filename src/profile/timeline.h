// Who did what when, thread by thread: spans that nest. What time-line exports and views are made of.
//
// A thread's spans stand in the order in which they begin, outer before inner; of two spans one contains the other or
// they are disjoint. Tasks that run while another one waits lie inside its wait; an undeferred task lies inside the
// fragment of its creator. So the execution of a grain (Grain::exec) is the sum over its fragments (or its chunk) of
// their length less that of the spans directly inside them.
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
  region,       // a parallel region, seen from the thread that met it
  wait,         // taskwait, barrier, ...: source is the wait's
  blocked,
  idle,
  recorder,  // states of the thread, inside of the above
  runtime,   // code of the runtime that is none of the above
  unknown,   // not recorded: a lost stretch
};
inline constexpr const char* kSpanKindNames[] = {"fragment", "chunk", "bookkeeping", "create",  "region", "wait",
                                                 "blocked",  "idle",  "recorder",    "runtime", "unknown"};

struct Span {
  int64_t begin = 0, end = 0;  // ns, end >= begin
  uint32_t grain = kNone;      // whose; wait, region: of the waiting task or share; blocked and below: kNone
  uint32_t source = kNone;
  uint16_t depth = 0;  // spans that contain it
  SpanKind kind = SpanKind::fragment;
  // Fragment, chunk: the grain's first one; its last one, and it has ended; after it the task is not on this thread any
  // more: it has ended, or is suspended and goes on elsewhere or later.
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
