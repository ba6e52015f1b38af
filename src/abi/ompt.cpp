// OMPT's entry points for tools: what the lookup function gives (OpenMP 5.1, 4.6.1).
#include <cstring>
#include <sched.h>

#include "abi/abi.h"
#include "runtime/task/task.h"
#include "runtime/observe/tool.h"
#include "runtime/team/worker.h"

using namespace einkorn::abi;
namespace tool = einkorn::runtime::tool;

extern "C" {
int omp_get_num_procs();
int omp_get_num_places();
int omp_get_place_num();
int omp_get_place_num_procs(int);
void omp_get_place_proc_ids(int, int*);
int omp_get_partition_num_places();
void omp_get_partition_place_nums(int*);
}

namespace {

struct Named {
  int value;
  const char* name;
};

constexpr Named kStates[] = {
    {ompt_state_undefined, "ompt_state_undefined"},
    {ompt_state_work_serial, "ompt_state_work_serial"},
    {ompt_state_work_parallel, "ompt_state_work_parallel"},
    {ompt_state_work_reduction, "ompt_state_work_reduction"},
    {ompt_state_wait_barrier_implicit_parallel, "ompt_state_wait_barrier_implicit_parallel"},
    {ompt_state_wait_barrier_implicit_workshare, "ompt_state_wait_barrier_implicit_workshare"},
    {ompt_state_wait_barrier_explicit, "ompt_state_wait_barrier_explicit"},
    {ompt_state_wait_barrier_implementation, "ompt_state_wait_barrier_implementation"},
    {ompt_state_wait_barrier_teams, "ompt_state_wait_barrier_teams"},
    {ompt_state_wait_taskwait, "ompt_state_wait_taskwait"},
    {ompt_state_wait_taskgroup, "ompt_state_wait_taskgroup"},
    {ompt_state_wait_lock, "ompt_state_wait_lock"},
    {ompt_state_wait_critical, "ompt_state_wait_critical"},
    {ompt_state_wait_atomic, "ompt_state_wait_atomic"},
    {ompt_state_wait_ordered, "ompt_state_wait_ordered"},
    {ompt_state_idle, "ompt_state_idle"},
    {ompt_state_overhead, "ompt_state_overhead"},
};
constexpr Named kMutexes[] = {{0, "einkorn_mutex_none"}, {tool::kMutexFutex, "einkorn_mutex_futex"}};

// The entry after `current`; the list begins with `first`, which asks for the first real one. 1, or 0 at the end.
template <size_t n>
int enumerate(const Named (&list)[n], int current, int* next, const char** name) {
  for (size_t i = 0; i + 1 < n; ++i) {
    if (list[i].value != current) continue;
    *next = list[i + 1].value;
    *name = list[i + 1].name;
    return 1;
  }
  return 0;
}

int enumerate_states(int current, int* next, const char** name) { return enumerate(kStates, current, next, name); }
int enumerate_mutex_impls(int current, int* next, const char** name) {
  return enumerate(kMutexes, current, next, name);
}

ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t f) { return tool::set_callback(event, f); }
ompt_set_result_t set_extension(ompx_callbacks_t event, ompt_callback_t f) { return tool::set_extension(event, f); }

int get_callback(ompt_callbacks_t event, ompt_callback_t* f) {
  ompt_callback_t now = tool::get_callback(event);
  if (!now) return 0;
  *f = now;
  return 1;
}

// Threads that are none of OpenMP's have no worker, and get none by asking.
Worker* known() { return t_worker && t_worker->tool ? t_worker : nullptr; }

ompt_data_t* get_thread_data() { return known() ? &t_worker->tool->data : nullptr; }

int get_state(ompt_wait_id_t* wait_id) {
  if (wait_id) *wait_id = known() ? t_worker->tool->wait_id : 0;
  return known() ? t_worker->tool->state : ompt_state_work_serial;
}

int get_parallel_info(int level, ompt_data_t** data, int* team_size) {
  Worker* w = known();
  if (!w || level < 0) return 0;
  const Team* team = w->tool->task ? w->team : nullptr;
  for (; team && level > 0; --level) team = team->outer;
  if (!team) return 0;
  if (data) *data = tool::data_of(team);
  if (team_size) *team_size = team->n;
  return 2;
}

