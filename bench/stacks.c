/* To be loaded before a program (LD_PRELOAD): its threads begin STACK_SHIFT bytes further down in their stacks. Where
   variables of many functions lie across two pages the same code takes up to a fifth longer, and where they lie is the
   same in each run: so what is compared is run at several places (bench/forms.py). The first thread's stack is at
   another place in each run already, by the kernel. */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

struct start {
  void *(*run)(void *), *data;
};

static void *begin(void *given) {
  const struct start start = *(struct start *)given;
  const char *shift = getenv("STACK_SHIFT");
  free(given);
  volatile char *room = alloca(shift ? (size_t)atoi(shift) + 1 : 1);
  room[0] = 0;
  return start.run(start.data);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data) {
  int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
  struct start *start = malloc(sizeof *start);
  if (!start) return create(thread, attributes, run, data);
  *start = (struct start){run, data};
  const int error = create(thread, attributes, begin, start);
  if (error) free(start);
  return error;
}
