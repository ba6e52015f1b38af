// Memory for tasks: per-worker free lists of a few sizes. A block knows its home; a worker that frees another's block
// keeps a short chain of them and sends it home whole. The home worker collects what came back when its list is empty.
//
// Under a schedule that gives memory back late (schedule/freeing.h) it keeps more of others' blocks before that.
//
// Invariants: a free block is in exactly one place: its home's free_blocks, its home's `returned`, or one worker's
// foreign chain or kept blocks. `returned` is a stack that others push to and the home empties at once (exchange), so
// there is no ABA.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

inline constexpr uint16_t kBlockSizes[Worker::kSizeClasses] = {128, 192, 256, 384, 512, 1024, 2048, 4096};
inline constexpr uint8_t kHuge = 0xff;  // larger: large_blocks.h

// Class by size in cache lines, up to 4096 bytes.
struct SizeClasses {
  uint8_t of_lines[4096 / kCacheLine + 1];
  constexpr SizeClasses() : of_lines{} {
    for (size_t lines = 0, c = 0; lines <= 4096 / kCacheLine; ++lines) {
      while (lines * kCacheLine > kBlockSizes[c]) ++c;
      of_lines[lines] = uint8_t(c);
    }
  }
};
inline constexpr SizeClasses kSizeClasses;

constexpr uint8_t size_class_of(size_t bytes) {
  return EK_LIKELY(bytes <= 4096) ? kSizeClasses.of_lines[(bytes + kCacheLine - 1) / kCacheLine] : kHuge;
}

void* block_slow(Worker* w, uint8_t size_class);
Task* large_block(Worker* w, size_t bytes);
void*& last_word_of_large(Task* t);
void send_home(Worker* w);                  // the foreign chain
void give_back_kept(Worker* w, bool idle);  // if the schedule wants that now
void leave_blocks(Worker* w);               // of others, all: the thread ends
int count_blocks(const void* chains);       // for tests: of Worker::foreign, chains, returned
void free_foreign(Worker* w, Task* t);

// A block for a task with `body_bytes` behind it, and a last word that is nobody's yet (extra.h). Its home and
// size_class are set, and stay the same as long as the block lives; nothing else is.
inline Task* new_block(Worker* w, size_t body_bytes) {
  size_t bytes = sizeof(Task) + body_bytes + sizeof(void*);
  uint8_t c = size_class_of(bytes);
  if (EK_UNLIKELY(c == kHuge)) return large_block(w, bytes);
  void* block = w->free_blocks[c];
  if (EK_LIKELY(block != nullptr)) w->free_blocks[c] = *static_cast<void**>(block);
  else block = block_slow(w, c);
  return static_cast<Task*>(block);
}

// A block of that class that the worker has at hand, or nullptr.
inline Task* take_block(Worker* w, size_t size_class) {
  void* block = w->free_blocks[size_class];
  if (EK_LIKELY(block != nullptr)) w->free_blocks[size_class] = *static_cast<void**>(block);
  return static_cast<Task*>(block);
}

inline void*& last_word(Task* t) {
  if (EK_UNLIKELY(t->size_class == kHuge)) return last_word_of_large(t);
  return *reinterpret_cast<void**>(reinterpret_cast<char*>(t) + kBlockSizes[t->size_class] - sizeof(void*));
}

// One that new_block() gave to this worker, which is in its lists' size.
inline void free_own_block(Worker* w, Task* t, uint8_t size_class) {
  EK_ASSERT(t->home == w->id && t->size_class == size_class);
  *reinterpret_cast<void**>(t) = w->free_blocks[size_class];
  w->free_blocks[size_class] = t;
}

inline void free_block(Worker* w, Task* t) {
  if (EK_UNLIKELY(t->home != w->id)) return free_foreign(w, t);
  free_own_block(w, t, t->size_class);
}

}  // namespace einkorn::runtime
