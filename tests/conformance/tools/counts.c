/* A tool and the program that it watches: what happens is known, so the tool knows what it must hear of.
   Built by gcc and by clang; the tool is found as the program's own ompt_start_tool (-rdynamic). */
#include <omp-tools.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, CHUNKS = 50, TASKS = 60, ROUNDS = 3 };

static atomic_long parallel, parallel_ended, implicit, implicit_ended, loops, loops_ended, chunks, iterations, sections,
    executors, executors_ended, others, created, created_ended, begun, completed, taskwaits, waited, groups, acquired, released,
    criticals, barriers, strided, strided_iterations, taskloop_iterations, nulls, wrong_tasks, edges;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_state_t get_state;

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned requested,
                              int flags, const void *ra) {
  (void)task, (void)requested, (void)flags;
  region->value = 42;
  nulls += !ra + !frame->enter_frame.ptr;
  parallel++;
}
static void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *ra) {
  (void)task, (void)flags, (void)ra;
  nulls += region->value != 42;
  parallel_ended++;
}
static void on_implicit(ompt_scope_endpoint_t e, ompt_data_t *region, ompt_data_t *task, unsigned n, unsigned i, int flags) {
  (void)region, (void)n, (void)i;
  if (flags & ompt_task_initial) return;
  if (e == ompt_scope_begin) implicit++, task->value = 7;
  else implicit_ended++, wrong_tasks += task->value != 7;
}
static void on_work(ompt_work_t type, ompt_scope_endpoint_t e, ompt_data_t *region, ompt_data_t *task, uint64_t count,
                    const void *ra) {
  (void)region, (void)task, (void)count, (void)ra;
  int begin = e == ompt_scope_begin;
  if (type == ompt_work_loop_dynamic) *(begin ? &loops : &loops_ended) += 1;
  if (type == ompt_work_single_executor) *(begin ? &executors : &executors_ended) += 1;
  if (type == ompt_work_single_other && begin) others++;
}
static void on_dispatch(ompt_data_t *region, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance) {
  (void)region, (void)task;
  const ompt_dispatch_chunk_t *c = instance.ptr;
  if (kind == ompt_dispatch_ws_loop_chunk) chunks++, iterations += (long)c->iterations;
  if (kind == ompt_dispatch_section) sections++;
  if (kind == ompt_dispatch_taskloop_chunk) taskloop_iterations += (long)c->iterations;
}
static void on_strided(ompt_data_t *region, ompt_data_t *task, const ompx_dispatch_strided_t *c) {
  (void)region, (void)task;
  strided++;
  strided_iterations += (long)c->iterations;
  if (c->stride != THREADS * 7 || c->chunk != 7) nulls++;
}
static void on_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags, int deps, const void *ra) {
  (void)parent, (void)frame, (void)flags, (void)deps;
  if (task->value) wrong_tasks++;
  task->value = (uint64_t)++created + 1000;
  if (!ra) nulls++;
}
static void on_create_end(ompt_data_t *parent, ompt_data_t *task) {
  (void)parent;
  if (task->value < 1000) wrong_tasks++;
  created_ended++;
}
static void on_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  if (status == ompt_task_complete) completed++, wrong_tasks += prior->value < 1000;
  else if (status == ompt_task_switch && next->value >= 1000) {
    int flags, num;
    ompt_data_t *data;
    /* The event comes before the switch. */
    if (!get_task_info(0, &flags, &data, NULL, NULL, &num) || data != prior) wrong_tasks++;
    begun++;
  }
}
static void on_edge(ompt_data_t *source, ompt_data_t *sink) {
  edges++;
  if (source->value < 1000 || sink->value <= source->value) wrong_tasks++;
}
static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t e, ompt_data_t *region, ompt_data_t *task, const void *ra) {
  (void)region, (void)task, (void)ra;
  if (e != ompt_scope_begin) return;
  if (kind == ompt_sync_region_taskwait) taskwaits++;
  if (kind == ompt_sync_region_taskgroup) groups++;
  if (kind == ompt_sync_region_barrier_implicit_parallel) barriers++;
}
static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t e, ompt_data_t *region, ompt_data_t *task, const void *ra) {
  (void)region, (void)task, (void)ra;
  if (e == ompt_scope_begin && kind == ompt_sync_region_taskwait) waited++;
}
static void on_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *ra) {
  (void)id, (void)ra;
  acquired++;
  criticals += kind == ompt_mutex_critical;
}
static void on_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *ra) { (void)kind, (void)id, (void)ra, released++; }

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  ompx_set_callback_t set_extension = (ompx_set_callback_t)lookup("ompx_set_callback");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  get_state = (ompt_get_state_t)lookup("ompt_get_state");
  struct {
    ompt_callbacks_t event;
    ompt_callback_t f;
  } all[] = {
      {ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin},
      {ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end},
      {ompt_callback_implicit_task, (ompt_callback_t)on_implicit},
      {ompt_callback_work, (ompt_callback_t)on_work},
      {ompt_callback_dispatch, (ompt_callback_t)on_dispatch},
      {ompt_callback_task_create, (ompt_callback_t)on_create},
      {ompt_callback_task_schedule, (ompt_callback_t)on_schedule},
      {ompt_callback_task_dependence, (ompt_callback_t)on_edge},
      {ompt_callback_sync_region, (ompt_callback_t)on_sync},
      {ompt_callback_sync_region_wait, (ompt_callback_t)on_wait},
      {ompt_callback_mutex_acquired, (ompt_callback_t)on_acquired},
      {ompt_callback_mutex_released, (ompt_callback_t)on_released},
  };
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i)
    if (set(all[i].event, all[i].f) < ompt_set_sometimes) printf("event %d is not served\n", all[i].event), nulls++;
  /* libomptarget, if it comes, delivers one of them; the other one nobody does. */
  if (set(ompt_callback_device_load, (ompt_callback_t)on_released) != ompt_set_sometimes) nulls++;
  set(ompt_callback_device_load, NULL);
  if (set(ompt_callback_device_unload, (ompt_callback_t)on_released) != ompt_set_never) nulls++;
  set(ompt_callback_device_unload, NULL);
  set_extension(ompx_callback_task_create_end, (ompt_callback_t)on_create_end);
  set_extension(ompx_callback_dispatch_strided, (ompt_callback_t)on_strided);
  return 1;
}

