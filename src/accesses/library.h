// libeinkorn-accesses.so: stands in for libtsan under a program compiled with -fsanitize=thread, and counts what its
// hooks tell (hooks.cpp, atomics.cpp, copies.cpp) in one table per thread (table.h). Without a recording it does only
// what a hook must: atomics operate, copies copy.
#pragma once
#include <cstddef>
#include <cstdint>
#include "accesses/table.h"

namespace einkorn::accesses {

// Sends it to the recorder. Does nothing if there is none.
void write_block(uint32_t stream, uint64_t sequence, const void* payload, size_t bytes);

// SharedLineRecords, likewise.
void write_lines(const void* records, size_t bytes);

// Is the code at `pc` in a part of the program that is compiled with hooks? note_module() registers such a part by the
// address of a call of a hook.
void note_module(const void* pc);
bool is_ours(const void* pc);

inline uint64_t address_of(const void* p) { return reinterpret_cast<uint64_t>(p); }

}  // namespace einkorn::accesses
