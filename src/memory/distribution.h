// Memory distributed over the nodes by a rule; moving memory that exists.
#pragma once
#include <cstddef>
#include <cstdint>

namespace einkorn::memory {

enum class Layout : uint8_t {
  system = 1,   // where the system puts it: as a rule where it is first touched
  fine,         // units go to all nodes in turn, by the system's numbers
  coarse,       // all on one node; the allocations of the process go to the nodes in turn
  interleaved,  // as fine, over the nodes of the calling thread's team
  blocked,      // one part a node, of equal size
  nearest,      // all on the calling thread's node
};

// The unit is a page of the machine (Nodes::unit). A block smaller than a unit is on one node: the nodes take turns,
// except with `nearest`. nullptr: no memory. give_back() frees all of these; they are zeroed only with `zero`.
void* distribute(size_t bytes, Layout, bool zero = false);
void* distribute_blocks(size_t bytes, size_t block_bytes);  // block-cyclic; 0: one block a node
// A matrix in C's order, cut into blocks that go to a grid of nodes (ompx_locality.h). Returns nullptr also for a size
// that is 0 or too large.
void* distribute_tiles(size_t rows, size_t columns, size_t element_bytes, size_t block_rows, size_t block_columns);
// The same for memory that exists, and is not of these functions: its whole pages. fine, coarse, blocked or nearest;
// each range counts as one allocation. is_empty: what is in it means nothing, or is zeros, and so it is afterwards;
// otherwise pages that have memory are moved, but not for `fine`.
void lay_out(void* p, size_t bytes, Layout, bool is_empty);
void give_back(void* p);
size_t distributed_bytes(void* p);  // that it has room for

// What ompx_malloc() and omp_atv_environment mean. Set at start.
void set_default_layout(Layout);
Layout default_layout();

// Moves all pages that the range touches. Returns 0, or EINVAL, EPERM, ENOMEM, EACCES (ompx_locality.h).
int migrate(void* p, size_t bytes, int node);
int fetch(void* p, size_t bytes);

}  // namespace einkorn::memory
