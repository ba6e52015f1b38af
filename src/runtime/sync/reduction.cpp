#include "runtime/sync/reduction.h"

#include <cstring>

#include "runtime/task/task.h"

namespace einkorn::runtime {

namespace {

void* need(void* p) {
  if (!p) fatal("out of memory: private copies of a task reduction");
  return p;
}

ReductionCopies* new_copies(int blocks, int threads, int holders) {
  auto* c = static_cast<ReductionCopies*>(
      need(calloc(1, sizeof(ReductionCopies) + sizeof(ReductionCopies::Block) * size_t(blocks))));
  c->holders.store(holders, std::memory_order_relaxed);
  c->threads = threads;
  c->count = blocks;
  return c;
}

// Zeroed: gcc's programs keep their marks of what is initialised in it. calloc leaves large blocks to the kernel, so
// that a thread's part becomes memory where that thread runs.
void fill_block(ReductionCopies* c, int i, size_t stride, size_t align, bool marks) {
  ReductionCopies::Block& b = c->blocks[i];
  if (align < kCacheLine) align = kCacheLine;
  if (marks) stride = (stride + kCacheLine - 1) & ~(kCacheLine - 1);  // threads do not share lines
  size_t bytes = stride * size_t(c->threads);
  b.stride = stride;
  b.raw = need(calloc(1, bytes + align + (marks ? size_t(c->threads) : 0)));
  b.base = reinterpret_cast<char*>((uintptr_t(b.raw) + align - 1) & ~uintptr_t(align - 1));
  b.ready = marks ? reinterpret_cast<bool*>(b.base + bytes) : nullptr;
}

void free_copies(ReductionCopies* c) {
  for (int i = 0; i < c->count; ++i) free(c->blocks[i].raw);
  free(c);
}

Reductions* new_set(int items, Reductions* outer, Taskgroup* group) {
  auto* set = static_cast<Reductions*>(need(malloc(sizeof(Reductions) + sizeof(ReductionItem) * size_t(items))));
  set->outer = outer;
  set->group = group;
  set->count = items;
  return set;
}

// Frees a set; the copies too when nobody else has them.
void free_set(Reductions* set) {
  ReductionCopies* c = set->copies;
  free(set);
  // Release: our use of the copies; acquire: the others', before they are freed.
  if (c->holders.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  if (c->home) c->home->store(nullptr, std::memory_order_relaxed);
  free_copies(c);
}

enum Word { kItems, kBytes, kMemory, kAllocator, kNext, kSet, kEnd, kFirstItem };

uintptr_t* next_of(const uintptr_t* d) { return reinterpret_cast<uintptr_t*>(d[kNext]); }

// Makes the set of a descriptor, with the copies of `shared` or, where that is nullptr, new ones.
Reductions* register_descriptor(uintptr_t* descriptor, Reductions* outer, Taskgroup* group, ReductionCopies* shared,
                                int threads, int holders) {
  int blocks = 0, items = 0;
  for (uintptr_t* d = descriptor; d; d = next_of(d)) ++blocks, items += int(d[kItems]);
  Reductions* set = new_set(items, outer, group);
  ReductionCopies* c = set->copies = shared ? shared : new_copies(blocks, threads, holders);
  set->shared = holders > 1;
  ReductionItem* item = set->items;
  int k = 0;
  for (uintptr_t* d = descriptor; d; d = next_of(d), ++k) {
    if (!shared) fill_block(c, k, d[kBytes], d[kMemory], false);
    ReductionCopies::Block* b = &c->blocks[k];
    d[kMemory] = uintptr_t(b->base);
    d[kEnd] = uintptr_t(b->base) + b->stride * size_t(threads);
    d[kSet] = 0;
    for (uintptr_t i = 0; i < d[kItems]; ++i) {
      const uintptr_t* entry = d + kFirstItem + 3 * i;
      *item++ = {reinterpret_cast<char*>(entry[0]), b, entry[1], nullptr, nullptr, nullptr, nullptr};
    }
  }
  descriptor[kSet] = uintptr_t(set);
  return set;
}

char* copy_of(ReductionCopies::Block* b, const ReductionItem& item, int thread, size_t offset) {
  char* part = b->base + b->stride * size_t(thread);
  if (!b->ready) return part + offset;
  if (!b->ready[thread]) {
    if (item.init) item.init(part, item.source);
    b->ready[thread] = true;
  }
  return part;
}

}  // namespace

void* reduction_copy(Worker* w, const Reductions* set, const void* address, void** original) {
  auto* p = static_cast<const char*>(address);
  for (; set; set = set->outer) {
    for (int i = 0; i < set->count; ++i) {
      const ReductionItem& item = set->items[i];
      if (item.original != p) continue;
      if (original) *original = item.original;
      return copy_of(item.block, item, w->thread_num, item.offset);
    }
    // No original of this set lies in a copy of a set further in, which is younger: so set by set is right.
    const size_t threads = size_t(set->copies->threads);
    for (int i = 0; i < set->count; ++i) {
      const ReductionItem& item = set->items[i];
      ReductionCopies::Block* b = item.block;
      if (p < b->base || p >= b->base + b->stride * threads) continue;
      size_t offset = size_t(p - b->base) % b->stride;
      if (original) {
        // Only the item that begins there has an original to tell; others of the block come later in the list.
        if (offset != item.offset) continue;
        *original = item.original;
      }
      return copy_of(b, item, w->thread_num, offset);
    }
  }
  return nullptr;
}

void register_reductions(Worker* w, uintptr_t* descriptor) {
  Taskgroup* g = w->current->group;
  g->reductions = register_descriptor(descriptor, g->reductions, g, nullptr, w->team->n, 1);
}

void unregister_reductions(uintptr_t* descriptor) { free_set(reinterpret_cast<Reductions*>(descriptor[kSet])); }

Reductions* new_team_reductions(uintptr_t* descriptor, int threads) {
  return register_descriptor(descriptor, nullptr, nullptr, nullptr, threads, 1);
}

void workshare_reductions_begin(Worker* w, WorkShare* share, uintptr_t* descriptor, bool first, const void* ra) {
  Taskgroup* g = new_group(w);
  taskgroup_begin(w, g, ra, 0);
  g->scope = Taskgroup::of_workshare;
  int n = w->team->n;
  // Whoever is not the first has read that the share is open, with acquire: the pointer is there. It stays until all
  // threads of the team have left the construct.
  ReductionCopies* shared = first ? nullptr : share->reductions.load(std::memory_order_relaxed);
  g->reductions = register_descriptor(descriptor, g->reductions, g, shared, n, n);
  if (first) {
    g->reductions->copies->home = &share->reductions;
    share->reductions.store(g->reductions->copies, std::memory_order_relaxed);
  }
}

void workshare_reductions_end(Worker* w, Caller ra) {
  Taskgroup* g = w->current->group;
  Reductions* set = g ? g->reductions : nullptr;
  if (!set || set->group != g) fatal("GOMP_workshare_task_reduction_unregister outside the construct");
  taskgroup_end(w, ra, 0);
  free_set(set);
  free_group(w, g);
}

void free_leftover_reductions(std::atomic<ReductionCopies*>& home) {
  ReductionCopies* c = home.load(std::memory_order_relaxed);
  if (!c) return;
  home.store(nullptr, std::memory_order_relaxed);
  free_copies(c);
}

void begin_reductions(Worker* w, const ReductionInput* inputs, int count, std::atomic<ReductionCopies*>* shared) {
  Taskgroup* g = w->current->group;
  int n = w->team->n;
  // Acquire, here and where the exchange fails: what another has filled in; pairs with its release below.
  ReductionCopies* c = shared ? shared->load(std::memory_order_acquire) : nullptr;
  if (!c) {
    ReductionCopies* mine = new_copies(count, n, shared ? n : 1);
    for (int i = 0; i < count; ++i) fill_block(mine, i, inputs[i].bytes, 0, true);
    mine->home = shared;
    // Several threads may make one; the first to publish wins.
    if (!shared || shared->compare_exchange_strong(c, mine, std::memory_order_acq_rel)) c = mine;
    else free_copies(mine);
  }
  Reductions* set = new_set(count, g->reductions, g);
  set->copies = c;
  set->shared = shared != nullptr;
  for (int i = 0; i < count; ++i) {
    const ReductionInput& in = inputs[i];
    set->items[i] = {static_cast<char*>(in.original), &c->blocks[i], 0, in.source, in.init, in.fini, in.combine};
  }
  g->reductions = set;
}

void finish_reductions(Worker*, Taskgroup* g) {
  // More than one set where the program made several for one group.
  while (has_reductions(g)) {
    Reductions* set = g->reductions;
    ReductionCopies* c = set->copies;
    g->reductions = set->outer;
    // The last thread to come combines: all tasks of the others' groups have ended before they came. Release: what this
    // group's did; acquire: what the others' did.
    if (c->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      for (int i = 0; i < set->count; ++i) {
        const ReductionItem& item = set->items[i];
        for (int t = 0; t < c->threads; ++t) {
          if (!item.block->ready[t]) continue;
          char* copy = item.block->base + item.block->stride * size_t(t);
          item.combine(item.original, copy);
          if (item.fini) item.fini(copy);
        }
      }
      if (c->home) c->home->store(nullptr, std::memory_order_relaxed);
      free_copies(c);
    }
    free(set);
  }
}

void abandon_reductions(Taskgroup* g) {
  Reductions* set = g->reductions;
  g->reductions = set->outer;
  if (set->shared) free(set);
  else free_set(set);
}

}  // namespace einkorn::runtime
