// Asks the system where pages are, and to put them elsewhere. By bare system calls (mbind, move_pages, get_mempolicy),
// not by hwloc: hwloc cannot tell each page of a range, cannot move pages to different nodes in one call, and may not
// be called from a signal handler (next_touch.cpp); and loading it costs more than all that is done here. Addresses are
// those of pages (page_bytes()), nodes are the system's numbers. Errors are those of <errno.h>, 0: done.
#pragma once
#include "memory/nodes.h"

namespace einkorn::memory {

size_t page_bytes();
inline uintptr_t page_down(uintptr_t p) { return p & ~(page_bytes() - 1); }
inline uintptr_t page_up(uintptr_t p) { return page_down(p + page_bytes() - 1); }

// Private memory of whole pages that reads as zeros; nullptr: none. The address `offset` bytes after its begin is a
// multiple of `alignment`, which may be any number of pages, not only a power of two.
char* map_pages(size_t bytes, size_t alignment, size_t offset = 0);
void unmap_pages(void* p, size_t bytes);

// Pages of the range that come into being from now on do so on `node`, or near it when it is full.
// With `move` those that have memory go there now.
int prefer_node(void* p, size_t bytes, int node, bool move = false);
void no_huge_pages(void* p, size_t bytes);
// Of the process; 0: the system does not tell. Takes milliseconds where there are many.
int count_mappings();
// The range reads as zeros from now on, and has no memory until it is touched.
int drop_pages(void* p, size_t bytes);
// ... on the nodes of the set in turn, by their address: page number n on the (n mod count)-th of them. Not for huge
// pages.
int interleave(void* p, size_t bytes, const NodeSet& os_nodes);
// While it lives, pages that the calling thread populates in memory without a policy are on `node`.
class PreferredNode {
 public:
  explicit PreferredNode(int node);
  ~PreferredNode();
  int error() const { return error_; }

 private:
  int error_ = 0, mode_ = 0;
  unsigned long mask_[kMaxNodes / 64];
};

// The node of each page; negative: an errno (-ENOENT, -EFAULT: it has no memory of its own). It touches no page.
int ask_nodes(void* const* pages, int* status, size_t count);
// Moves them there; the status of each page is as above. Async-signal-safe.
int move_to_node(void* const* pages, int node, int* status, size_t count);

}  // namespace einkorn::memory
