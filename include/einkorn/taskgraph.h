/* OpenMP 6.0's taskgraph (14.3) as calls, for compilers that do not have the construct: Einkorn's extension of OpenMP,
 * for C and C++.
 *
 * Tasks with depend clauses that a program creates again in every step are taken down once, become a graph of counters
 * (einkorn/codelet.h), and are replayed: then the code that creates them is not executed, and nothing is looked up.
 *
 *   static ompx_taskgraph sweep = {"sweep"};                    // one for each construct
 *   for (int step = 0; step < steps; step++)
 *     OMPX_TASKGRAPH(&sweep, step % 2, 0) {                     // #pragma omp taskgraph graph_id(step % 2)
 *       for (...) {
 *         #pragma omp task depend(in : a[0]) depend(out : b[0]) firstprivate(i)
 *         relax(i);
 *       }
 *     }
 *
 * As in OpenMP: one thread meets the construct (in a single, masked or task region, or outside of regions). Between
 * begin and end are tasks, nothing else that is to happen again: what is not a task is executed only when the tasks are
 * taken down. Barriers and worksharing constructs must not be there. The construct is a taskgroup, unless nogroup is
 * said. What a replay finds:
 *
 *   shared         the variable that the task shared when it was taken down. It must still be there: static, or of a
 *                  function that has not returned since. Its value is that of now. (gcc copies a number or pointer that
 *                  the task only reads and whose address is taken nowhere: make it static, or part of an array)
 *   firstprivate   the value when the task was taken down: what OpenMP calls saved. Each replay gets a copy of its own.
 *                  (OpenMP without `saved` reads the variable again: share it, or reset the graph)
 *   private        nothing yet
 *   depend         the addresses when it was taken down. Tasks outside that were created before with such an address are
 *                  waited for; who comes after the construct need not wait
 *
 * Taken down are task constructs and taskloops with nogroup, untied and final ones too, with depend in all its kinds;
 * tasks in tasks are created by these in each replay. Priorities and affinity count for nothing in a replay. Where
 * there is something else the construct is as if without taskgraph, each time, and a line on stderr says once what it
 * is: a task with if(false) or detach; firstprivate data that is not copied as bytes (clang: C++ objects with
 * destructors; gcc: structs, arrays and C++ objects); a taskwait, a taskgroup, a taskloop without nogroup, a target
 * region, another taskgraph directly inside. The tasks are ordinary ones, too: in a final task, where task reductions
 * are in force, with OMP_CANCELLATION=true, with an OMPT tool, and while another thread executes the same construct
 * with the same id. In a recording (einkorn record) a replay creates ordinary tasks, of the same data.
 *
 * A program that includes this file needs no further library and runs on any OpenMP runtime: elsewhere the tasks are
 * ordinary ones. None of these functions may be called in signal handlers.
 */
#ifndef EINKORN_TASKGRAPH_H
#define EINKORN_TASKGRAPH_H
#include <einkorn/codelet.h>

#if defined(__GNUC__)
#pragma GCC system_header
#endif