int get_task_info(int level, int* flags, ompt_data_t** data, ompt_frame_t** frame, ompt_data_t** parallel,
                  int* thread_num) {
  Worker* w = known();
  tool::TaskData* t = w ? tool::task_at(w, level) : nullptr;
  if (!t) return 0;
  if (flags) *flags = t->flags;
  if (data) *data = &t->data;
  if (frame) *frame = &t->frame;
  if (parallel) *parallel = t->team ? tool::data_of(t->team) : nullptr;
  if (thread_num) *thread_num = t->thread_num;
  return 2;
}

// An explicit task's data is in one block, behind its head.
int get_task_memory(void** address, size_t* size, int block) {
  Worker* w = known();
  if (address) *address = nullptr;
  if (size) *size = 0;
  if (!w || block != 0 || (w->current->flags & kTaskImplicit)) return 0;
  if (address) *address = w->current->body();
  if (size) *size = size_t(reinterpret_cast<char*>(&last_word(w->current)) - static_cast<char*>(w->current->body()));
  return 0;
}

int get_num_procs() { return known() ? omp_get_num_procs() : g_procs; }
int get_num_places() { return known() ? omp_get_num_places() : 0; }
int get_place_num() { return known() ? omp_get_place_num() : -1; }

int get_place_proc_ids(int place, int size, int* ids) {
  if (!known() || place < 0 || place >= omp_get_num_places()) return 0;
  int n = omp_get_place_num_procs(place);
  if (n <= size) omp_get_place_proc_ids(place, ids);
  return n;
}

int get_partition_place_nums(int size, int* places) {
  if (!known()) return 0;
  int n = omp_get_partition_num_places();
  if (n <= size) omp_get_partition_place_nums(places);
  return n;
}

int get_proc_id() { return known() ? sched_getcpu() : -1; }
int get_num_devices() { return 1; }  // the host: 4.6.1.17 counts what OMPT can be asked about
int get_target_info(uint64_t*, ompt_id_t*, ompt_id_t*) { return 0; }

uint64_t get_unique_id() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

void finalize_tool() { tool::finish(); }

ompt_interface_fn_t lookup(const char* name) {
#define EK_ENTRY(entry, function) \
  if (!strcmp(name, entry)) return reinterpret_cast<ompt_interface_fn_t>(function);
  EK_ENTRY("ompt_enumerate_states", enumerate_states)
  EK_ENTRY("ompt_enumerate_mutex_impls", enumerate_mutex_impls)
  EK_ENTRY("ompt_set_callback", set_callback)
  EK_ENTRY("ompt_get_callback", get_callback)
  EK_ENTRY("ompt_get_thread_data", get_thread_data)
  EK_ENTRY("ompt_get_num_procs", get_num_procs)
  EK_ENTRY("ompt_get_num_places", get_num_places)
  EK_ENTRY("ompt_get_place_proc_ids", get_place_proc_ids)
  EK_ENTRY("ompt_get_place_num", get_place_num)
  EK_ENTRY("ompt_get_partition_place_nums", get_partition_place_nums)
  EK_ENTRY("ompt_get_proc_id", get_proc_id)
  EK_ENTRY("ompt_get_state", get_state)
  EK_ENTRY("ompt_get_parallel_info", get_parallel_info)
  EK_ENTRY("ompt_get_task_info", get_task_info)
  EK_ENTRY("ompt_get_task_memory", get_task_memory)
  EK_ENTRY("ompt_get_num_devices", get_num_devices)
  EK_ENTRY("ompt_get_target_info", get_target_info)
  EK_ENTRY("ompt_get_unique_id", get_unique_id)
  EK_ENTRY("ompt_finalize_tool", finalize_tool)
  EK_ENTRY("ompx_set_callback", set_extension)
#undef EK_ENTRY
  return nullptr;
}

}  // namespace

namespace einkorn::abi {
void start_tool() { tool::start(lookup); }
}  // namespace einkorn::abi

namespace {

int control_tool(int command, int modifier, void* arg, Caller caller) {
  return tool::control(self(), command, modifier, arg, caller);
}

}  // namespace

EK_EXPORT int omp_control_tool(int command, int modifier, void* arg) {
  return control_tool(command, modifier, arg, EK_CALLER);
}
// Fortran: integer(kind=omp_control_tool_kind) arguments by reference.
EK_EXPORT int omp_control_tool_(const int* command, const int* modifier, void* arg) {
  return control_tool(*command, *modifier, arg, EK_CALLER);
}
