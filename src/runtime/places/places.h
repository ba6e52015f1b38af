// Places (OMP_PLACES) and which thread of a team goes to which (OMP_PROC_BIND, proc_bind clause): OpenMP 5.1, 2.6.2
// and 6.5.
//
// A thread has a place (Worker::place, an index into g_places, -1: not bound) and, with its implicit task, a partition:
// the consecutive places that its regions may use (Slot::first_place, Slot::places). Nothing of this costs a program
// that does not ask for binding more than a test of a flag at each region.
#pragma once
#include "base/cpus.h"
#include "machine/types.h"
#include "runtime/types.h"

namespace einkorn::runtime {

struct Places {
  base::CpuSet* sets = nullptr;
  int count = 0;
};
extern Places g_places;  // empty: threads are not bound
// The machine that EINKORN_MACHINE names, where it is not this computer, else nullptr. Places are its CPUs then,
// threads have them, and nobody is bound.
extern const machine::Machine* g_model;
// How many places, from the first on, a thread may use that is in no region: all; with a shape of clusters its
// workers'.
int first_partition();
extern bool g_affinity_asked;  // there are places, or OMP_DISPLAY_AFFINITY: regions have something to do about it

// The places of `text` on the CPUs of `allowed`, into *out (from malloc). false: not valid, then *why says in what way.
// What the process may not use is left out, and *dropped is set.
bool parse_places(const char* text, const base::CpuSet& allowed, Places* out, const char** why, bool* dropped);
bool parse_cpu_list(const char* text, const base::CpuSet& allowed, Places* out, const char** why, bool* dropped);

// From the environment, once, by the initial thread, which is bound to the first place then. machine_init() before it.
void machine_init();
void places_init();
// For a thread that comes to OpenMP: all places as its partition. One that the program made is not bound before its
// first region, and may run anywhere until then, unless the program has bound it itself.
void place_serial_team(Worker* w);

// By the primary thread, before a region of n threads starts: fills the slots. policy is the region's.
void place_team(Worker* w, Slot* outer, Team* team, int n, ProcBind policy);
// The policy of a region that starts now on w with the clause (ProcBind::off: none), and of those inside it at `level`.
ProcBind region_policy(const Worker* w, ProcBind clause);
ProcBind inner_policy(ProcBind region, int level);
// By each thread of a team: goes to its place; says so where OMP_DISPLAY_AFFINITY asks for it.
void take_place(Worker* w);

// Text of `format` for the calling thread, not more than size - 1 characters and a 0. Returns the whole text's length.
size_t affinity_text(const Worker* w, const char* format, char* out, size_t size);
const char* affinity_format();
void set_affinity_format(const char* format, size_t length);
// Prints it; format nullptr or empty: affinity_format(). libgomp prints on stderr, LLVM's library on stdout: so do we.
void display_affinity(const Worker* w, const char* format, bool clang);

}  // namespace einkorn::runtime
