// Small blocks on a chosen node, many to a page: pages of one node, cut into blocks of a few sizes. A freed block is
// used again for that size and node; the pages themselves are kept.
#pragma once
#include <cstddef>

namespace einkorn::memory {

inline constexpr size_t kMostInArena = 12 * 1024;

// Aligned as malloc()'s. nullptr: no memory. *zeroed: the block has never been used. coarse: for Layout::coarse
// (page_map.h); such blocks share no page with others.
void* arena_take(size_t bytes, int node, bool coarse, bool* zeroed);
void arena_give(void* p);
size_t arena_bytes(void* p);  // that the block has room for
void arena_reset_locks();     // in the child of a fork

}  // namespace einkorn::memory
