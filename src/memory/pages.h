// Where the system has pages, and asking it to put them elsewhere. The bare system calls (mbind, move_pages, get_mempolicy)
// and not hwloc, because hwloc has no answer for each page of a range, no move of pages to different nodes in one call, and
// may not be called from a signal handler (next_touch.cpp); and since loading it costs more than all that is done here.
// Addresses are those of pages (page_bytes()), nodes are the system's numbers. Errors are those of <errno.h>, 0: done.
#pragma once
#include "memory/nodes.h"

namespace einkorn::memory {

size_t page_bytes();
inline uintptr_t page_down(uintptr_t p) { return p & ~(page_bytes() - 1); }
inline uintptr_t page_up(uintptr_t p) { return page_down(p + page_bytes() - 1); }

// Private memory of whole pages that reads as zeros; nullptr: none. What is `offset` behind its begin is at a multiple of
// `alignment`, which may be any number of pages, not only powers of two.
char* map_pages(size_t bytes, size_t alignment, size_t offset = 0);
void unmap_pages(void* p, size_t bytes);

// Pages of the range that come into being from now on do so on `node`, or near it when it is full.
int prefer_node(void* p, size_t bytes, int node);
void no_huge_pages(void* p, size_t bytes);
// ... on the nodes of the set in turn, by their address: page number n on the (n mod count)-th of them. Not for huge pages.
int interleave(void* p, size_t bytes, const NodeSet& os_nodes);
// While it lives, pages that the calling thread brings into being anywhere without a policy are on `node`.
class PreferredNode {
 public:
  explicit PreferredNode(int node);
  ~PreferredNode();
  int error() const { return error_; }

 private:
  int error_ = 0, mode_ = 0;
  unsigned long mask_[kMaxNodes / 64];
};

// The node of each page; negative: an errno (-ENOENT, -EFAULT: it has no memory of its own). No page is touched by it.
int ask_nodes(void* const* pages, int* status, size_t count);
// Moves them there. Per page as above, what became of it. Async-signal-safe.
int move_to_node(void* const* pages, int node, int* status, size_t count);

}  // namespace einkorn::memory
