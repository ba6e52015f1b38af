// Teams whose schedule is not the default: queues by place, and every decision asked of src/schedule. On a machine that
// is not the real one (EINKORN_MACHINE) the default goes this way too. Tasks of such teams take the slow path
// (kTaskSlowPath), so that the default's fast path knows nothing of this.
//
// Where the program says where a task belongs (footprint.h), a team of the default schedule comes here too: the task
// then goes to the inbox of a thread on that node.
#pragma once
#include <memory>
#include <vector>

#include "runtime/task/depend.h"
#include "flow/place_queue.h"
#include "machine/types.h"
#include "runtime/types.h"
#include "schedule/push.h"
#include "schedule/place_search.h"

namespace einkorn::runtime {

// Counts of what the team's workers did, for EINKORN_STATS and the tests of schedules. Written by their worker only.
struct PlacedCounts {
  uint64_t ran = 0;        // tasks taken from queues
  uint64_t own_place = 0;  // of these, from the worker's own places
  uint64_t same_node = 0;  // from another place of its node
  uint64_t foreign = 0;    // from another node's place
  uint64_t across = 0;     // of a place outside its vicinity, or of another cluster
  uint64_t rescued = 0;    // taken where the schedule does not let it, as all who might wait in tasks (rescue)
  uint64_t run_now = 0;    // not queued, as the schedule wants it
  uint64_t steals = 0, failed = 0, stolen = 0, most_stolen = 0;  // visits to others' places, and tasks taken there
};

// Invariants: everything but queues, tickets, thieves and the workers' states is constant. Never freed, as a thread
// late to leave a region may look at it (ForBarrier); there is one for each (team, where its workers are), in a list.
struct Placed {
  struct alignas(kCacheLine) PerWorker {
    schedule::WorkerState state;
    struct Seen {
      uint32_t taken = 0;
      bool left = false;   // at that count it was found that nobody comes
      uint64_t since = 0;  // ticks, 0: never looked
    };
    std::vector<Seen> seen;  // by place, where it looked for what nobody takes (rescue)
    struct Halt {
      uint32_t count = 0;  // Worker::halts
      uint64_t since = 0;  // ticks: this worker has seen no other since then
    };
    std::vector<Halt> halts;       // by worker
    std::vector<uint32_t> looked;  // by worker: its `vain` as this one read it at looked_at, in ticks
    uint64_t looked_at = 0;
    uint32_t looks = 0;             // searches in waits that may rescue
    std::atomic<uint32_t> vain{0};  // of these the thorough ones that found nothing. Others read it
    schedule::BackoffState backoff;
    PlacedCounts counts;
  };
  struct alignas(kCacheLine) PerPlace {
    std::atomic<uint32_t> thieves{0};  // thieves = one_per_place: 1 while one of its workers looks elsewhere
    std::atomic<uint32_t> looking{0}, most_thieves{0};  // counted apart from the flag, to see that it holds
    std::atomic<uint32_t> taken{0};                     // but by rescue
    std::atomic<uint32_t> placed_first{0};              // sources that `init` sent here
    std::atomic<uint32_t> tickets{0};                   // of what is dealt out from here on (View::ticket())
  };
  const schedule::Schedule* schedule = nullptr;
  schedule::Layout layout;
  std::vector<int> pus;  // of the workers
  std::unique_ptr<PlaceQueue<Task>[]> queues;
  std::unique_ptr<PerPlace[]> places;
  std::unique_ptr<PerWorker[]> workers;
  alignas(kCacheLine) std::atomic<uint32_t> tickets{0};
  Placed* next = nullptr;
  const Team* team = nullptr;  // whose it is
};

// Does the process have teams of this kind? Set once, when the library is loaded.
extern bool g_places_tasks;
void placed_init();
void placed_after_fork();  // in the child: who held a lock is not there any more

// The PU that a thread of a team runs on, as an index into the machine's: its place's first, else as if bound in order.
int pu_of(const machine::Machine& m, const Slot& slot, int thread_num);
// Tells the recording where the calling thread's implicit task runs.
void record_place(Worker* w);

// New ones for workers on these PUs of the machine.
Placed* make_placed(const schedule::Schedule* s, const machine::Machine& m, std::vector<int> pus);
// By the primary thread, before the region starts and after place_team().
void choose_placed(Team* team, int n);

// As submit(), push_task(), push_elsewhere() (task.h), for tasks of such a team; the first two also for those of which
// the program may have said something.
void submit_placed(Worker* w, Task* t);
void push_placed(Worker* w, Task* t);
// Before the dependences of a task are looked at: decides what is decided when it is created.
void place_dependent(Worker* w, Task* t, const Dependence* list, int count);
void push_placed_elsewhere(Team* team, Task* t);
// A task goes back to a queue of the thread's own (clang's untied tasks).
void requeue_placed(Worker* w, Task* t);
// Of a task that was made just now: the program names its cluster, modulo those that the team has. Negative: none; and
// nothing where the schedule has no clusters. How many there are, 1 without, and which is the worker's own.
void name_cluster(const Worker* w, Task* t, int cluster);
int clusters(const Worker* w, int* own);
// An instance that has given way goes on: in its cluster, wherever what it waited for has ended. Where it gives way
// place_to_resume() is where (Task::place); -1: the team has no places.
int place_to_resume(const Worker* w);
void resume_placed(Worker* w, Task* t);

// What search() (sync/search.h) does in other teams. allowed(context, task); any_task: the thread waits in a barrier;
// last: it is about to sleep.
using Allowed = bool (*)(const void* context, const Task*);
Task* search_placed(Worker* w, Allowed allowed, const void* context, bool any_task, bool last);
// EINKORN_STATS, when the process ends (stats.cpp). Teams that are still at work may be counted a little behind.
void write_stats();
const Placed* all_placed();
bool placed_has_queued(const Placed& p);
// Must a thread look up from its sleep (rescue, in placed_search.cpp)? any_task: it waits in a barrier, else in a task.
bool placed_must_nap(const Team* team, bool any_task);

}  // namespace einkorn::runtime
