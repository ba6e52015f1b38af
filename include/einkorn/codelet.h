/* Codelets: Einkorn's extension of OpenMP, for C and C++. Graphs of codelets, and procedures, which are made of them.
 *
 * A codelet is a piece of work that runs when all that it waits for has run: it has a counter of its predecessors, four
 * bytes, and fires when that is zero. A graph of codelets is built once, closed, and then run as often as wanted:
 * unlike tasks with depend clauses, a run allocates nothing and looks up nothing. After Arteaga, Zuckerman and Gao 2017
 * (codelets) and OpenMP 6.0, 14.3 (taskgraph: a graph that is run again). When it pays: docs/codelets.md.
 *
 *   ek_graph *g = ek_graph_new("sweep");
 *   int tile = ek_graph_class(g, do_tile, &grid, rows * columns, __LINE__);   // codelets 0 .. rows * columns - 1
 *   for (...) ek_graph_arc(g, tile, i, tile, j);                              // j waits for i
 *   if (ek_graph_close(g) == 0) for (step ...) ek_graph_run(g);
 *   ek_graph_free(g);
 *
 * A program that includes this file needs no further library and runs on any OpenMP runtime: there ek_on() is 0,
 * ek_graph_new() gives NULL, and all other functions do nothing with that NULL but say ENOSYS where they return errors.
 *
 * A graph belongs to one thread while it is built and closed. Afterwards any thread may run it, one at a time. None of
 * these functions may be called in signal handlers.
 */
#ifndef EINKORN_CODELET_H
#define EINKORN_CODELET_H
#if defined(__GNUC__)
#pragma GCC system_header
#endif

#include "names_begin.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "generated.h"
#if defined(_OPENMP) && defined(EK_WITHOUT_OMP_H)
extern int omp_get_thread_num(void), omp_get_max_threads(void), omp_get_proc_bind(void);
enum { omp_proc_bind_false };
#define EK_INTERNAL_NEEDS_OPENMP 1
#elif defined(_OPENMP) && defined(__has_include)
#if __has_include(<omp.h>)
#include <omp.h>
#define EK_INTERNAL_NEEDS_OPENMP 1
#endif
#endif

