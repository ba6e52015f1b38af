// Records in half a word, for the events of fine tasks: the form in which a stream's buffer holds records, and in which
// codec 4 stores them. They take half the bytes to write and to keep in a cache, and need no packing. The file is
// larger than a packed one: 14 bytes per task of fib, not 10.
//
// The memory is a sequence of units of 32 bits. One with the bits 3 to 5 set is a half: a record of its own,
//   bits 0..5 kind (Half), 6.. ticks since the previous record, then to bit 31 its payload
// Any other is the low half of a word, and the next unit is its high half: a record in the usual form, including the
// words that follow it. A record that does not fit into a half is written as words.
//
// A task is named by its distance from the one started before: by serials modulo 2^32 if the same thread created it, by
// ids if another did. So a block begins with these two: Started, as it was before the block's first record.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include "record/format.h"

namespace einkorn::record {

using Unit = uint32_t;
// At any unit; the same memory is read and written as units.
using Word = uint64_t __attribute__((aligned(4), may_alias));

enum class Half : uint8_t {
  task_create_brief = 56,
  task_next = 57,
  task_run = 58,
  task_end = 59,
  wait_begin = 60,
  wait_done = 61,
  task_start = 62,
  task_start_other = 63,
};
inline constexpr int kFirstHalf = 56;

enum class HalfPayload : uint8_t { none, as_it_is, own_task, other_task };

// Of the 26 bits after the kind, the payload has those that the time leaves.
struct HalfForm {
  Kind kind;
  int delta_bits;
  HalfPayload payload;
};
inline constexpr HalfForm kHalfForms[] = {
    {Kind::task_create_brief, 16, HalfPayload::as_it_is}, {Kind::task_next, 14, HalfPayload::own_task},
    {Kind::task_run, 14, HalfPayload::own_task},          {Kind::task_end, 26, HalfPayload::none},
    {Kind::wait_begin, 16, HalfPayload::as_it_is},        {Kind::wait_done, 26, HalfPayload::none},
    {Kind::task_start, 14, HalfPayload::own_task},        {Kind::task_start_other, 14, HalfPayload::other_task},
};

constexpr const HalfForm& form_of(Half h) { return kHalfForms[int(h) - kFirstHalf]; }
constexpr bool is_half(Unit u) { return (u & kFirstHalf) == kFirstHalf; }
constexpr int payload_bits(Half h) { return 26 - form_of(h).delta_bits; }
constexpr Unit half(Half h, uint64_t delta, uint32_t payload) {
  return Unit(h) | Unit(delta) << 6 | (payload_bits(h) ? payload << (32 - payload_bits(h)) : 0);
}
constexpr bool fits_half(Half h, uint64_t delta, uint64_t payload) {
  return !(delta >> form_of(h).delta_bits | payload >> payload_bits(h));
}

// Distances are from -2,048 to 2,047, stored with this added.
inline constexpr uint32_t kDistanceBias = 1u << 11;

struct Started {
  uint64_t own =
      0;  // low 32 bits of the serial of the task that the thread started last among those that it created. 0: none
  uint64_t other = 0;  // id of the task that it started last among those that other threads created

  void note(Kind k, uint32_t payload, uint64_t id) {
    if (k == Kind::task_start || k == Kind::task_next || k == Kind::task_run) own = payload;
    if (k == Kind::task_start_other) other = id;
  }
};
static_assert(sizeof(Started) == 16);

// Calls f(first word, pointer to the further words, their number) for each record and keeps `started`. False: the last
// record is of an unknown kind or incomplete, and f was not called for it.
template <class F>
bool walk_halves(const unsigned char* p, size_t bytes, Started& started, F&& f) {
  const unsigned char* end = p + bytes / sizeof(Unit) * sizeof(Unit);
  while (p < end) {
    Unit u;
    memcpy(&u, p, sizeof u);
    uint64_t w, id = 0;
    if (is_half(u)) {
      const HalfForm& form = form_of(Half(u & 63));
      uint32_t payload = u >> 6 >> form.delta_bits;
      if (form.payload == HalfPayload::own_task) payload += uint32_t(started.own) - kDistanceBias;
      if (form.payload == HalfPayload::other_task) id = started.other + payload - kDistanceBias, payload = 0;
      w = pack(form.kind, (u >> 6) & ((Unit(1) << form.delta_bits) - 1), payload);
      p += sizeof u;
      f(w, reinterpret_cast<const unsigned char*>(&id), int(form.payload == HalfPayload::other_task));
    } else {
      if (size_t(end - p) < sizeof w) return false;
      memcpy(&w, p, sizeof w);
      const int extra = extra_words(kind_of(w), payload_of(w));
      if (extra < 0 || size_t(end - p) < (1 + size_t(extra)) * sizeof w) return false;
      if (extra) memcpy(&id, p + sizeof w, sizeof id);
      f(w, p + sizeof w, extra);
      p += (1 + size_t(extra)) * sizeof w;
    }
    started.note(kind_of(w), payload_of(w), id);
  }
  return true;
}

// Room for the words of so many bytes of a block.
constexpr size_t expanded_bound(size_t bytes) { return bytes / sizeof(Unit) * 2 + 1; }

// Expands these units to words; returns their number. If anything else follows the last whole record, a word of no
// known kind marks it.
size_t expand_halves(Started before, const void* units, size_t bytes, uint64_t* words);
// The same for a block's payload, which begins with Started.
size_t expand_halves(const void* in, size_t bytes, uint64_t* words);

}  // namespace einkorn::record
