// What is known of each page: on which node it is, whether it moves with the next touch. It answers "how many bytes of
// this range are on each node", if possible without a system call.
//
// A table of three levels over the address space, grown where something is known and never shrunk; one word a page,
// read and written without locks. On a real machine the kernel knows the truth. Its answer is believed for a while (16
// ms at first, doubled each time that it says the same again, up to 2 s), and then it is asked again; so a page that
// was freed and came back elsewhere, or that the kernel moved, is noticed. What goes through Einkorn (allocation by
// policy, migration, next touch, free) is recorded here at once. On a machine that is not this computer
// (EINKORN_MACHINE) nobody can be asked where a page is. It belongs to the node where our own calls put it, otherwise
// to that of the worker that touched it first (note_touch()); the kernel is asked only whether the page is still there.
// If that machine's cache lines have homes (Nodes::line), as on the TILEPro64, memory that our own calls have not put
// anywhere is on all nodes, line by line in turn.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace einkorn::memory {

// Adds to out[node], for each node, the bytes of [p, p + bytes) that are on it. If `coarse` is not nullptr, adds to
// coarse[node] those of them in blocks that Layout::coarse has put there. Unknown pages are not counted.
void bytes_per_node(const void* p, size_t bytes, uint64_t* out, uint64_t* coarse = nullptr);
// Of the page at p; -1: not known.
int node_of(const void* p);

// Notes that a worker of `node` wrote to the range. It matters only if the machine is not this computer: then pages
// without a node get this one, and so do those that next_touch() has marked.
void note_touch(const void* p, size_t bytes, int node);

// For the other files of this folder. Addresses and sizes are those of whole pages of the map.
inline constexpr size_t kMapPage = 4096;
void place(const void* p, size_t bytes, int node,
           bool coarse = false);                    // is there, or will be when it is first touched
void found(const void* p, size_t bytes, int node);  // is there, now that it has memory
void forget(const void* p, size_t bytes);           // the memory has been given back

// A page's word. node + 1 in the low bits, 0: not known.
enum PageBits : uint32_t {
  kNodeBits = 0x7ff,
  kPlaced = 1u << 11,  // put there by us: stays known while the page has no memory
  kArmed = 1u << 12,   // goes to the node of whoever touches it next
  kMoving = 1u << 13,  // a thread touched it, and is moving it
  kRegion = 1u << 14,  // the page in front of a block of distribution.cpp
  kArena = 1u << 15,   // of arena.cpp
  kArming = 1u << 16,  // being armed: nobody claims it until that is done
  kCoarse = 1u << 17,  // of a block that Layout::coarse has put on its node
  kFlags = kPlaced | kArmed | kMoving | kRegion | kArena | kArming | kCoarse,
  kLifeShift = 18,   // 3 bits: believed for 16 ms << life
  kStampShift = 21,  // 11 bits: when it was asked, in 16 ms
};
// nullptr: nothing is known of the page (with `make`: no memory for the table, or not an address that a program can
// have). Without `make` it may be called in a signal handler.
std::atomic<uint32_t>* page_word(uintptr_t address, bool make);
// Sets and clears bits of all words of the range. false: no memory for the table.
bool mark(const void* p, size_t bytes, uint32_t set, uint32_t clear);

}  // namespace einkorn::memory