EK_GENERATED_BEGIN
#ifdef __cplusplus
extern "C" {
#endif

/* ---- How a call finds the runtime: nothing for users ---- */

static void* ek_internal_dlsym(void* library, const char* name) __attribute__((__weakref__("dlsym")));

/* The runtime's function of that name, or NULL. *kept has the answer (NULL: nobody has asked; 1: none). */
static __attribute__((__noinline__, __cold__, __unused__)) void* ek_internal_find(void** kept, const char* name) {
  void* found = __atomic_load_n(kept, __ATOMIC_RELAXED);
#ifdef EK_INTERNAL_NEEDS_OPENMP
  /* Linkers leave the OpenMP library out of a program that names none of its functions, and such a program has no
   * directive: einkorn run would find nothing to take the place of. */
  __asm__ volatile("" : : "r"(&omp_get_thread_num));
#endif
  if (!found) {
    found = ek_internal_dlsym ? ek_internal_dlsym(NULL /* RTLD_DEFAULT */, name) : NULL;
    if (!found) found = (void*)1;
    __atomic_store_n(kept, found, __ATOMIC_RELAXED);
  }
  return found == (void*)1 ? NULL : found;
}

/* Where the runtime has the function, as ek_found, that statement. It stands there twice so that who has asked before
 * needs one comparison: procedures are invoked within nanoseconds. */
#define EK_INTERNAL_IF_FOUND(name, statement)                   \
  static void* ek_kept;                                         \
  void* ek_found = __atomic_load_n(&ek_kept, __ATOMIC_RELAXED); \
  if (__builtin_expect((uintptr_t)ek_found > 1, 1)) statement;  \
  if ((ek_found = ek_internal_find(&ek_kept, name)) != NULL) statement
#define EK_INTERNAL_CALL(type, name, arguments) EK_INTERNAL_IF_FOUND(name, return ((type)ek_found)arguments)
/* The same, of functions that recordings know by where they are called: no compiler may jump there from the end of the
 * caller. */
#define EK_INTERNAL_CALL_HERE(type, name, arguments) \
  EK_INTERNAL_IF_FOUND(name, {                       \
    int ek_result = ((type)ek_found)arguments;       \
    __asm__ volatile("" : "+r"(ek_result));          \
    return ek_result;                                \
  })

/* Of a function: it begins a cache line. Where its loops lie in lines, a tenth of the time of short ones, does not
 * depend on what stands before it then. */
#define EK_ALIGNED __attribute__((__aligned__(64)))

/* ---- Graphs ---- */

typedef struct ek_graph ek_graph;

/* What a codelet does: `context` and the codelet's number in its class, from 0. It may use OpenMP (tasks, locks,
 * regions) and exit(); it must not wait for another codelet of the graph, or run the same graph. An exception that
 * leaves it ends the program with a message, and so does pthread_exit() in it.
 * Tasks that it waits for belong into a taskgroup: its taskwait waits for threads that help with the graph, too.
 * Outside of regions it may be fired before a region has begun or inside of one: it must not depend on which. */
typedef void (*ek_fire)(void* context, uint32_t i);
/* The successors, by number in their class, of codelet i: written to out, EK_MOST_NEXT at most; returns how many. Asked
 * when the graph is closed, and in every run if it is a large one: it has to answer the same. */
typedef int (*ek_next_of)(void* context, uint32_t i, uint32_t* out);
enum { EK_MOST_NEXT = 8 };

/* Does the program run on Einkorn's runtime? 1 or 0. */
static inline int ek_on(void) {
  EK_INTERNAL_CALL(int (*)(void), "ek_on", ());
  return 0;
}

/* The same, for what einkorn-codelets makes of a region: 0 also where OpenMP's own form is wanted (a tool listens,
 * OMP_DISPLAY_AFFINITY, num_threads or proc_bind set by a call to the runtime's insides). */
static inline int ek_on_for_region(void) {
  EK_INTERNAL_CALL(int (*)(void), "ek_on_for_region", ());
  return 0;
}

/* An empty graph. name: for messages, copied; NULL: none. NULL: no memory, or another runtime. */
static inline ek_graph* ek_graph_new(const char* name) {
  EK_INTERNAL_CALL(ek_graph * (*)(const char*), "ek_graph_new", (name));
  return NULL;
}

/* `count` codelets that do the same, each with its number. line: of the source, for messages; 0: none. Returns the
 * number of the class, from 0. What is wrong with it (no function, more than 2^32 - 2 codelets in all, a graph that is
 * closed) ek_graph_close() says; then -1. */
static inline int ek_graph_class(ek_graph* g, ek_fire fire, void* context, uint32_t count, uint32_t line) {
  EK_INTERNAL_CALL(int (*)(ek_graph*, ek_fire, void*, uint32_t, uint32_t), "ek_graph_class",
                   (g, fire, context, count, line));
  return -1;
}

/* Codelet j of class `to` waits for codelet i of class `from`. The same arc twice is two to wait for, and is as good as
 * one. What is wrong ek_graph_close() says. */
static inline void ek_graph_arc(ek_graph* g, int from, uint32_t i, int to, uint32_t j) {
  EK_INTERNAL_CALL(void (*)(ek_graph*, int, uint32_t, int, uint32_t), "ek_graph_arc", (g, from, i, to, j));
}

/* Arcs by a rule instead of a list: from each codelet i of class `from` to those of class `to` that next(context, i)
 * names, context being that of class `from`. In a graph of up to 131,072 codelets and arcs they are listed when it is
 * closed, which takes half a megabyte at most; in a larger one they take no memory, and cost a call in each run. */
static inline void ek_graph_rule(ek_graph* g, int from, int to, ek_next_of next) {
  EK_INTERNAL_CALL(void (*)(ek_graph*, int, int, ek_next_of), "ek_graph_rule", (g, from, to, next));
}

/* The graph is complete: from here on it can be run, and not changed. 0; or, with one line on stderr that names graph,
 * codelets and lines: EINVAL (an argument above was wrong, or a rule names what is not there, or it is closed already),
 * ELOOP (codelets that wait for each other in a circle); ENOSYS: another runtime. */
static inline int ek_graph_close(ek_graph* g) {
  EK_INTERNAL_CALL(int (*)(ek_graph*), "ek_graph_close", (g));
  return ENOSYS;
}

/* Fires each codelet once, after all that it waits for; returns when all have been fired and the tasks created in them
 * have ended. Inside a parallel region one thread calls it, and threads that wait in the region's barriers help;
 * outside of regions the runtime begins one, unless the graph takes less time than that. A short run makes no system
 * call. What a codelet has written is visible to its successors, and after the run to the caller. ENOSYS: another
 * runtime; EINVAL: not closed; EBUSY: it is being run by another thread, or by itself (in the
 * child of a fork: for ever, if another thread ran it then). 0 else. */
static inline int ek_graph_run(ek_graph* g) {
  EK_INTERNAL_CALL_HERE(int (*)(ek_graph*), "ek_graph_run", (g));
  return ENOSYS;
}

/* While it is run (by its own codelets, too) it is freed at the end of that run, and nobody may run it again. NULL is
 * nothing. */
static inline void ek_graph_free(ek_graph* g) { EK_INTERNAL_CALL(void (*)(ek_graph*), "ek_graph_free", (g)); }

/* ---- Procedures ----
 *
 * A procedure is a function that gives way where it would wait: it returns, and is called again when what it waits for
 * has come. What it holds across that is in its frame, so a procedure that waits holds no thread and no stack. An
 * *instance* is one call of it that has begun; a codelet is the stretch of an instance between two such places.
 *
 *   struct fib { int n, x, y, *result; };
 *   static ek_next fib_run(ek_self* me) {
 *     struct fib* f = (struct fib*)me->frame;
 *     switch (me->at) { case 1: goto c1; }
 *     if (f->n < 2) { *f->result = f->n; return EK_END; }
 *     {
 *       struct fib left = {f->n - 1, 0, 0, &f->x}, right = {f->n - 2, 0, 0, &f->y};
 *       ek_invoke(me, &fib, &left);
 *       ek_invoke(me, &fib, &right);
 *     }
 *     EK_YIELD(me, 1, EK_WAIT);
 *   c1:
 *     *f->result = f->x + f->y;
 *     return EK_END;
 *   }
 *
 * Procedures are called on Einkorn's runtime only: ask ek_on(). There is no other form of them that could be run. They
 * may use OpenMP (tasks, loops, locks, regions); an exception must not leave them (a message), nor a lock be held, nor
 * a taskgroup be open, where they give way (but see EK_PINNED).
 */

/* Why an instance gives way. */
typedef enum ek_next {
  EK_END,  /* it is over */
  EK_SYNC, /* until all instances of the region have come here, and all tasks of the region have ended; a procedure of
            * one instance goes on at once */
  EK_WAIT, /* until the procedures that it has invoked, and the tasks that it has created, have ended (taskwait) */
  EK_CALL, /* the same, for the value of a procedure that it calls */
  EK_NEAR  /* until the instances beside it in the region, id - 1 and id + 1, have come as often to where they wait so,
            * said that they will (ek_post()), or ended; a procedure of one instance goes on at once */
} ek_next;

/* An instance. Read what is named here, and set `at`: where it goes on, by numbers of your own; 0 is its beginning. */
typedef struct ek_self ek_self;
/* Each member has a second name, for a program that has made a macro of the first one. */
struct ek_self {
  union {
    void *frame, *ek_frame; /* of the procedure: shared by the instances of a region, and aligned for any type */
  };
  void* internal_call;
  union {
    uint32_t at, ek_at;
  };
  union {
    uint32_t id, ek_id; /* 0 .. n - 1, of the region's instances; 0 */
  };
  union {
    void *own, *ek_own; /* own_bytes of this instance's alone, not set to anything */
  };
  const struct ek_proc* proc;
  union {
    uint32_t n, ek_n; /* instances; 1 */
  };
  uint32_t internal_kind;
};

/* A codelet of a procedure, for pictures and messages. */
typedef struct ek_cbb {
  uint32_t line;
  uint8_t kind, arcs;
} ek_cbb;

/* A procedure: static, and never changed. */
typedef struct ek_proc {
  const char *name, *file;       /* for messages and recordings; NULL: not known */
  ek_next (*run)(ek_self* self); /* goes on at self->at */
  uint32_t frame_bytes, own_bytes;
  const ek_cbb* cbbs; /* `count` of them; NULL: not known */
  uint16_t count, flags;
} ek_proc;

/* ek_proc::flags. How a region's instances run (ek_run()): EK_PINNED, instance i on thread i, all at the same time,
 * with all that OpenMP promises: they may wait for each other in any way. EK_FREE: none waits for another but by giving
 * way, and none uses threadprivate or thread-local variables. Then a region that takes less time than it takes to wake
 * a thread is run by its caller alone, one instance after the other from EK_SYNC to EK_SYNC. EK_BESIDE, with either:
 * instances wait for those beside them (EK_NEAR). EK_RING: the same, and the last is beside the first. */
enum { EK_PINNED = 0, EK_FREE = 1, EK_BESIDE = 2, EK_RING = 6 };
/* Further flags, of a free procedure that is one parallel loop (ek_run_loop()). EK_LOOP: its instances take their part
 * of the range by ek_static() and end. They do not give way, do not write to the frame itself, and ask neither for a
 * thread nor for the team (omp_get_thread_num(), omp_get_num_threads(), ...). EK_WHOLE: nothing depends on how the
 * range is cut, so that one instance may have all of it. */
enum { EK_LOOP = 16, EK_WHOLE = 32 };

/* Gives way, to go on at the label or case for `where` (1 or more). */
#define EK_YIELD(self, where, why) \
  do {                             \
    (self)->ek_at = (where);       \
    return (why);                  \
  } while (0)

/* May the instance do at once what a procedure would that it invokes, where that is less than to invoke it? Not where
 * each instance is to be seen (recordings, tools, hints) or may be discarded (cancellation), nor in a region's own
 * instances. 1 or 0. */
static inline int ek_may_do(const ek_self* self) { return self->internal_kind == 2; }

/* Invokes a procedure of one instance: it is a child of the instance that calls, runs like a task on any thread of the
 * team, and has a copy of frame_bytes of the frame. self: the instance that calls, or NULL: the current task does,
 * which waits for it as for any child (taskwait, taskgroup, barrier). By the thread that runs that instance or task. */
static inline void ek_invoke(ek_self* self, const ek_proc* proc, const void* frame) {
  EK_INTERNAL_CALL(void (*)(ek_self*, const ek_proc*, const void*), "ek_invoke", (self, proc, frame));
}

/* The clusters of workers that the team has (EINKORN_AMM, docs/schedules.md), 1 without any; *own is that of the
 * calling thread, from 0 on, if own is not NULL. By a thread of the team; outside of regions, and by threads that are
 * not OpenMP's: 1. */
static inline int ek_clusters(int* own) {
  EK_INTERNAL_CALL(int (*)(int*), "ek_clusters", (own));
  if (own) *own = 0;
  return 1;
}

/* As ek_invoke(), and it belongs to that cluster: modulo those that the team has; negative: no cluster is named. It
 * begins there, or where the schedule lets other clusters take what has not begun (tp-reach). Schedules without
 * clusters, and those with tp-push=local or round-robin, do as ek_invoke() does, and so do earlier versions of the
 * runtime, which know of none.
 * Who invokes faster than the others run has its own cluster's procedures run at once when 65,536 are queued; those of
 * another cluster are always queued, and have no other limit than memory: wait for them now and then. */
static inline void ek_invoke_at(ek_self* self, const ek_proc* proc, const void* frame, int cluster) {
  EK_INTERNAL_CALL(void (*)(ek_self*, const ek_proc*, const void*, int), "ek_invoke_at", (self, proc, frame, cluster));
  ek_invoke(self, proc, frame);
}

/* Runs a procedure of one instance, and all that it invokes, on the threads there are: those of the current team, or
 * outside of regions those of a new one. Returns when all of it is over. ENOSYS: another runtime; else 0. */
static inline int ek_launch(const ek_proc* proc, const void* frame) {
  EK_INTERNAL_CALL_HERE(int (*)(const ek_proc*, const void*), "ek_launch", (proc, frame));
  return ENOSYS;
}

/* A region: `instances` of the procedure as the threads of a team, 0: as many as OpenMP says (num_threads, dynamic,
 * nesting, limits: fewer than asked, too). They share one copy of frame_bytes of the frame. Returns after the last has
 * ended, and all tasks of the region. omp_get_thread_num() is self->id in them and in what they call. ENOSYS: another
 * runtime; else 0. */
static inline int ek_run(const ek_proc* proc, const void* frame, int instances) {
  EK_INTERNAL_CALL_HERE(int (*)(const ek_proc*, const void*, int), "ek_run", (proc, frame, instances));
  return ENOSYS;
}

/* Have not all children of the instance ended? 1 or 0. If 0 it need not give way for them. */
static inline int ek_children(ek_self* self) {
  EK_INTERNAL_CALL(int (*)(ek_self*), "ek_children", (self));
  return 0;
}

/* Goes on with a procedure that the instance calls as a function is called, from where *at says, 0 at first: it runs as
 * a part of the instance, whose children its children are, on memory that the caller has for it and which lasts until
 * it has ended. EK_END: it has; else why the instance has to give way, and then to come here again (EK_GO_ON). */
static inline ek_next ek_call(ek_self* self, const ek_proc* proc, void* frame, void* own, uint32_t* at) {
  void *const its_frame = self->frame, *const its_own = self->own;
  ek_next next;
  self->frame = frame;
  self->own = own;
  self->at = *at;
  next = proc->run(self);
  *at = self->at;
  self->frame = its_frame;
  self->own = its_own;
  return next;
}

/* A call, behind the label or case for `where`: gives way until the procedure has ended.
 *   I->sum = (struct sum){.n = n, .result = &I->total}; I->at_sum = 0; c1: EK_GO_ON(me, 1, &sum, &I->sum, NULL, &I->at_sum);
 */
#define EK_GO_ON(self, where, proc, frame, own, at)             \
  do {                                                          \
    const ek_next ek_why = ek_call(self, proc, frame, own, at); \
    if (ek_why != EK_END) EK_YIELD(self, where, ek_why);        \
  } while (0)

/* In an instance of a region with EK_BESIDE: those beside it need not wait for it in their next EK_NEAR; its own next
 * one only waits. For who has done early what others wait for (the cells at its border, say), and then goes on with the
 * rest. What it has written before is seen by those. Once more before that EK_NEAR it says nothing new. */
static inline void ek_post(ek_self* self) { EK_INTERNAL_CALL(void (*)(ek_self*), "ek_post", (self)); }

/* In an instance of a region: is this the one that comes here first? Each instance asks as often, in the same order. */
static inline int ek_single(ek_self* self) {
  EK_INTERNAL_CALL(int (*)(ek_self*), "ek_single", (self));
  return 0;
}

/* The part of [begin, end) that is the instance's, as schedule(static) cuts it: [*from, *to). 1: it is not empty. */
static inline int ek_static(ek_self* self, int64_t begin, int64_t end, int64_t* from, int64_t* to) {
  EK_INTERNAL_CALL(int (*)(ek_self*, int64_t, int64_t, int64_t*, int64_t*), "ek_static", (self, begin, end, from, to));
  return 0;
}

/* ---- Loops ---- */

/* What the runtime knows of one parallel loop: static, zero at first, and nothing for users. */
typedef struct ek_loop {
  uint64_t internal_time;
} ek_loop;

/* As ek_run(), of a procedure with EK_LOOP that has so many iterations. It runs in one of three forms: by the calling
 * thread alone, as codelets, an instance each, or as procedures that have some of these codelets each. By the time that
 * it is predicted to take, or as EINKORN_TPLOOP and EINKORN_TP_INSTANCES say (docs/codelets.md). self->n is the number
 * of codelets. Earlier versions of the runtime, which have no such loops, do as ek_run() does. */
static inline int ek_run_loop(const ek_proc* proc, const void* frame, int instances, int64_t iterations,
                              ek_loop* loop) {
  EK_INTERNAL_CALL_HERE(int (*)(const ek_proc*, const void*, int, int64_t, ek_loop*), "ek_run_loop",
                        (proc, frame, instances, iterations, loop));
  return ek_run(proc, frame, instances);
}

/* The most instances that a loop of so many threads has, for who needs room for each. */
static inline int ek_most_codelets(int threads) {
  EK_INTERNAL_CALL(int (*)(int), "ek_most_codelets", (threads));
  return threads;
}

/* ---- Codelets by hand ----
 *
 * A counter and what is to be done when it is zero. Nobody has to know the graph: whoever comes to where something is
 * ready that the codelet waits for tells it so. A firing is a task of the thread that brought the counter to zero, made
 * at that moment: the end of the taskgroup, region or ek_launch() around it waits for it. In a team with clusters it is
 * fired in that of the thread that made it (ek_codelet_init()), whoever signals it. */
typedef struct ek_codelet ek_codelet;
struct ek_codelet {
  void (*fire)(ek_codelet* self);
  void* frame; /* yours */
  uint32_t id, reset;
  int32_t internal_count;
  uint16_t internal_line, internal_cluster;
  const char* internal_file;
};

/* count: signals that it waits for, 1 to 2^31 - 1. reset: as many from ek_reset() on. id: yours, and in messages, as
 * file and line are (lines from 65,535 on: that). In recordings a firing has its name by id and line, the same in each
 * run, where those that one line makes and one region fires have different ids. */
#define ek_codelet_init(codelet, fire, frame, count, reset, id) \
  ek_internal_codelet_init(codelet, fire, frame, count, reset, id, __FILE__, __LINE__)
static inline void ek_internal_codelet_init(ek_codelet* c, void (*fire)(ek_codelet*), void* frame, uint32_t count,
                                            uint32_t reset, uint32_t id, const char* file, uint32_t line) {
  int cluster;
  c->fire = fire;
  c->frame = frame;
  c->id = id;
  c->reset = reset;
  c->internal_line = (uint16_t)(line < 0xffff ? line : 0xffff);
  c->internal_file = file;
  c->internal_cluster = (uint16_t)(ek_clusters(&cluster) == 1 ? 0xffff : cluster);
  __atomic_store_n(&c->internal_count, (int32_t)count, __ATOMIC_RELAXED);
}

/* One signal less to wait for; the last one fires it. By any thread of a team, of which the firing is a task then; what
 * it has written is seen by the firing. A signal that it does not wait for ends the program with a message that names
 * the codelet, and so does the last signal from a thread that has never been in the OpenMP library. */
static inline void ek_dec(ek_codelet* c) { EK_INTERNAL_CALL(void (*)(ek_codelet*), "ek_dec", (c)); }

/* It waits for `reset` signals again. When it has fired, or from within, before the next of them can come. */
static inline void ek_reset(ek_codelet* c) {
  __atomic_store_n(&c->internal_count, (int32_t)c->reset, __ATOMIC_RELAXED);
}

/* ---- Complexes ----
 *
 * A region as codelets alone: what SWARM has, and `einkorn cc --target complexes` makes. There are no procedures and
 * nothing is invoked; a complex is the codelets of a region, each a function of its own, in a table, and one *context*:
 * the frame, which its instances share, and a part for each instance (ek_self::own), where lies what lives from one
 * codelet to the next. A codelet returns its successor: the next codelet, and the context that it gets.
 *
 *   static ek_successor first(ek_self* me), second(ek_self* me);
 *   static const ek_complex_codelet codelets[] = {{first, 10}, {NULL, 12}, {second, 13}};
 *   static ek_successor first(ek_self* me) { ...; EK_THEN(me, &codelets[1]); }
 *   static ek_successor second(ek_self* me) { ...; EK_THEN(me, NULL); }
 *   static ek_next run(ek_self* me) { return ek_chain(me, codelets); }
 *   static const ek_proc region = {.name = "region", .run = run, .frame_bytes = ..., .flags = EK_FREE | EK_LOCALES, ...};
 *   ek_run(&region, &frame, 0);
 *
 * A successor that computes is *chained*: called at once, with no queue between. One that synchronises (no function)
 * is one for all instances: once all have come to it, what is behind it in the table is ready for each instance, on its
 * *locale*, the core of the thread of its number. That thread takes it first: what it works on is there.
 */
typedef struct ek_complex_codelet ek_complex_codelet;
typedef struct ek_successor {
  const ek_complex_codelet* next; /* NULL: nobody, the instance is over */
  ek_self* context;               /* that of the codelet that returns it */
} ek_successor;

/* A codelet of a complex: static, in a table, and never changed. */
struct ek_complex_codelet {
  ek_successor (*run)(ek_self* context); /* NULL: it synchronises, and the codelet behind it in the table succeeds it */
  uint32_t line;                         /* of the source; 0: not known */
};

/* ek_proc::flags, beside EK_FREE: a thread whose own locale has nothing that is ready takes what is ready on others':
 * those of its cluster, then those of the other clusters, nearest first (docs/schedules.md, swarm). Also under a
 * schedule that the user names, where a region without it has instance i on thread i: its instances make no tasks. */
enum { EK_LOCALES = 8 };

static inline ek_successor ek_then(ek_self* context, const ek_complex_codelet* next) {
  ek_successor it;
  it.next = next;
  it.context = context;
  return it;
}
/* The codelet is over, and succeeded by that one. */
#define EK_THEN(context, codelet) return ek_then(context, codelet)

/* An instance of a complex: from where it goes on to its end, or to the next codelet that synchronises. */
static inline ek_next ek_chain(ek_self* context, const ek_complex_codelet* codelets) {
  const ek_complex_codelet* it = codelets + context->at;
  for (;;) {
    const ek_successor then = it->run(context);
    if (!then.next) return EK_END;
    it = then.next;
    if (!it->run) {
      context->at = (uint32_t)(it + 1 - codelets);
      return EK_SYNC;
    }
  }
}

/* Of a function that has the text of several codelets, each of which begins elsewhere in it: a copy for each. (gcc 12
 * takes a variable of a block that is begun again for the one before; gives a task's function these attributes, too,
 * and would make one of two regions' tasks: no_icf.) */
#define EK_CUT                                                               \
  _Pragma("GCC diagnostic ignored \"-Wdangling-pointer\"") static __inline__ \
      __attribute__((__always_inline__, __no_icf__))

#ifdef __cplusplus
}
#endif
EK_GENERATED_END
#include "names_end.h"
#endif
