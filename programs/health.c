/* The Colombian health care system: villages in a hierarchy, each with a hospital; the sick queue for staff, are
   assessed, treated or referred to the hospital one level up. Every time step is one recursion over the hierarchy with
   one task per village. The model is that of the Olden suite's and BOTS's program of this name; linked lists of
   patients on purpose: the program is memory-bound, and runs faster where a village's patients stay in one cache.

   With --placement the program declares which memory a task touches. plain: one task touches all memory first, and
   tasks on any node then work on it. domains: the villages two levels below the top, each with all under it, are dealt
   to the machine's memory nodes: tasks there build them, and work on them in every step (Olivier 2012, 7.3). */
#include <ompx_locality.h>

#include "common.h"

typedef struct Patient Patient;
struct Patient {
  Patient *next;
  long time_left;      /* steps until the present stage ends */
  long hospital_visits;
  long time_waited;    /* steps spent in queues, over the whole run */
};

typedef struct {
  Patient *first, **last; /* *last is the null at the end */
} List;

typedef struct Village Village;
struct Village {
  Village **children; /* array of `ratio`, or NULL at the lowest level */
  int child_count;
  int domain;         /* where it is, with --placement domains */
  uint64_t random;   /* used only by this village's own step: the result does not depend on the schedule */
  List population;   /* the healthy */
  List waiting, assess, inside, referred;
  long staff_free;
};

typedef struct {
  long people, waiting, in_hospital, visits, waited;
  uint64_t hash; /* over every village's generator and list lengths, in order */
} Totals;

enum { kOff, kPlain, kDomains };
enum { kPage = 4096, kDealt = 2 /* depth of the villages that are dealt to the domains */ };

static long placement = kOff, domains = 1;
static int dealt; /* this run's villages are in blocks of their own, by domain */
static long levels = 5, ratio = 5, people = 40, steps = 300;
static long cutoff = NO_CUTOFF;
static const long kAssessSteps = 2, kConvalescenceSteps = 12;
static double p_sick = 0.002, p_convalescence = 0.10, p_referred = 0.15;

static void list_clear(List *list) {
  list->first = NULL;
  list->last = &list->first;
}

static void list_append(List *list, Patient *patient) {
  patient->next = NULL;
  *list->last = patient;
  list->last = &patient->next;
}

static void list_append_all(List *list, List *from) {
  if (!from->first) return;
  *list->last = from->first;
  list->last = from->last;
  list_clear(from);
}

/* Takes the patient that *place points to out of the list; *place is then the next one. */
static Patient *list_remove(List *list, Patient **place) {
  Patient *patient = *place;
  *place = patient->next;
  if (!*place) list->last = place;
  return patient;
}

/* A village, its list of children and its patients are contiguous. */
static size_t village_bytes(long level) {
  size_t bytes = sizeof(Village) + (level > 1 ? (size_t)ratio * sizeof(Village *) : 0) + (size_t)people * sizeof(Patient);
  return (bytes + 63) / 64 * 64;
}

static long villages_under(long level) { return level > 1 ? 1 + ratio * villages_under(level - 1) : 1; }

/* With all villages under it. */
static size_t subtree_bytes(long level) {
  return village_bytes(level) + (level > 1 ? (size_t)ratio * subtree_bytes(level - 1) : 0);
}

static char *block_allocate(size_t bytes) {
  char *memory = aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  return memory ? memory : allocate(bytes);
}

static Village *village_build(char **memory, long level, long depth, int domain, uint64_t seed);

/* A task on the domain builds it, in pages of its own: above level kDealt alone, at kDealt with all under it. */
static void build_there(Village **where, long level, long depth, int domain, uint64_t seed) {
  size_t bytes = depth < kDealt ? village_bytes(level) : subtree_bytes(level);
  char *memory = block_allocate(bytes);
  count_tasks(1);
  ompx_next_task_affinity(domain);
  ompx_task_footprint(memory, bytes, OMPX_WRITE);
#pragma omp task UNTIED firstprivate(where, memory, level, depth, domain, seed)
  {
    char *rest = memory;
    *where = village_build(&rest, level, depth, domain, seed);
  }
}

