/* Threads that are to end in what codelets run: leaves undeferred|task|region|by_hand. In C, as of C++'s regions and tasks nothing gets
 * out, by what compilers do. */
#include <pthread.h>
#include <string.h>
#include <einkorn/codelet.h>

static ek_next undeferred(ek_self *me) {
  (void)me;
  #pragma omp task if(0)
  pthread_exit(NULL);
  return EK_END;
}
static ek_next child(ek_self *me) { return (void)me, EK_END; }
static const ek_proc kChild = {.name = "child", .run = child};
static ek_next waits(ek_self *me) {
  if (me->at == 1) return EK_END;
  #pragma omp task
  pthread_exit(NULL);
  ek_invoke(me, &kChild, NULL);
  EK_YIELD(me, 1, EK_WAIT);
}
static ek_next region(ek_self *me) {
  (void)me;
  #pragma omp parallel num_threads(1)
  pthread_exit(NULL);
  return EK_END;
}
static const ek_proc kUndeferred = {.name = "undeferred", .run = undeferred}, kWaits = {.name = "waits", .run = waits},
                     kRegion = {.name = "region", .run = region, .flags = EK_FREE};
static void by_hand(ek_codelet *c) {
  (void)c;
  #pragma omp task if(0)
  pthread_exit(NULL);
}

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "";
  if (!strcmp(kind, "undeferred")) ek_launch(&kUndeferred, NULL);
  if (!strcmp(kind, "task")) ek_launch(&kWaits, NULL);
  if (!strcmp(kind, "region")) ek_run(&kRegion, NULL, 2);
  if (!strcmp(kind, "by_hand")) {
    static ek_codelet c;
    ek_codelet_init(&c, by_hand, NULL, 1, 1, 12);
    #pragma omp parallel num_threads(1)
    ek_dec(&c);
  }
  return 0;
}
