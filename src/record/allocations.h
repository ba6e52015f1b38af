// Who allocates large blocks, and on which memory nodes these lie: counted by the call, and written when the recording
// ends. The runtime tells of each block (base/allocation_library.h), from its process's begin on, whatever is recorded
// then. By any thread, at any time; nothing here allocates.
#pragma once
#include <cstddef>

namespace einkorn::record {

// What note_allocation() and note_free() are told is kept from here on. on_nodes: the system is asked where pages are.
// false: no memory.
bool keep_allocations(bool on_nodes);
void note_allocation(const void* block, size_t bytes, const void* return_address);
// Of any block, before it is freed.
void note_free(const void* block);
// The `allocations` block, to the writer.
void write_allocations();
// In the child of a fork: what its parent had counted stays, as its memory does.
void reset_allocations_lock();

}  // namespace einkorn::record
