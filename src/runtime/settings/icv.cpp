#include "runtime/settings/icv.h"

#include <new>

namespace einkorn::runtime {

Icv* g_icvs[kMaxIcvs >> 10];
std::atomic<int> g_num_teams{0}, g_teams_thread_limit{0};

namespace {
Mutex g_lock;
uint32_t g_count = 0;

bool same(const Icv& a, const Icv& b) {
  return a.num_threads == b.num_threads && a.max_active_levels == b.max_active_levels &&
         a.thread_limit == b.thread_limit && a.default_device == b.default_device &&
         a.run_schedule.kind == b.run_schedule.kind && a.run_schedule.chunk == b.run_schedule.chunk &&
         a.run_schedule.monotonic == b.run_schedule.monotonic && a.dynamic == b.dynamic && a.allocator == b.allocator &&
         a.proc_bind == b.proc_bind && a.child_domain == b.child_domain;
}
}  // namespace

uint32_t intern_icv(const Icv& values) {
  Icv wanted = values;
  if (wanted.child_domain >= 0) {
    Icv without = values;
    without.child_domain = -1;
    wanted.without_domain = intern_icv(without);
  }
  g_lock.lock();
  // Newest first: programs toggle between few values.
  for (uint32_t i = g_count; i-- > 0;) {
    if (same(icv(i), wanted)) {
      g_lock.unlock();
      return i;
    }
  }
  if (g_count == kMaxIcvs) fatal("more than %u different combinations of OpenMP control variables were set", kMaxIcvs);
  if ((g_count & 1023) == 0) g_icvs[g_count >> 10] = static_cast<Icv*>(allocate(1024 * sizeof(Icv)));
  g_icvs[g_count >> 10][g_count & 1023] = wanted;
  uint32_t index = g_count++;
  g_lock.unlock();
  return index;
}

uint32_t initial_icv() {
  Icv first;
  first.num_threads = g_config.num_threads[0];
  first.max_active_levels = g_config.max_active_levels;
  first.thread_limit = g_config.thread_limit;
  first.run_schedule = g_config.run_schedule;
  first.dynamic = g_config.dynamic;
  first.allocator = g_config.allocator;
  if (g_config.proc_bind_levels > 0) first.proc_bind = g_config.proc_bind[0];
  first.default_device = g_config.default_device == -1 ? 0 : g_config.default_device;
  return intern_icv(first);
}

void icv_after_fork() { new (&g_lock) Mutex; }

}  // namespace einkorn::runtime
