#include "runtime/team/worker.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "base/cpus.h"
#include "memory/nodes.h"
#include "base/clock.h"
#include "base/tunables.h"
#include "record/system.h"
#include "runtime/task/blocks.h"
#include "runtime/task/footprint.h"
#include "runtime/task/helpers.h"
#include "runtime/settings/icv.h"
#include "runtime/team/placed.h"
#include "runtime/team/implicit.h"
#include "runtime/team/team.h"
#include "runtime/places/locality.h"
#include "runtime/sync/apart.h"
#include "runtime/sync/barrier.h"
#include "runtime/sync/lock.h"
#include "runtime/places/hw_subset.h"
#include "runtime/places/places.h"
#include "runtime/settings/other_runtime.h"
#include "runtime/sync/sleep.h"
#include "runtime/team/threadprivate.h"
#include "runtime/task/urgent.h"
#include "runtime/task/stack.h"
#include "runtime/observe/allocations.h"
#include "runtime/observe/race_checker.h"
#include "runtime/observe/regions.h"
#include "runtime/tuned/tuned.h"

namespace einkorn::runtime {

Worker* g_workers[kMaxWorkers];
constinit thread_local Worker* t_worker __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local Here t_here __attribute__((tls_model("initial-exec")));
int g_cpus = 1;
int g_procs = 1;
base::CpuSet g_initial_cpus;
std::atomic<int> g_busy_threads{0};
constinit flow::Workers<OmpThreads> g_threads;

namespace {

// Its destructor runs when a thread of the program's ends, the initial one by pthread_exit(). No key before
// runtime_init(): 0 is somebody else's.
pthread_key_t g_exit_key = ~0u;
std::atomic<int> g_roots{0};  // such threads that have come to OpenMP, and live
std::atomic<bool> g_initial_ended{false};

// Of the process: does nobody but threads that were made for it hold it up?
bool initial_has_ended() {
  if (g_initial_ended.load(std::memory_order_relaxed)) return true;
  char text[512];  // pid (name) state ...
  snprintf(text, sizeof text, "/proc/self/task/%d/stat", int(getpid()));
  text[std::max<ssize_t>(0, record::read_file(text, text, sizeof text - 1))] = 0;
  const char* name_end = strrchr(text, ')');
  return name_end && name_end[1] == ' ' && name_end[2] == 'Z';
}

// The thread has no crew any more; how large it was.
int drop_crew(Worker* w) {
  ++w->crews;
  return std::exchange(w->crew_size, 0);
}

// The next thread that has this Worker has not begun anything.
void is_without_thread(Worker* w) {
  w->team = nullptr;
  w->whereabouts.store(0, std::memory_order_relaxed);
  w->looked_apart = 0;
  t_worker = nullptr;
  t_here = {};
}

// A thread with a serial team of its own ends.
void leave(Worker* w) {
  observe::thread_ends(w);
  threadprivate_thread_ended(w);
  leave_blocks(w);
  // Its teams will be another thread's, with another crew.
  g_threads.await_docked(w->crew, w->crew_size);
  if (w->crew_size > 0) g_threads.give_back(w->crew, w->crew_size);
  drop_crew(w);
  is_without_thread(w);
}

// A foreign thread ends: its structures stay (others may still hold blocks of its), for the next thread that comes. Or
// the initial one does, by pthread_exit(): then the process lasts as long as any thread, and ours must not be what it
// lasts for.
void root_ended(void* arg) {
  Worker* w = static_cast<Worker*>(arg);
  if (w->initial) g_initial_ended.store(true, std::memory_order_relaxed);
  leave(w);
  // Release and acquire: the last of several sees what the others have given back.
  if (g_roots.fetch_sub(1, std::memory_order_acq_rel) == 1 && initial_has_ended()) {
    await_target_tasks();
    end_helpers();
    g_threads.end(nullptr, 0, tunables::kEndLooks);
    record::finish();  // its writer is a thread, too
  }
  g_threads.retire(w);
}

bool is_assigned(const Worker* w) { return w->orders.is_new(w->dock); }

// KMP_BLOCKTIME: awake for that long, unless all CPUs are wanted.
EK_NOINLINE bool stay_awake(Worker* w) {
  auto now = [] {
    timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return int64_t(ts.tv_sec) * 1'000'000 + ts.tv_nsec / 1000;
  };
  for (int64_t end = now() + g_config.blocktime_us;
       now() < end && g_busy_threads.load(std::memory_order_relaxed) < g_cpus;)
    for (int i = 0; i < 200; ++i) {
      if (is_assigned(w)) return true;
      pause();
    }
  return false;
}

// In the child of a fork() only the forking thread lives: it starts over without threads, teams or a pool. Locks that
// other threads held in the parent are free. (A child that goes on inside a parallel region cannot be helped.)
void after_fork_in_child() {
  g_threads.after_fork(t_worker ? t_worker->id : kNoWorker);
  icv_after_fork();
  urgent_after_fork();
  placed_after_fork();
  footprints_after_fork();
  helpers_after_fork();
  threadprivate_after_fork();
  memory::reset_locks_in_child();
  g_busy_threads.store(0, std::memory_order_relaxed);
  AsleepAside::after_fork();
  g_roots.store(t_worker && !t_worker->ours, std::memory_order_relaxed);
  g_initial_ended.store(false, std::memory_order_relaxed);
  if (Worker* w = t_worker) {
    drop_crew(w);
    w->free_teams = nullptr;
    w->own_group.threads.store(1, std::memory_order_relaxed);
  }
}

}  // namespace

int root_threads() { return g_roots.load(std::memory_order_relaxed); }

Worker* OmpThreads::make(int id, bool ours) {
  if (id == kMaxWorkers) fatal("more than %d OpenMP threads in one process", kMaxWorkers);
  void* memory = ours ? try_allocate(sizeof(Worker)) : allocate(sizeof(Worker));
  if (!memory) return nullptr;
  Worker* w = new (memory) Worker;
  w->id = WorkerId(id);
  w->ours = ours;
  w->random.x = 2463534242u + uint32_t(id) * 7919u;
  return g_workers[id] = w;
}

void OmpThreads::begins(Worker* w) {
  t_worker = w;
  find_stack(w, false);
  observe::thread_begins(w);
}

flow::Sleepers OmpThreads::wait(Worker* w) {
  auto assigned = [w] { return is_assigned(w); };
  // A new thread has no team yet. Where its maker may need its CPU to make the others, it yields.
  const bool is_new = !w->team;
  if (is_new && int(g_busy_threads.load(std::memory_order_relaxed)) >= g_cpus) {
    if (g_config.wait_policy != WaitPolicy::passive && yield_until(assigned)) return {};
    return flow::park_until(w->park, assigned);
  }
  auto look_around = [w](int rounds) {
    for (int i = 0; i < rounds; ++i)
      for (int look = 0; look < kLooksPerPause; ++look)
        if (is_assigned(w)) return true;
        else if (look == 0) pause();
    return false;
  };
  const int first = is_new ? 0 : looks_at_once(w->team);
  if (look_around(first)) return {};
  const bool yields = !is_new && may_yield(w->team);
  // A round here is shorter than one of a search.
  const int spin = is_new   ? g_config.wait_policy == WaitPolicy::passive ? 0 : 2000
                   : yields ? first
                            : 2 * spin_rounds(w->team);
  AwakeWait awake(w);
  if (spin > first && !is_new) awake.begin();
  if (look_around(spin - first)) return {};
  constexpr int kRounds = 32;
  for (Lingering l; spin > 0 && !yields && !is_new && lingers(w, l);)
    if (look_around(kRounds)) return {};
  if (yields && yield_until(assigned)) return {};
  if (EK_UNLIKELY(g_config.blocktime_us > 0) && spin > 0 && stay_awake(w)) return {};
  awake.end();
  const AsleepAside aside(w);
  // Orders::set() stores what is looked for.
  const flow::Sleepers others = flow::park_until(w->park, assigned);
  tell_cpu(w);
  return others;
}

// None leaves the region before all have come to its last barrier.
void OmpThreads::wake(const Team* team, flow::Sleepers those) {
  static_assert(kMaxWorkers < int(flow::Sleepers::kEnds));
  flow::wake_all(those, [team](int i) { return worker_of(team->slots[i + 1]); });
}

void OmpThreads::run(Worker* w, Team* team, int num) {
  // On its way while the team is read: an empty region is four lines' travel one after the other, else. By thread 1
  // only, as in a team of more few write it.
  if (num == 1) fetch_to_write(&team->barrier);
  const bool is_new = w->team == nullptr;
  enter_team(w, team, num);
  // The system often lets it begin on its maker's CPU, and moves one of the two some milliseconds later.
  const bool crowded = team->n > team->cpus;
  if (EK_UNLIKELY(is_new)) crowded ? spread_out(w) : move_apart(w);
  if (EK_UNLIKELY(is_new) && crowded) team->unseen.fetch_sub(1, std::memory_order_relaxed);
  const bool crew = team->crew;  // behind the last barrier its line is the primary thread's, for the next region
  run_implicit_task(w, team);
  if (!crew) leave_team(team);
}

void OmpThreads::leaves(Worker* w) {
  observe::thread_ends(w);
  threadprivate_thread_ended(w);
  leave_blocks(w);
  is_without_thread(w);
}

void OmpThreads::halts(Worker* w) {
  if (w->tool) tool::detach(w);
}

void OmpThreads::stack_refused(size_t bytes) {
  static std::atomic<bool> said{false};
  if (!said.exchange(true, std::memory_order_relaxed))
    warn("OMP_STACKSIZE: %zu bytes cannot be had; threads get the system's default", bytes);
}

static Worker* enlist_with_team(bool initial) {
  Worker* w = g_threads.enlist(false);
  t_worker = w;
  if (!w->serial_team) w->serial_team = new_team(1);
  w->initial = initial;
  find_stack(w, initial);
  enter_serial_team(w);
  place_serial_team(w);
  return w;
}

Worker* attach_helper() {
  Worker* w = enlist_with_team(false);
  w->helps = true;
  observe::thread_begins(w);
  return w;
}

void leave_helper(Worker* w) {
  leave(w);
  w->helps = false;
  g_threads.retire(w);
}

Worker* attach_thread() {
  warn_of_other_runtime();
  Worker* w = enlist_with_team(syscall(SYS_gettid) == getpid());
  g_roots.fetch_add(1, std::memory_order_relaxed);
  pthread_setspecific(g_exit_key, w);
  observe::thread_begins(w);
  return w;
}

void enter_serial_team(Worker* w) {
  Team* team = w->serial_team;
  team->n = 1;
  team->level = team->active_level = 0;
  team->icv = initial_icv();
  team->group = &w->own_group;
  team->for_crew = true;
  stand_in(w, team, 0, &team->slots[0]);
  w->slot->worker = w;
  choose_fences(team);
  w->slot->deque.init(team->fenced.load(std::memory_order_relaxed));
  reset_team(team);  // of the thread that had this Worker before
  start_implicit_task(w, team);
}

Team* new_team(int capacity) {
  int rounded = 1;
  while (rounded < capacity) rounded *= 2;
  // Slots and shares are all zero to begin with, which is what their members start from.
  Team* team = new (allocate(sizeof(Team))) Team;
  team->slots = static_cast<Slot*>(allocate(sizeof(Slot) * size_t(rounded)));
  team->slots_with_tasks =
      static_cast<std::atomic<uint64_t>*>(allocate(sizeof(uint64_t) * size_t((rounded + 63) / 64)));
  team->shares = static_cast<WorkShare*>(allocate(sizeof(WorkShare) * Team::kShares));
  static std::atomic<uint32_t> teams{0};
  team->number = teams.fetch_add(1, std::memory_order_relaxed) + 1;
  team->capacity = rounded;
  int& groups = team->group_count;
  team->reduction = forced_reduction(g_config);
  const bool have_groups = gathers(rounded) || team->reduction == ForcedReduction::tree;
  for (int all = have_groups ? rounded : 1; all > 1;) groups += all = groups_of(all);
  if (groups > 0) team->groups = static_cast<Team::Group*>(allocate(sizeof(Team::Group) * size_t(groups)));
  // The last one, or two, count in the team's word.
  for (int first = 0, many = groups_of(rounded); first + many < groups && many > 2;) {
    const int above = first + many;
    for (int i = 0; i < many; ++i)
      team->groups[first + i].searchers.above = &team->groups[above + i / g_arrivals_a_line].searchers;
    first = above;
    many = groups_of(many);
  }
  team->cpus = g_cpus;
  for (int i = 0; i < rounded; ++i) team->slots[i].team = team;
  return team;
}

int take_threads(Worker** out, int count) {
  const int got = g_threads.lend(out, count, g_config.stack_bytes);
  static std::atomic<bool> said{false};
  if (EK_UNLIKELY(got < count) && !said.exchange(true, std::memory_order_relaxed))
    warn(
        "the system makes no more threads (limits: ulimit -u, ulimit -v, cgroup pids.max, memory): parallel regions get "
        "fewer than they ask for");
  return got;
}

void give_back_threads(Worker** threads, int count) { g_threads.give_back(threads, count); }

void assign(Team* team, int n) {
  // Of a crew by the primary thread's list: each slot is a line that its thread has written.
  Worker* const* crew = team->crew ? team->slots[0].worker->crew : nullptr;
  const auto member = [=](int i) { return crew ? crew[i] : team->slots[i + 1].worker; };
  for (int i = 0; i < n - 1; ++i) member(i)->orders.give(team, i + 1);
  flow::tell(n - 1, member);
}

bool end_idle_threads(Worker* w) {
  if (w->ours || w->team != w->serial_team) return false;
  g_threads.end(w->crew, drop_crew(w), tunables::kEndLooks);
  return true;
}

void end_threads_at_exit() {
  Worker* w = t_worker;
  if (!w || w->ours || w->team != w->serial_team) return;
  bool clang = false;
  for (const Team* t = w->free_teams; t; t = t->next_free) clang |= t->clang;
  // From a signal handler, perhaps: then the lock may be this thread's own.
  if (clang && g_threads.end(w->crew, w->crew_size, tunables::kEndLooks, false)) drop_crew(w);
}

void end_told_threads() {
  // Outside of regions a thread of ours that is not docked is on its way out of one. From inside one there is no
  // waiting.
  const Worker* me = t_worker;
  g_threads.halt(me, me && me->team->level > 0 ? 1 : tunables::kEndLooks);
}

void runtime_init() {
  static std::atomic<bool> done{false};
  // Once, by the first thread that comes: the library's constructor, before there is another.
  if (done.exchange(true, std::memory_order_relaxed)) return;
  config_init();
  if (tool::has_thread_sanitizer()) tool::hand_out_tasks();
  if (g_config.hints) tuned_init(g_config);
  hw_subset_init();
  fences_init();
  locality_init();
  g_cpus = g_procs = base::allowed_cpus();
  g_initial_cpus = base::process_cpus();
  g_num_teams.store(g_config.num_teams, std::memory_order_relaxed);
  g_teams_thread_limit.store(g_config.teams_thread_limit, std::memory_order_relaxed);
  machine_init();
  if (g_config.places || g_config.cpu_affinity || g_config.proc_bind_levels > 0 || g_config.display_affinity ||
      g_model || g_config.schedule->shape.clusters > 0)
    places_init();
  placed_init();
  footprints_init();
  if (g_config.settings) config_settings();
  if (g_config.display_env) config_display(g_config.display_env == 2);
  pthread_key_create(&g_exit_key, root_ended);
  g_threads.init();
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
    options.counters = g_config.record_counters;
    if (g_model)
      options.machine = {g_model->name.c_str(), g_model->source.c_str(), g_model->pu_count(), g_model->node_count()};
    record::start(options);
  }
  allocations_init(g_config.record_allocations && record::recording());
}

}  // namespace einkorn::runtime