EK_GENERATED_BEGIN
#ifdef __cplusplus
extern "C" {
#endif

/* A construct: a static variable, = OMPX_TASKGRAPH_NAMED("name"), or all zero. name: for messages. The rest is the
 * runtime's. */
typedef struct ompx_taskgraph {
  const char* name;
  void* graphs;
} ompx_taskgraph;
#define OMPX_TASKGRAPH_NAMED(name) {name, NULL}

/* An execution of one, from begin to end. */
typedef struct ompx_taskgraph_open ompx_taskgraph_open;

enum {
  OMPX_TASKGRAPH_RESET = 1,   /* graph_reset(true): what was taken down is forgotten, the tasks are taken down now */
  OMPX_TASKGRAPH_NOGROUP = 2, /* nogroup: tasks that the graph's tasks create are not waited for */
  OMPX_TASKGRAPH_OFF = 4,     /* if(false): ordinary tasks this time. What was taken down stays as it is */
  OMPX_TASKGRAPH_CHECK = 8 /* the tasks are taken down each time and compared: if they are others than before, or depend
                            * on something else, a line on stderr names the first, and they are what is kept. For
                            * debugging: costs what the first time costs. Einkorn's debug builds always do it */
};

/* NULL: the tasks have been replayed, and have ended. Else the caller executes the code that creates them, and
 * then calls ompx_taskgraph_end() with what it got, in the same task. id: OpenMP's graph_id; each has a graph of its
 * own, 0 where none is said. OMPX_TASKGRAPH() says both. */
static inline ompx_taskgraph_open* ompx_taskgraph_begin(ompx_taskgraph* graph, int64_t id, unsigned flags) {
  EK_INTERNAL_CALL(ompx_taskgraph_open * (*)(ompx_taskgraph*, int64_t, unsigned), "ompx_taskgraph_begin",
                   (graph, id, flags));
  if (flags & OMPX_TASKGRAPH_NOGROUP) return (ompx_taskgraph_open*)1;
  static void* ek_group;
  void* ek_start = ek_internal_find(&ek_group, "GOMP_taskgroup_start"); /* LLVM's library has it, too */
  if (ek_start) ((void (*)(void))ek_start)();
  return (ompx_taskgraph_open*)2;
}

/* The tasks that are to be waited for have ended when it returns. NULL is nothing. Returns NULL. */
static inline ompx_taskgraph_open* ompx_taskgraph_end(ompx_taskgraph_open* open) {
  static void *ek_kept, *ek_group;
  void* ek_found = ek_internal_find(&ek_kept, "ompx_taskgraph_end");
  if (ek_found) {
    ((void (*)(ompx_taskgraph_open*))ek_found)(open);
  } else if (open == (ompx_taskgraph_open*)2) {
    ek_found = ek_internal_find(&ek_group, "GOMP_taskgroup_end");
    if (ek_found) ((void (*)(void))ek_found)();
  }
  return NULL;
}

/* The statement behind it is the construct's. It must not be left by break, goto, return or an exception. */
#define OMPX_TASKGRAPH(graph, id, flags)                                                           \
  for (ompx_taskgraph_open* ompx_open = ompx_taskgraph_begin(graph, id, flags); ompx_open != NULL; \
       ompx_open = ompx_taskgraph_end(ompx_open))

/* What einkorn cc makes of tasks with depend whose arcs follow from some values: EK_TASKS(&graph, 2, ((const
 * int64_t[]){n, (int64_t)(intptr_t)a})) is a construct whose tasks are taken down when they are met a second time with
 * these values, and replayed from then on. Met with others they are ordinary ones. At most 32 graphs are kept of a
 * construct, the latest. NULL: as ompx_taskgraph_begin(). */
static inline ompx_taskgraph_open* ek_tasks_begin(ompx_taskgraph* graph, int count, const int64_t* values) {
  EK_INTERNAL_CALL(ompx_taskgraph_open * (*)(ompx_taskgraph*, int, const int64_t*), "ek_tasks_begin",
                   (graph, count, values));
  return (ompx_taskgraph_open*)1;
}
static inline ompx_taskgraph_open* ek_tasks_end(ompx_taskgraph_open* open) {
  return open == (ompx_taskgraph_open*)1 ? NULL : ompx_taskgraph_end(open);
}
#define EK_TASKS(graph, count, values)                                                       \
  for (ompx_taskgraph_open* ek_open = ek_tasks_begin(graph, count, values); ek_open != NULL; \
       ek_open = ek_tasks_end(ek_open))
/* The bits of a number, to be compared. */
static inline int64_t ek_bits(double number) {
  int64_t bits;
  __builtin_memcpy(&bits, &number, sizeof bits);
  return bits;
}

/* NULL: there is a graph of that id, and the next time it is replayed. Else why there is none: "it was not met yet", or
 * what is in the construct that cannot be replayed. On another runtime: that. */
static inline const char* ompx_taskgraph_why_not(ompx_taskgraph* graph, int64_t id) {
  EK_INTERNAL_CALL(const char* (*)(ompx_taskgraph*, int64_t), "ompx_taskgraph_why_not", (graph, id));
  return "another runtime";
}

/* Forgets all graphs of the construct, and frees their memory. Not while it is executed. */
static inline void ompx_taskgraph_free(ompx_taskgraph* graph) {
  EK_INTERNAL_CALL(void (*)(ompx_taskgraph*), "ompx_taskgraph_free", (graph));
}

#ifdef __cplusplus
}
#endif
EK_GENERATED_END
#endif
