#include "runtime/team/threadprivate.h"

#include <cstring>
#include <new>

namespace einkorn::runtime {

namespace {

struct Variable {
  Variable* next;
  void* original;
  ThreadprivateClass how;
  size_t size;    // 0: registered, not used yet
  void* first;    // its value then; nullptr: copies are constructed
  void** copies;  // by Worker::id
};

Mutex g_lock;  // the list, and the making of copies
std::atomic<Variable*> g_variables{nullptr};

void* memory_for(size_t size) {
  void* p = nullptr;
  if (posix_memalign(&p, kCacheLine, size ? size : 1) != 0)
    fatal("out of memory: %zu bytes for a threadprivate variable", size);
  memset(p, 0, size);
  return p;
}

Variable* find(void* original) {
  Variable* v = g_variables.load(std::memory_order_relaxed);
  while (v && v->original != original) v = v->next;
  if (v) return v;
  v = new (memory_for(sizeof(Variable))) Variable{};
  v->next = g_variables.load(std::memory_order_relaxed);
  v->original = original;
  // Release: what it holds, for who walks the list without the lock.
  g_variables.store(v, std::memory_order_release);
  return v;
}

void copy_to(const Variable* v, void* to, void* from, size_t size) {
  if (v->how.copy_array) v->how.copy_array(to, from, v->how.elements);
  else if (v->how.copy) v->how.copy(to, from);
  else memcpy(to, from, size);
}

void first_use(Variable* v, size_t size) {
  v->copies = static_cast<void**>(allocate(sizeof(void*) * kMaxWorkers));
  if ((!v->how.construct && !v->how.construct_array) || v->how.copy || v->how.copy_array) {
    void* first = memory_for(size);
    copy_to(v, first, v->original, size);
    v->first = first;
  }
  v->size = size;  // last: a fork may come in between
}

void* new_copy(const Variable* v) {
  void* p = memory_for(v->size);
  if (v->first) copy_to(v, p, v->first, v->size);
  else if (v->how.construct_array) v->how.construct_array(p, v->how.elements);
  else v->how.construct(p);
  return p;
}

}  // namespace

void threadprivate_register(void* original, const ThreadprivateClass& how) {
  g_lock.lock();
  find(original)->how = how;
  g_lock.unlock();
}

void* threadprivate_copy(Worker* w, void* original, size_t size, void*** copies) {
  g_lock.lock();
  Variable* v = find(original);
  if (v->size == 0) first_use(v, size);
  g_lock.unlock();
  if (copies) *copies = v->copies;
  // Its own entry: nobody else writes it. Constructors are the program's and may come here again.
  void*& own = v->copies[w->id];
  if (!own) own = w->initial ? original : new_copy(v);
  return own;
}

void threadprivate_thread_ended(Worker* w) {
  // Acquire: pairs with the release in find().
  for (Variable* v = g_variables.load(std::memory_order_acquire); v; v = v->next) {
    void* p = v->copies ? v->copies[w->id] : nullptr;
    if (!p) continue;
    if (p != v->original) {  // that is the initial thread's
      if (v->how.destroy_array) v->how.destroy_array(p, v->how.elements);
      else if (v->how.destroy) v->how.destroy(p);
      free(p);
    }
    v->copies[w->id] = nullptr;
  }
}

void threadprivate_after_fork() { new (&g_lock) Mutex; }

}  // namespace einkorn::runtime
