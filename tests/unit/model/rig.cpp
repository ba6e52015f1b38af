#include "model/rig.h"

#include <cstdlib>

#include "runtime/observe/allocations.h"
#include "runtime/places/hw_subset.h"
#include "runtime/places/places.h"
#include "runtime/task/blocks.h"
#include "runtime/task/footprint.h"
#include "runtime/team/placed.h"

namespace einkorn::inline base {
void fences_init() {}
}  // namespace einkorn::inline base

namespace einkorn::record {
// Nothing is recorded in the model: w->stream is always nullptr.
bool Stream::refill(Kind, uint64_t) { std::abort(); }
void Stream::judge(uint64_t) { std::abort(); }
void Stream::note_cpu_slow(uint64_t, uint32_t) { std::abort(); }
void Stream::sample_cpu_time_slow(uint64_t) { std::abort(); }
uint32_t Stream::site_slow(SiteCache&, Construct, uint16_t, const void*, const void*, const char*) { std::abort(); }
Limits g_limits;
void Stream::write_cells() { std::abort(); }
uint64_t Stream::aggregated_create(uint64_t, uint64_t, uint32_t, uint64_t) { std::abort(); }
void Stream::aggregated_task(uint64_t, uint64_t) { std::abort(); }
void Stream::aggregated_chunk(uint64_t) { std::abort(); }
void start(const Options&) {}
bool recording() { return false; }
Stream* open_stream(bool) { return nullptr; }
void close_stream(Stream*) {}
void finish() {}
ssize_t read_file(const char*, char*, size_t) { return -1; }
int64_t cpu_wait(const char*) { return -1; }
uint64_t monotonic_ns() { return model::monotonic_ns(); }
int control(int, Stream*) { return -2; }
}  // namespace einkorn::record

namespace einkorn::runtime {
Config g_config;
void config_init() {}
void config_display(bool) {}
void config_settings() {}
void places_init() {}
void hw_subset_init() {}
void place_serial_team(Worker*) {}
void place_team(Worker*, Slot*, Team*, int, ProcBind) {}
void take_place(Worker*) {}
ProcBind region_policy(const Worker*, ProcBind p) { return p; }
ProcBind inner_policy(ProcBind p, int) { return p; }
bool g_affinity_asked = false;
// On which CPU a thread runs decides nothing.
void tell_cpu(Worker*) {}
int this_cpu() { return -1; }
bool was_elsewhere(const Worker&, int) { return true; }
void move_apart(Worker*) {}
void spread_out(Worker*) {}
// The default schedule only: no team is placed.
bool g_places_tasks = false;
void placed_init() {}
const machine::Machine* g_model = nullptr;
void machine_init() {}
void allocations_init(bool) {}
void placed_after_fork() {}
void choose_placed(Team*, int) {}
void submit_placed(Worker*, Task*) { std::abort(); }
void push_placed(Worker*, Task*) { std::abort(); }
void push_placed_elsewhere(Team*, Task*) { std::abort(); }
void requeue_placed(Worker*, Task*) { std::abort(); }
// But where g_places_tasks says so an instance that has given way, to thread 0, is left with a place.
int place_to_resume(const Worker* w) {
  w->team->placed.exchange(nullptr);  // others may come in between
  return 40 + w->thread_num;
}
void resume_placed(Worker* w, Task* t) {
  model::check(t->place() == 40, "it goes on elsewhere than where it was left");
  t->notes = 0;
  ++rig::g_resumed;
  push_task(w, t);
}
void name_cluster(const Worker*, Task*, int) {}
int clusters(const Worker*, int* own) { return *own = 0, 1; }
Task* search_placed(Worker*, Allowed, const void*, bool, bool) { std::abort(); }
bool placed_has_queued(const Placed&) { std::abort(); }
bool placed_must_nap(const Team*, bool) { return false; }
void place_dependent(Worker*, Task*, const Dependence*, int) { std::abort(); }
int pu_of(const machine::Machine&, const Slot&, int) { std::abort(); }
void record_place(Worker*) {}
// Nothing is said of where tasks go.
bool g_footprints = false;
std::atomic<bool> g_hinted{false};
void footprints_init() {}
void footprints_after_fork() {}
void begin_footprint(Worker*, Task*) { std::abort(); }
int take_hints(Worker*, Task*, const Dependence*, int) { std::abort(); }
void warn_of_other_runtime() {}
void locality_init() {}
// No target tasks.
void give_to_helpers(Task*) { std::abort(); }
void await_target_tasks() {}
void end_helpers() {}
void helpers_after_fork() {}
// No tool that looks for races: the default schedule.
namespace tool {
bool has_thread_sanitizer() { return false; }
void hand_out_tasks() { std::abort(); }
}  // namespace tool
}  // namespace einkorn::runtime