static int failures;
static void expect(const char *what, long got, long wanted) {
  if (got == wanted) return;
  printf("%s: %ld, but %ld happened\n", what, got, wanted);
  failures++;
}

/* Called last of all: the threads have ended. */
static void finalize(ompt_data_t *data) {
  (void)data;
  long regions = ROUNDS + 1, members = ROUNDS * THREADS + 1;
  expect("parallel_begin", parallel, regions);
  expect("parallel_end", parallel_ended, regions);
  expect("implicit tasks", implicit, members);
  expect("their ends", implicit_ended, members);
  expect("their last barriers", barriers, members);
  expect("dynamic loops", loops, members);
  expect("their ends", loops_ended, members);
#ifdef __clang__
  expect("strided", strided, ROUNDS * THREADS);
  expect("iterations of strided", strided_iterations, ROUNDS * 1000);
#endif
  expect("singles", executors, ROUNDS);
  expect("their ends", executors_ended, ROUNDS);
  expect("those who had none", others, ROUNDS * (THREADS - 1));
  expect("iterations in taskloops", taskloop_iterations, ROUNDS * 100);
  expect("creations", created_ended, created);
  expect("starts", begun, created);
  expect("ends", completed, created);
  expect("taskwaits", taskwaits, ROUNDS);
  expect("waits in them", waited, ROUNDS);
  expect("critical", criticals, ROUNDS * TASKS);
  expect("released", released, acquired);
  expect("edges between sets of tasks", edges, ROUNDS * 2 * 3);
  expect("wrong tasks", wrong_tasks, 0);
  expect("missing", nulls, 0);
  if (created < ROUNDS * (TASKS + 1)) expect("tasks", created, ROUNDS * (TASKS + 1));
  puts(failures ? "FAILED" : "ok");
  fflush(stdout);
  if (failures) _Exit(1);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  if (version < 202011 || strncmp(runtime, "Einkorn", 7)) return NULL;
  return &result;
}

int main(void) {
  volatile int sum = 0;
  atomic_int go = 0;
  for (int round = 0; round < ROUNDS; ++round) {
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(dynamic, 4)
      for (int i = 0; i < CHUNKS * 4; ++i) (void)i;
#pragma omp for schedule(static, 7)
      for (int i = 0; i < 1000; ++i) (void)i;
#pragma omp single
      {
        for (int i = 0; i < TASKS; ++i)
#pragma omp task
#pragma omp critical
          sum += 1;
#pragma omp taskwait
#pragma omp task if (0)
        sum += 0;
        /* Each of a set of three follows each of a set of two, which have not ended when they are created. */
        go = 0;
        for (int i = 0; i < 2; ++i)
#pragma omp task depend(in : sum) shared(go)
          while (!go) {}
        for (int i = 0; i < 3; ++i)
#pragma omp task depend(mutexinoutset : sum)
          (void)i;
        go = 1;
#pragma omp taskloop grainsize(10)
        for (int i = 0; i < 100; ++i) (void)i;
      }
    }
  }
  long before = chunks;
#pragma omp parallel num_threads(1)
#pragma omp for schedule(dynamic, 100)
  for (int i = 0; i < 1000; ++i) (void)i;
  expect("chunks of a team of one", chunks - before, 10);
  expect("sum", sum, ROUNDS * TASKS);
  if (!parallel) return puts("FAILED: no tool was started"), 1;
  /* A task outside of all regions, which runs at once: what comes behind it is serial again. */
#pragma omp task shared(sum)
  expect("state in it", get_state(NULL), ompt_state_work_parallel);
  expect("state behind it", get_state(NULL), ompt_state_work_serial);
  return 0;
}
