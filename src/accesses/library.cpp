#include "accesses/library.h"
#include "accesses/writers.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>

namespace einkorn::accesses {
namespace {

const record::AccessHost* g_host = nullptr;
// Tables of all threads that ever were: never unmapped, as the end of the recording may be reading them. Acquire: they
// are complete; pairs with the release that puts one there.
std::atomic<Table*> g_tables{nullptr};

struct Range {
  std::atomic<uint64_t> begin, end;
};
constexpr unsigned kMostModules = 256;
Range g_modules[kMostModules];
std::atomic<unsigned> g_module_count{0};
pthread_mutex_t g_module_lock = PTHREAD_MUTEX_INITIALIZER;

void make_table(bool main_thread) {
  for (Table* t = g_tables.load(std::memory_order_acquire); t; t = t->next)
    if (t->reuse()) return void(t_table = t);
  Table* t = Table::create(main_thread);
  if (!t) return;
  t->next = g_tables.load(std::memory_order_relaxed);
  // Release: a thread that finds it in the list finds it complete.
  while (!g_tables.compare_exchange_weak(t->next, t, std::memory_order_release, std::memory_order_relaxed)) {}
  t_table = t;
}

void start(const record::AccessHost* host) { g_host = host; }

void attach(const record::AccessStream* stream) {
  if (!t_table) make_table(false);
  if (t_table) t_table->attach(*stream);
}

void detach() {
  if (!t_table) return;
  t_table->detach();
  t_table = nullptr;
}

void finish() {
  for (Table* t = g_tables.load(std::memory_order_acquire); t; t = t->next) t->finish();  // pairs with make_table()
  tell_writers();
}

// The initial thread counts from the start: its first stream comes with the program's first use of OpenMP.
__attribute__((constructor)) void load() {
  if (const char* on = getenv("EINKORN_RECORD_ACCESSES"); on && *on && strchr("tT1yY", *on)) make_table(true);
}

}  // namespace

void write_block(uint32_t stream, uint64_t sequence, const void* payload, size_t bytes) {
  if (g_host) g_host->write(stream, sequence, payload, bytes);
}

void write_lines(const void* records, size_t bytes) {
  if (g_host) g_host->write_lines(records, bytes);
}

void note_module(const void* pc) {
  dl_find_object object;
  if (is_ours(pc) || _dl_find_object(const_cast<void*>(pc), &object) != 0) return;
  pthread_mutex_lock(&g_module_lock);
  unsigned n = g_module_count.load(std::memory_order_relaxed);
  if (n < kMostModules) {
    g_modules[n].begin.store(address_of(object.dlfo_map_start), std::memory_order_relaxed);
    g_modules[n].end.store(address_of(object.dlfo_map_end), std::memory_order_relaxed);
    g_module_count.store(n + 1, std::memory_order_release);  // orders the range before it
  }
  pthread_mutex_unlock(&g_module_lock);
}

bool is_ours(const void* pc) {
  const unsigned n = g_module_count.load(std::memory_order_acquire);  // pairs with note_module()
  for (unsigned i = 0; i < n; ++i)
    if (address_of(pc) >= g_modules[i].begin.load(std::memory_order_relaxed) &&
        address_of(pc) < g_modules[i].end.load(std::memory_order_relaxed))
      return true;
  return false;
}

}  // namespace einkorn::accesses

extern "C" __attribute__((visibility("default")))
const einkorn::record::AccessLibrary einkorn_accesses = {einkorn::record::kAccessLibraryVersion,
                                                         einkorn::accesses::start,
                                                         einkorn::accesses::attach,
                                                         einkorn::accesses::detach,
                                                         einkorn::accesses::finish,
                                                         einkorn::accesses::cache_bytes};