namespace einkorn::memory {
void reset_locks_in_child() {}
}  // namespace einkorn::memory

namespace rig {

namespace {
std::vector<rt::Worker*> g_made;

}  // namespace

int g_resumed = 0;
bool g_awake = false;

std::vector<rt::Worker*> make_workers(int count, int cpus) {
  rt::g_cpus = cpus > 0 ? cpus : count;
  rt::g_busy_threads.store(0);
  einkorn::flow::Onlooker::forget();  // an execution that failed may have left some
  einkorn::g_asymmetric = true;
  rt::g_config = rt::Config{};
  rt::g_config.wait_policy = g_awake ? rt::WaitPolicy::active : rt::WaitPolicy::passive;
  static constexpr einkorn::schedule::Schedule kDefault{};  // every axis at its first value
  rt::g_config.schedule = &kDefault;
  model::keep(true);  // blocks of control variables are never made twice
  rt::initial_icv();
  model::keep(false);
  g_made.clear();
  g_resumed = 0;
  for (int i = 0; i < count; ++i) {
    auto* w = new (einkorn::allocate(sizeof(rt::Worker))) rt::Worker;
    w->id = rt::WorkerId(i);
    w->random.x = 2463534242u + uint32_t(i) * 7919u;
    w->ours = i > 0;
    rt::g_workers[i] = w;
    g_made.push_back(w);
    static const char* names[] = {"worker 0", "worker 1", "worker 2", "worker 3"};
    if (i < 4) model::name(w, names[i]);
  }
  rt::Worker* w = g_made[0];
  w->serial_team = rt::new_team(1);
  rt::enter_serial_team(w);
  w->crew = static_cast<rt::Worker**>(einkorn::allocate(sizeof(rt::Worker*) * size_t(count)));
  for (int i = 1; i < count; ++i) w->crew[i - 1] = g_made[size_t(i)];
  w->crew_size = count - 1;
  model::on_switch([](int i) {
    rt::Worker* me = rt::t_worker = size_t(i) < g_made.size() ? g_made[size_t(i)] : nullptr;
    rt::t_here = me ? rt::Here{me->thread_num, 1} : rt::Here{};
  });
  return g_made;
}

model::Program regions(int threads, std::vector<int> regions_of_each, std::function<void(rt::Worker*)> primary,
                       int cpus) {
  auto workers = make_workers(threads, cpus);
  model::Program p;
  p.threads.push_back([=] { primary(workers[0]); });
  for (int i = 1; i < threads; ++i)
    p.threads.push_back([=] {
      for (int r = 0; r < regions_of_each[size_t(i)]; ++r) rt::g_threads.serve(workers[size_t(i)]);
    });
  return p;
}

rt::Task* spawn(rt::Worker* w, void (*body)(void*), void* data, uint16_t flags) {
  rt::Task* t = rt::new_block(w, sizeof(rt::GompBody));
  rt::init_task(w, t, flags);
  auto* b = static_cast<rt::GompBody*>(t->body());
  b->fn = body;
  b->data = data;
  rt::submit(w, t);
  return t;
}

// What was cut from slabs less the blocks that lie in a free list, a chain or a stack of returned ones, in the smallest
// blocks.
int live_blocks() {
  size_t cut = 0, idle = 0;
  auto length = [](void* at) {
    int n = 0;
    for (; at && n < 1000; at = *static_cast<void**>(at)) ++n;
    return n;
  };
  for (rt::Worker* w : g_made) {
    if (w->fresh) cut += (64 << 10) - size_t(w->fresh_end - w->fresh);
    for (int c = 0; c < rt::Worker::kSizeClasses; ++c)
      idle +=
          size_t(length(w->free_blocks[c]) + rt::count_blocks(w->chains[c]) + rt::count_blocks(w->returned[c].load())) *
          rt::kBlockSizes[c];
    idle += size_t(length(w->spare_instances)) * rt::kBlockSizes[rt::kSpareClass];  // linked as free blocks are
    if (w->own_bytes_at_hand != 0) idle += rt::kBlockSizes[w->own_at_hand->size_class];
    if (w->foreign) idle += size_t(rt::count_blocks(w->foreign)) * rt::kBlockSizes[w->foreign_class];
  }
  return (int(cut) - int(idle)) / rt::kBlockSizes[0];
}

}  // namespace rig

// No tool, so none that would watch.
namespace einkorn::runtime::tool {
bool active() { return false; }
}  // namespace einkorn::runtime::tool
namespace einkorn::record {
Stream* silent_stream() { return nullptr; }
}  // namespace einkorn::record
namespace einkorn::codelet {
void run_recorded_stretches(runtime::Worker*, runtime::Task*) { std::abort(); }
}  // namespace einkorn::codelet
