// Procedures: invoked as tasks, or run as the instances of a region. The program's view: include/einkorn/codelet.h.
#pragma once
#include "codelet/signal_count.h"
#include "runtime/task/instance.h"
#include "runtime/types.h"

namespace einkorn::codelet {

using runtime::Caller;
using runtime::Instance;
using runtime::Procedure;
using runtime::Worker;

// ek_next.
enum Next : int { kEnd, kSync, kWait, kCall, kNear };
// Instances of a region wait so for each other: a procedure of one instance for nobody.
constexpr bool is_of_region(int why) { return why == kSync || why == kNear; }
// Procedure::flags, of regions.
inline constexpr uint16_t kFree = 1, kBeside = 2, kRing = 4, kLocales = 8, kLoop = 16, kWhole = 32;

// As ek_invoke() (which has a shorter way: stretches.h), ek_invoke_at(), ek_launch(). caller: of these, for the
// recorder.
void invoke(Instance* self, const Procedure* p, const void* frame, Caller caller);
void invoke_at(Instance* self, const Procedure* p, const void* frame, Caller caller, int cluster);
void launch(const Procedure* p, const void* frame, Caller caller);

bool has_children(Instance* self);

// A loop that runs as tasks (loop.h): its instances are codelets, and may belong to procedures. It lasts as long as
// these.
struct LoopTasks {
  const Procedure* procedure;
  void* frame;           // of all instances
  uint32_t count, each;  // codelets; of a procedure
  int clusters;          // of the team; 1: none
  Caller caller;
};
// By a thread of the loop's team: its codelets with the numbers from `first` on, and before `end`. Its procedures, each
// in its cluster, which invoke their codelets.
void invoke_codelets(const LoopTasks& loop, uint32_t first, uint32_t end);
void invoke_parts(const LoopTasks& loop);

// ek_codelet. count is 0 from its firing until it is reset; nobody signals it meanwhile.
struct Codelet {
  void (*fire)(Codelet*);
  void* frame;
  uint32_t id, reset;
  SignalCount count;
  uint16_t line, cluster;  // where it is fired: that of who made it; kNoCluster: there were none
  const char* file;
};
inline constexpr uint16_t kNoCluster = 0xffff;
static_assert(runtime::kMaxWorkers <= kNoCluster);  // clusters have workers, and numbers from 0 on
void signal(Codelet* c, Caller caller);             // ek_dec()

// Frames, and what follows them, are aligned so.
constexpr size_t in_sixteens(size_t bytes) { return (bytes + 15) & ~size_t(15); }

// The program cannot go on: what it did wrong in that call, and with which procedure.
[[noreturn]] void misused(const Procedure* p, const char* call, const char* what);
inline void check(const Procedure* p, const void* frame, const char* call) {
  if (EK_UNLIKELY(!p || !p->run)) misused(p, call, "it has no function to run");
  if (EK_UNLIKELY(!frame && p->frame_bytes != 0)) misused(p, call, "it has no frame, where the procedure has one");
}
// An exception is to leave that instance, or its thread to end in it.
int left(int actions, const Instance& i);  // as that of unwinding.h
// An instance has given way: does it say why, and where it goes on?
inline void check_yield(const Instance& i, int why) {
  if (EK_UNLIKELY(unsigned(why) > unsigned(kNear)))
    misused(i.procedure, "EK_YIELD", "its function returns what is no ek_next");
  if (EK_UNLIKELY(i.at == 0)) misused(i.procedure, "EK_YIELD", "it would go on at 0, which is its beginning");
}
// The same of one that is no region's, which is asked for the usual answer first: does it wait for its children, if it
// has any?
inline bool waits_for_children(const Instance& i, int why) {
  if (EK_LIKELY(why == kWait)) return check_yield(i, kWait), true;
  check_yield(i, why);
  return !is_of_region(why);
}

}  // namespace einkorn::codelet