static Village *village_build(char **memory, long level, long depth, int domain, uint64_t seed) {
  Village *v = (Village *)*memory;
  *memory += village_bytes(level);
  v->random = random_seed(seed);
  v->staff_free = 1L << (level - 1); /* larger hospitals higher up */
  v->domain = domain;
  list_clear(&v->population);
  list_clear(&v->waiting);
  list_clear(&v->assess);
  list_clear(&v->inside);
  list_clear(&v->referred);
  v->child_count = level > 1 ? (int)ratio : 0;
  v->children = v->child_count ? (Village **)(v + 1) : NULL;
  Patient *patients = (Patient *)((Village **)(v + 1) + v->child_count);
  memset(patients, 0, (size_t)people * sizeof *patients);
  for (long i = 0; i < people; i++) list_append(&v->population, &patients[i]);
  for (long i = 0; i < v->child_count; i++) {
    uint64_t first = seed + 1 + (uint64_t)(i * villages_under(level - 1));
    if (dealt && depth < kDealt) build_there(&v->children[i], level - 1, depth + 1, (int)((domain * ratio + i) % domains), first);
    else v->children[i] = village_build(memory, level - 1, depth + 1, domain, first);
  }
  if (dealt && depth < kDealt) {
#pragma omp taskwait
  }
  return v;
}

static void village_free(Village *v, long depth) {
  for (int i = 0; dealt && depth < kDealt && i < v->child_count; i++) village_free(v->children[i], depth + 1);
  free(v);
}

/* Memory that the next task will read and write: a village and the people born there. */
static void say_footprint(Village *v, long level, long depth) {
  if (placement == kOff) return;
  ompx_task_footprint(v, village_bytes(level), OMPX_READ_WRITE);
  if (placement == kDomains && depth <= kDealt) ompx_next_task_affinity(v->domain);
}

static void step_inside(Village *v) {
  for (Patient **place = &v->inside.first; *place;) {
    if (--(*place)->time_left > 0) {
      place = &(*place)->next;
    } else {
      list_append(&v->population, list_remove(&v->inside, place));
      v->staff_free++;
    }
  }
}

static void step_assess(Village *v, int is_root) {
  for (Patient **place = &v->assess.first; *place;) {
    if (--(*place)->time_left > 0) {
      place = &(*place)->next;
      continue;
    }
    Patient *patient = list_remove(&v->assess, place);
    if (random_unit(&v->random) >= p_convalescence) {
      v->staff_free++; /* sent home */
      list_append(&v->population, patient);
    } else if (!is_root && random_unit(&v->random) < p_referred) {
      v->staff_free++;
      list_append(&v->referred, patient);
    } else {
      patient->time_left = kConvalescenceSteps;
      list_append(&v->inside, patient);
    }
  }
}

static void step_waiting(Village *v) {
  for (Patient **place = &v->waiting.first; *place;) {
    if (v->staff_free > 0) {
      Patient *patient = list_remove(&v->waiting, place);
      v->staff_free--;
      patient->time_left = kAssessSteps;
      list_append(&v->assess, patient);
    } else {
      (*place)->time_waited++;
      place = &(*place)->next;
    }
  }
}

static void step_population(Village *v) {
  for (Patient **place = &v->population.first; *place;) {
    if (random_unit(&v->random) < p_sick) {
      Patient *patient = list_remove(&v->population, place);
      patient->hospital_visits++;
      list_append(&v->waiting, patient);
    } else {
      place = &(*place)->next;
    }
  }
}

/* What a village does by itself in a step, before it takes in the patients referred by its children. */
static void step_hospital(Village *v, long depth) {
  step_inside(v);
  step_assess(v, depth == 0);
  step_waiting(v);
}

static void step_end(Village *v) {
  for (int i = 0; i < v->child_count; i++) list_append_all(&v->waiting, &v->children[i]->referred);
  step_population(v);
}

static void simulate_sequential(Village *v, long depth) {
  for (int i = 0; i < v->child_count; i++) simulate_sequential(v->children[i], depth + 1);
  step_hospital(v, depth);
  step_end(v);
}

static void simulate(Village *v, long depth) {
  if (depth >= cutoff) {
    simulate_sequential(v, depth);
    return;
  }
  count_tasks(v->child_count);
  for (int i = 0; i < v->child_count; i++) {
    Village *child = v->children[i];
    say_footprint(child, levels - depth - 1, depth + 1);
#pragma omp task UNTIED firstprivate(child, depth)
    simulate(child, depth + 1);
  }
  step_hospital(v, depth);
#pragma omp taskwait
  step_end(v);
}

