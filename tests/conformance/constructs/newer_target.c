// Device numbers and private copies as gcc 13 to 16 pass them, by the entry points themselves; queries of null; omp_invalid_device,
// which ends the program.
// compilers: gcc
// flags gcc: -ldl
// peer gcc: libgomp 12 answers and does otherwise
// stderr: omp_invalid_device
#define _GNU_SOURCE
#include <sys/wait.h>
#include "newer_names.h"

typedef void Target(int device, void (*fn)(void *), size_t count, void **hostaddrs, size_t *sizes, unsigned short *kinds, unsigned flags,
                    void **depend, void **args);
enum { kIcv = -1, kHost = -2, kInvalid = -4, kDefault = -5 };  // gcc 13's omp_invalid_device, gcc 16's omp_default_device

static int ran = 0;
static void body(void *unused) {
  (void)unused;
  add_one(&ran);
}
static void *no_args[] = {NULL};

static void queries(void) {
  int x = 0, host = omp_get_initial_device();
  CHECK(omp_target_is_present(&x, host));
  CHECK(!omp_target_is_present(NULL, host));
  CHECK(!omp_target_is_present(&x, host + 1));
  int (*accessible)(const void *, size_t, int) = named("omp_target_is_accessible", "OMP_5.1.1");
  CHECK(accessible(&x, sizeof x, host));
  CHECK(accessible(&x, sizeof x, -1));
  CHECK(accessible(&x, sizeof x, kDefault));
  CHECK(!accessible(NULL, 1, host));
  CHECK(!accessible(&x, 0, host));
  CHECK(!accessible(&x, sizeof x, host + 1));
  CHECK(!accessible(&x, sizeof x, -6));
  void *p = omp_target_alloc(16, kDefault);
  CHECK(p != NULL);
  CHECK_EQUAL(omp_target_memcpy(p, &x, sizeof x, 0, 0, kDefault, kDefault), 0);
  omp_target_free(p, kDefault);
}

// The child's status as waitpid() gives it.
static int in_a_child(void (*what)(Target *), Target *target) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    what(target);
    _exit(0);
  }
  int status = -1;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  return status;
}

static void on_invalid(Target *target) { target(kInvalid, body, 0, NULL, NULL, NULL, 0, NULL, no_args); }
static void on_invalid_default(Target *target) {
  omp_set_default_device(kInvalid);
  CHECK_EQUAL(omp_get_default_device(), kInvalid);
  target(kIcv, body, 0, NULL, NULL, NULL, 0, NULL, no_args);
}
static void memory_of_invalid(Target *target) {
  (void)target;
  omp_target_alloc(16, kInvalid);
}
static void on_initial_default(Target *target) {
  omp_set_default_device(-1);
  omp_set_default_device(kDefault);  // no device of its own: nothing is set
  CHECK_EQUAL(omp_get_default_device(), -1);
  target(kIcv, body, 0, NULL, NULL, NULL, 0, NULL, no_args);
  _exit(value_of(&ran) == 3 ? 0 : 1);
}

static void devices(Target *target) {
  target(kHost, body, 0, NULL, NULL, NULL, 0, NULL, no_args);
  target(kDefault, body, 0, NULL, NULL, NULL, 0, NULL, no_args);
  CHECK_EQUAL(value_of(&ran), 2);
  CHECK(in_a_child(on_invalid, target) != 0);
  CHECK(in_a_child(on_invalid_default, target) != 0);
  CHECK(in_a_child(memory_of_invalid, target) != 0);
  CHECK_EQUAL(in_a_child(on_initial_default, target), 0);
}

// A firstprivate allocatable of gfortran 14: a copy of its descriptor, a copy of its data, and an entry that has the one point at the other.
struct Descriptor {
  int *data;
  long size;
};
struct Entries {
  struct Descriptor *descriptor;
  int *data;
  void *attach;
  int *seen;
};
enum { kElements = 5 };

static void sum_and_clear(void *entries) {
  struct Entries *e = entries;
  struct Descriptor *a = e->descriptor;
  nap_us(200);
  for (int i = 0; i < a->size; ++i) {
    __atomic_add_fetch(e->seen, a->data[i], __ATOMIC_SEQ_CST);
    a->data[i] = 0;
  }
}

static void private_array(Target *target, unsigned flags) {
  enum { kTofrom = 3, kFirstprivate = 0xc, kAttach = 0x50, kAlign8 = 3 << 8, kAlign4 = 2 << 8 };
  int values[kElements] = {1, 2, 3, 4, 5}, seen = 0;
  struct Descriptor a = {values, kElements};
  struct Entries entries = {&a, values, NULL, &seen};
  entries.attach = &entries.descriptor;
  size_t sizes[] = {sizeof a, sizeof values, 0, sizeof seen};
  unsigned short kinds[] = {kFirstprivate | kAlign8, kFirstprivate | kAlign4, kAttach, kTofrom | kAlign4};
  target(kHost, sum_and_clear, 4, (void **)&entries, sizes, kinds, flags, NULL, no_args);
  if (flags) {
    memset(&entries, 0, sizeof entries);  // of a deferred region all is copied
#pragma omp taskwait
  }
  CHECK_EQUAL(seen, 15);
  CHECK(a.data == values && a.size == kElements);
  for (int i = 0; i < kElements; ++i) CHECK_EQUAL(values[i], i + 1);
}

int main(void) {
  Target *target = (Target *)named("GOMP_target_ext", "GOMP_4.5");
  queries();
  devices(target);
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 20; ++round) {
    private_array(target, 0);
    private_array(target, 1);  // nowait
  }
  return check_end();
}
