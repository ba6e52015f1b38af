// Who allocates large blocks, and on which memory nodes these lie: counted by the call, and written when the recording
// ends. The runtime tells of each block (base/allocation_library.h), from its process's begin on, whatever is recorded
// then. By any thread, at any time; nothing here allocates.
#pragma once
#include <cstddef>
#include <cstdint>

namespace einkorn::record {

class Output;

// What note_allocation() and note_free() are told is kept from here on. on_nodes: the system is asked where pages are.
// false: no memory.
bool keep_allocations(bool on_nodes);
void note_allocation(const void* block, size_t bytes, const void* return_address);
// Of any block, before it is freed.
void note_free(const void* block);
// By the writer, when the recording ends, also where the program has ended by other means than exit(): the
// `allocations` block. Sites are written before.
void write_allocations(Output&);
// Calls that are counted; -1: nothing is kept.
int64_t allocating_calls();
// In the child of a fork, which counts its own.
void forget_allocations();

}  // namespace einkorn::record
