// The recorder inside a shared object, as in the runtime library.
#include "record/stream.h"

extern "C" __attribute__((visibility("default"))) int record_something(const char* path) {
  using namespace einkorn::record;
  start({.path = path});
  Stream* s = open_stream(true);
  if (!s) return 1;
  s->task_create(einkorn::ticks(), einkorn::ticks(), 1);
  close_stream(s);
  finish();
  return 0;
}
