#include "runtime/worker.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "memory/nodes.h"
#include "record/clock.h"
#include "record/system.h"
#include "runtime/blocks.h"
#include "runtime/footprint.h"
#include "runtime/icv.h"
#include "runtime/placed.h"
#include "runtime/implicit.h"
#include "runtime/locality.h"
#include "runtime/lock.h"
#include "runtime/make_thread.h"
#include "runtime/places.h"
#include "runtime/other_runtime.h"
#include "runtime/sleep.h"
#include "runtime/threadprivate.h"
#include "runtime/urgent.h"
#include "runtime/stack.h"
#include "runtime/tool.h"

namespace einkorn::runtime {

Worker* g_workers[kMaxWorkers];
constinit thread_local Worker* t_worker __attribute__((tls_model("initial-exec"))) = nullptr;
int g_cpus = 1;
int g_procs = 1;
machine::CpuSet g_initial_cpus;
std::atomic<int> g_busy_threads{0};

namespace {

Mutex g_lock;              // g_workers' growth, the pool
int g_worker_count = 0;
Worker* g_pool = nullptr;  // threads of ours without a team
Worker* g_retired = nullptr;  // structures of foreign threads that ended, for the next one
// Its destructor runs when a thread of the program's ends, the initial one by pthread_exit(). No key before runtime_init(): 0 is
// somebody else's.
pthread_key_t g_exit_key = ~0u;
std::atomic<int> g_roots{0};  // such threads that have come to OpenMP, and live
std::atomic<bool> g_initial_ended{false};

// nullptr: no memory, for a thread of ours, which there need not be.
Worker* new_worker(bool ours) {
  g_lock.lock();
  if (Worker* w = g_retired) {
    g_retired = w->next_idle;
    w->next_idle = nullptr;
    w->ours = ours;
    g_lock.unlock();
    return w;
  }
  if (g_worker_count == kMaxWorkers) fatal("more than %d OpenMP threads in one process", kMaxWorkers);
  void* memory = ours ? try_allocate(sizeof(Worker)) : allocate(sizeof(Worker));
  if (!memory) {
    g_lock.unlock();
    return nullptr;
  }
  Worker* w = new (memory) Worker;
  w->id = WorkerId(g_worker_count);
  w->ours = ours;
  w->random.x = 2463534242u + uint32_t(g_worker_count) * 7919u;
  g_workers[g_worker_count++] = w;
  g_lock.unlock();
  return w;
}

void retire(Worker* w) {
  g_lock.lock();
  w->ours = false;
  w->next_idle = g_retired;
  g_retired = w;
  g_lock.unlock();
}

void end_threads(Worker* w);

// Of the process: does nobody but threads that were made for it hold it up?
bool initial_has_ended() {
  if (g_initial_ended.load(std::memory_order_relaxed)) return true;
  char text[512];  // pid (name) state ...
  snprintf(text, sizeof text, "/proc/self/task/%d/stat", int(getpid()));
  text[std::max<ssize_t>(0, record::read_file(text, text, sizeof text - 1))] = 0;
  const char* name_end = strrchr(text, ')');
  return name_end && name_end[1] == ' ' && name_end[2] == 'Z';
}

// A foreign thread ends: its structures stay (others may still hold blocks of its), for the next thread that comes. Or the initial
// one does, by pthread_exit(): then the process lasts as long as any thread, and ours must not be what it lasts for.
void root_ended(void* arg) {
  Worker* w = static_cast<Worker*>(arg);
  if (w->initial) g_initial_ended.store(true, std::memory_order_relaxed);
  if (w->tool) {
    tool::initial_task_end(w);
    tool::detach(w);
  }
  if (w->stream) record::close_stream(w->stream), w->stream = nullptr;
  threadprivate_thread_ended(w);
  send_home(w);
  // Its teams will be another thread's, with another crew: nobody may be on the way out of one any more. All are past the
  // last region's barrier, so this is short.
  for (int i = 0; i < w->crew_size; ++i)
    while (!w->crew[i]->docked.load(std::memory_order_acquire)) futex_wait(&w->park, w->park.load(), 50'000);
  if (w->crew_size > 0) give_back_threads(w->crew, w->crew_size);
  w->crew_size = 0;
  t_worker = nullptr;
  if (g_roots.fetch_sub(1, std::memory_order_acq_rel) == 1 && initial_has_ended()) {
    g_lock.lock();
    end_threads(w);
    record::finish();  // its writer is a thread, too
  }
  retire(w);
}

bool is_assigned(const Worker* w) {
  return w->assigned.load(std::memory_order_acquire) != w->taken.load(std::memory_order_relaxed);
}

// KMP_BLOCKTIME: awake for that long, unless all CPUs are wanted.
EK_NOINLINE bool stay_awake(Worker* w) {
  auto now = [] {
    timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return int64_t(ts.tv_sec) * 1'000'000 + ts.tv_nsec / 1000;
  };
  for (int64_t end = now() + g_config.blocktime_us; now() < end && g_busy_threads.load(std::memory_order_relaxed) < g_cpus;)
    for (int i = 0; i < 200; ++i) {
      if (is_assigned(w)) return true;
      pause();
    }
  return false;
}

void wait_to_be_assigned(Worker* w) {
  // A round here is shorter than one of a search. A new thread has no team yet.
  int spin = w->team ? 2 * spin_rounds(w->team) : g_config.wait_policy == WaitPolicy::passive ? 0 : 2000;
  auto look_around = [w](int rounds) {
    for (int i = 0; i < rounds; ++i)
      for (int look = 0; look < kLooksPerPause; ++look)
        if (is_assigned(w)) return true;
        else if (look == 0) pause();
    return false;
  };
  if (look_around(spin)) return;
  constexpr int kRounds = 32;
  for (Lingering l; spin > 0 && w->team && lingers(w, l);)
    if (look_around(kRounds)) return;
  if (spin == 0 && w->team && yield_until(w->team, [w] { return is_assigned(w); })) return;
  if (EK_UNLIKELY(g_config.blocktime_us > 0) && spin > 0 && stay_awake(w)) return;
  while (!is_assigned(w)) {
    constexpr uint32_t asleep = uint32_t(ParkState::asleep);  // of no team
    w->park.store(asleep, std::memory_order_relaxed);
    full_fence();  // orders the store of park before the load of assigned; pairs with the full_fence() in assign()
    if (!is_assigned(w)) futex_wait(&w->park, asleep);
    w->park.store(0, std::memory_order_relaxed);
  }
}

Team* team_of(uintptr_t assigned) { return reinterpret_cast<Team*>(assigned & ~Worker::kCount); }
uintptr_t assignment(Team* team, uintptr_t before) {
  return reinterpret_cast<uintptr_t>(team) | ((before + 1) & Worker::kCount);
}
// `team` is what w does next; the caller passes a fence and wakes it.
void set_assigned(Worker* w, Team* team) {
  w->assigned.store(assignment(team, w->assigned.load(std::memory_order_relaxed)), std::memory_order_release);
}

// Between regions: the next team.
Team* next_assignment(Worker* w) {
  w->docked.store(true, std::memory_order_release);
  wait_to_be_assigned(w);
  uintptr_t next = w->assigned.load(std::memory_order_acquire);
  // On its way while the team is read: an empty region is four lines' travel one after the other, else.
  fetch_to_write(&team_of(next)->barrier);
  w->docked.store(false, std::memory_order_relaxed);
  w->taken.store(next, std::memory_order_release);  // after docked: see end_told_threads()
  return team_of(next);
}

Team g_the_end;  // who is assigned to it ends (omp_pause_resource)
// How many were, and how many have ended with all that the program has them do then: the destructors of thread-local objects
// run before those of keys.
std::atomic<uint32_t> g_sent_home{0}, g_gone_home{0};
pthread_key_t g_gone_key;

void thread_gone(void*) {
  g_gone_home.fetch_add(1, std::memory_order_release);
  futex_wake(&g_gone_home, INT_MAX);
}

// What a thread is assigned that a tool's end ends.
Team g_end;
std::atomic<uint32_t> g_ended{0};

void* end_thread(Worker* w) {
  if (w->tool) tool::detach(w);
  g_ended.fetch_add(1, std::memory_order_release);
  futex_wake(&g_ended, INT_MAX);
  for (;;) futex_wait(&w->park, w->park.load());  // its structures may still be looked at
}

void* thread_main(void* arg) {
  Worker* w = static_cast<Worker*>(arg);
  t_worker = w;
  find_stack(w, false);
  if (record::recording()) w->stream = record::open_stream(false);
  if (EK_UNLIKELY(tool::active())) tool::attach(w, ompt_thread_worker);
  for (;;) {  // until the process ends, or omp_pause_resource
    Team* team = next_assignment(w);
    if (EK_UNLIKELY(team == &g_end)) return end_thread(w);
    if (team == &g_the_end) {
      if (w->tool) tool::detach(w);
      if (w->stream) record::close_stream(w->stream), w->stream = nullptr;
      threadprivate_thread_ended(w);
      send_home(w);
      w->team = nullptr;
      t_worker = nullptr;
      retire(w);
      pthread_setspecific(g_gone_key, &g_the_end);
      return nullptr;
    }
    enter_team(w, team, w->assigned_num);
    run_implicit_task(w, team);
    leave_team(w, team);
  }
}

void assign_end(Worker* w) {
  g_sent_home.fetch_add(1, std::memory_order_relaxed);
  set_assigned(w, &g_the_end);
  full_fence();  // orders the store of assigned before the load of park; pairs with wait_to_be_assigned()
  wake(w);
}

// In the child of a fork() only the forking thread lives: it starts over without threads, teams or a pool. Locks that
// other threads held in the parent are free. (A child that goes on inside a parallel region cannot be helped.)
void after_fork_in_child() {
  new (&g_lock) Mutex;
  icv_after_fork();
  urgent_after_fork();
  placed_after_fork();
  footprints_after_fork();
  threadprivate_after_fork();
  memory::reset_locks_in_child();
  g_pool = nullptr;
  // From here on an id tells who lives: those of before are not given to new threads.
  g_retired = nullptr;
  g_sent_home.store(0, std::memory_order_relaxed);
  g_gone_home.store(0, std::memory_order_relaxed);
  g_gone_below = uint32_t(g_worker_count);
  g_survivor = t_worker ? t_worker->id : kNoWorker;
  g_busy_threads.store(0, std::memory_order_relaxed);
  g_roots.store(t_worker && !t_worker->ours, std::memory_order_relaxed);
  g_initial_ended.store(false, std::memory_order_relaxed);
  if (Worker* w = t_worker) {
    w->crew_size = 0;
    w->free_teams = nullptr;
    w->own_group.threads.store(1, std::memory_order_relaxed);
  }
}

}  // namespace

Worker* attach_thread() {
  warn_of_other_runtime();
  Worker* w = new_worker(false);
  t_worker = w;
  if (!w->serial_team) w->serial_team = new_team(1);
  w->initial = syscall(SYS_gettid) == getpid();
  find_stack(w, w->initial);
  enter_serial_team(w);
  place_serial_team(w);
  g_roots.fetch_add(1, std::memory_order_relaxed);
  pthread_setspecific(g_exit_key, w);
  if (record::recording()) w->stream = record::open_stream(w->initial);
  if (EK_UNLIKELY(tool::active())) {
    tool::attach(w, ompt_thread_initial);  // whoever is not ours runs an initial task
    if (w->tool) tool::initial_task_begin(w);
  }
  return w;
}

void enter_serial_team(Worker* w) {
  Team* team = w->serial_team;
  team->n.store(1, std::memory_order_relaxed);
  team->level = team->active_level = 0;
  team->icv = initial_icv();
  team->group = &w->own_group;
  team->for_crew = true;
  w->team = team;
  w->thread_num = 0;
  w->slot = &team->slots[0];
  w->slot->worker = w;
  choose_fences(team);
  w->slot->deque.init(team->fenced.load(std::memory_order_relaxed));
  start_implicit_task(w, team);
}

Team* new_team(int capacity) {
  int rounded = 1;
  while (rounded < capacity) rounded *= 2;
  // Slots and shares are all zero to begin with, which is what their members start from.
  Team* team = new (allocate(sizeof(Team))) Team;
  team->slots = static_cast<Slot*>(allocate(sizeof(Slot) * size_t(rounded)));
  team->slots_with_tasks = static_cast<std::atomic<uint64_t>*>(allocate(sizeof(uint64_t) * size_t((rounded + 63) / 64)));
  team->shares = static_cast<Share*>(allocate(sizeof(Share) * Team::kShares));
  static std::atomic<uint32_t> teams{0};
  team->number = teams.fetch_add(1, std::memory_order_relaxed) + 1;
  team->capacity = rounded;
  team->cpus = g_cpus;
  for (int i = 0; i < rounded; ++i) team->slots[i].team = team;
  return team;
}

int take_threads(Worker** out, int count) {
  int got = 0;
  g_lock.lock();
  while (got < count && g_pool) {
    out[got++] = g_pool;
    g_pool = g_pool->next_idle;
  }
  g_lock.unlock();
  if (got == count) return got;
  const KeptRoom room(count - got);
  while (got < count) {
    Worker* w = new_worker(true);
    if (!w || !make_thread(w, thread_main)) {
      static std::atomic<bool> said{false};
      if (!said.exchange(true))
        warn("the system makes no more threads (limits: ulimit -u, ulimit -v, cgroup pids.max, memory): parallel regions get "
             "fewer than they ask for");
      if (w) retire(w);
      break;
    }
    out[got++] = w;
  }
  return got;
}

void give_back_threads(Worker** threads, int count) {
  g_lock.lock();
  for (int i = 0; i < count; ++i) {
    threads[i]->next_idle = g_pool;
    g_pool = threads[i];
  }
  g_lock.unlock();
}

void assign(Team* team, int n) {
  for (int i = 1; i < n; ++i) {
    Worker* w = team->slots[i].worker;
    w->assigned_num = i;
    set_assigned(w, team);
  }
  full_fence();  // orders the stores of assigned before the loads of park; pairs with wait_to_be_assigned()
  for (int i = 1; i < n; ++i) wake(team->slots[i].worker);
}

namespace {
// Those of w's crew and of the pool, which is locked. Waits until they are gone: up to a second, in case the program's
// destructors of thread-local objects do not end.
void end_threads(Worker* w) {
  Worker* pool = g_pool;
  g_pool = nullptr;
  g_lock.unlock();
  // Once assigned, a thread's structure is its own until it retires: the list is read before.
  for (Worker* next; pool; pool = next) {
    next = pool->next_idle;
    assign_end(pool);
  }
  for (int i = 0; i < w->crew_size; ++i) assign_end(w->crew[i]);
  w->crew_size = 0;
  uint32_t sent = g_sent_home.load(std::memory_order_relaxed);
  for (int patience = 100; patience > 0; --patience) {
    uint32_t gone = g_gone_home.load(std::memory_order_acquire);
    if (int32_t(gone - sent) >= 0) return;
    futex_wait(&g_gone_home, gone, 10'000'000);
  }
}
}  // namespace

bool end_idle_threads(Worker* w) {
  if (w->ours || w->team != w->serial_team) return false;
  g_lock.lock();
  end_threads(w);
  return true;
}

void end_threads_at_exit() {
  Worker* w = t_worker;
  if (!w || w->ours || w->team != w->serial_team) return;
  bool clang = false;
  for (const Team* t = w->free_teams; t; t = t->next_free) clang |= t->clang;
  // The lock may be this thread's own: exit() from a signal handler.
  if (clang && g_lock.try_lock()) end_threads(w);
}

void end_told_threads() {
  // Outside of regions a thread of ours that is not docked is on its way out of one. From inside one there is no waiting.
  Worker* me = t_worker;
  int patience = me && me->team->level > 0 ? 1 : 100;  // x 10 ms
  for (uint32_t asked = 0; patience > 0; --patience) {
    bool all = true;
    g_lock.lock();
    for (int i = 0; i < g_worker_count; ++i) {
      Worker* w = g_workers[i];
      if (!w->ours || w == me || gone_with_fork(w->id)) continue;
      if (team_of(w->assigned.load(std::memory_order_relaxed)) == &g_end) continue;
      // A region that begins now on another thread may assign it first.
      // In this order: what is taken while it is docked is what it was assigned last.
      uintptr_t before = w->taken.load(std::memory_order_acquire);
      bool docked = w->docked.load(std::memory_order_acquire);
      if (!docked || !w->assigned.compare_exchange_strong(before, assignment(&g_end, before), std::memory_order_acq_rel)) {
        all = false;
        continue;
      }
      ++asked;
      full_fence();  // orders the store of assigned before the load of park; pairs with wait_to_be_assigned()
      wake(w);
    }
    g_lock.unlock();
    uint32_t ended = g_ended.load(std::memory_order_acquire);
    if (all && ended >= asked) return;
    futex_wait(&g_ended, ended, all ? 10'000'000 : 1'000'000);
  }
}

void runtime_init() {
  static std::atomic<bool> done{false};
  if (done.exchange(true)) return;
  config_init();
  fences_init();
  locality_init();
  g_cpus = g_procs = machine::allowed_cpus();
  g_initial_cpus = machine::process_cpus();
  g_num_teams = g_config.num_teams;
  g_teams_thread_limit = g_config.teams_thread_limit;
  machine_init();
  if (g_config.places || g_config.cpu_affinity || g_config.proc_bind_levels > 0 || g_config.display_affinity || g_model)
    places_init();
  placed_init();
  footprints_init();
  if (g_config.display_env) config_display(g_config.display_env == 2);
  pthread_key_create(&g_exit_key, root_ended);
  pthread_key_create(&g_gone_key, thread_gone);
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
  if (g_config.record) {
    record::Options options;
    options.path = g_config.record;
    options.memory_bytes = g_config.record_memory;
    options.stamps = g_config.record_stamps;
    options.depth = uint32_t(g_config.record_depth);
    options.filter = g_config.record_filter;
    options.max_bytes = g_config.record_max_size;
    options.roi = g_config.record_roi;
    options.last_ns = g_config.record_last_ns;
    options.accesses = g_config.record_accesses;
    if (g_model) options.machine = {g_model->name.c_str(), g_model->source.c_str(), g_model->pu_count(), g_model->node_count()};
    record::start(options);
  }
}

}  // namespace einkorn::runtime