static long add_list(Totals *totals, const List *list) {
  long length = 0;
  for (const Patient *p = list->first; p; p = p->next) {
    length++;
    totals->visits += p->hospital_visits;
    totals->waited += p->time_waited;
  }
  totals->people += length;
  totals->hash = random_seed(totals->hash ^ (uint64_t)length);
  return length;
}

static void add_totals(Totals *totals, const Village *v) {
  totals->hash = random_seed(totals->hash ^ v->random);
  add_list(totals, &v->population);
  totals->waiting += add_list(totals, &v->waiting) + add_list(totals, &v->referred);
  totals->in_hospital += add_list(totals, &v->assess) + add_list(totals, &v->inside);
  for (int i = 0; i < v->child_count; i++) add_totals(totals, v->children[i]);
}

static Totals run(uint64_t seed, int parallel, double *seconds) {
  Village *root;
  dealt = parallel && placement == kDomains;
  char *memory = block_allocate(dealt ? village_bytes(levels) : subtree_bytes(levels));
  double start = 0;
  if (parallel) {
    record_only(1);
#pragma omp parallel
    {
#pragma omp single
      {
        char *rest = memory;
        if (placement == kPlain) {
          /* One task touches all first, as the initial thread of most programs does. */
          count_tasks(1);
          ompx_task_footprint(memory, subtree_bytes(levels), OMPX_WRITE);
#pragma omp task UNTIED shared(root, rest)
          root = village_build(&rest, levels, 0, 0, seed);
#pragma omp taskwait
        } else {
          root = village_build(&rest, levels, 0, 0, seed);
        }
        start = now_seconds();
        for (long t = 0; t < steps; t++) simulate(root, 0);
      }
      flush_task_count();
    }
  } else {
    root = village_build(&(char *){memory}, levels, 0, 0, seed);
    start = now_seconds();
    for (long t = 0; t < steps; t++) simulate_sequential(root, 0);
  }
  *seconds = now_seconds() - start;
  if (parallel) record_only(0);
  Totals totals = {0, 0, 0, 0, 0, 1};
  add_totals(&totals, root);
  village_free(root, 0);
  return totals;
}

int main(int argc, char **argv) {
  long seed = 23;
  const Option options[] = {
      {"--size", kLong, "N", &levels, 1, 12, "levels of the hierarchy"},
      {"--ratio", kLong, "N", &ratio, 1, 100, "villages under each village"},
      {"--people", kLong, "N", &people, 0, 1e6, "people in each village"},
      {"--steps", kLong, "N", &steps, 0, 1e6, "time steps"},
      {"--p-sick", kDouble, "P", &p_sick, 0, 1, "chance to fall ill, per person and step"},
      {"--p-convalescence", kDouble, "P", &p_convalescence, 0, 1, "chance that an assessed patient needs treatment"},
      {"--p-referred", kDouble, "P", &p_referred, 0, 1, "chance that it is given one level up"},
      {"--cutoff", kLong, "N", &cutoff, 0, 1000, "no tasks below depth N"},
      {"--no-cutoff", kSwitch, "", &cutoff, (double)NO_CUTOFF, 0, "a task for every village"},
      {"--placement", kChoice, "off|plain|domains", &placement, 0, 0, "declares the tasks' memory, and where it lies"},
      {"--seed", kLong, "N", &seed, 0, 1e15, "seed of the simulation"},
  };
  parse_options(argc, argv, "health", "Simulates a health care system, one task per village and time step.", options,
                OPTION_COUNT(options));
  domains = ompx_get_num_domains();
  double seconds, sequential_seconds;
  Totals parallel = run((uint64_t)seed, 1, &seconds);
  Totals sequential = run((uint64_t)seed, 0, &sequential_seconds);
  int ok = parallel.people == sequential.people && parallel.waiting == sequential.waiting &&
           parallel.in_hospital == sequential.in_hospital && parallel.visits == sequential.visits &&
           parallel.waited == sequential.waited && parallel.hash == sequential.hash;
  char size[80], text[80];
  snprintf(size, sizeof size, "%ldx%ldx%ldx%ld", levels, ratio, people, steps);
  snprintf(text, sizeof text, "%ld/%ld/%016llx", parallel.visits, parallel.waited, (unsigned long long)parallel.hash);
  return finish("health", size, text, tasks_made, seconds, ok);
}
