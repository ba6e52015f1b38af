// A loop or sections construct as a thread meets it, and which schedule it has where the program leaves that to us.
#pragma once
#include "runtime/loop/doacross.h"
#include "runtime/types.h"

namespace einkorn::runtime {

struct LoopSpec {
  LoopKind kind = LoopKind::dynamic;
  bool ordered = false;  // has an ordered clause: chunks must be handed out, and finished, in order
  int64_t lower = 0, upper = 0, increment = 1;
  uint64_t iterations = 0;
  uint64_t chunk = 0;            // 0: none given
  const void* caller = nullptr;  // for recording: where in the program, and how it came (record::SiteFlags)
  uint16_t site_flags = 0;
  bool whole_chunks = false;  // guided: multiples of the chunk
  bool silent = false;        // not a loop of the program's: no events
  bool sections = false;
  bool is_free = false;             // the program leaves the schedule to us: runtime, auto
  const void* function = nullptr;   // of a combined construct: what the compiler has made of it
  bool nonmonotonic = false;        // dynamic, guided: a thread's chunks need not come in order
  size_t memory = 0;                // bytes, zeroed, that the team shares during the construct
  uintptr_t* reductions = nullptr;  // gcc's descriptor of reduction(task, ...), see reduction.h
  const DoacrossSpec* doacross = nullptr;
};

// schedule(runtime): kind and chunk from the control variables.
void resolve_runtime_schedule(Worker* w, LoopSpec& spec);
// schedule(simd: runtime): spec.chunk is the number of iterations that a vector takes, and chunks are multiples of it.
void resolve_simd_schedule(Worker* w, LoopSpec& spec);
// What a hint says of the loop, if it may: kind and chunk that it gets.
void take_advice(const LoopSpec& spec, LoopKind& kind, uint64_t& chunk);
// What is left to libomp in clang's programs is as that has it: auto is guided (for gcc's programs static, as in
// libgomp: set_up()). One thread takes all of a guided loop at once: a static one then, by libomp's name for it too.
void resolve_as_libomp(const Worker* w, LoopSpec& spec);

}  // namespace einkorn::runtime
