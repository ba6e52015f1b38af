// Small blocks, many to a page: pages of one node, or locked ones, cut into blocks of a few sizes. A freed block is
// used again for that size and kind of page; the pages themselves are kept.
#pragma once
#include <cstddef>

namespace einkorn::memory {

inline constexpr size_t kMostInArena = 12 * 1024;
inline constexpr size_t kMostLocked = 1'000;

// Aligned as malloc()'s. nullptr: no memory. *zeroed: the block has never been used. coarse: for Layout::coarse
// (page_map.h); such blocks share no page with others.
void* arena_take(size_t bytes, int node, bool coarse, bool* zeroed);
// Of pages that stay in memory (mlock), one locked at a time. nullptr: also more than RLIMIT_MEMLOCK allows.
void* arena_take_locked(size_t bytes, bool* zeroed);
void arena_give(void* p);
size_t arena_bytes(void* p);  // that the block has room for
void arena_reset_locks();     // in the child of a fork

}  // namespace einkorn::memory
