// gcc's taskloop. libgomp 12: taskloop.c.
#include "abi/abi.h"
#include "runtime/loop/share.h"
#include "runtime/sync/reduction.h"
#include "runtime/task/gomp_body.h"
#include "runtime/task/loop_ranges.h"
#include "runtime/task/taskloop.h"

using namespace einkorn::abi;
using einkorn::record::Construct;
using Fn = Gomp::Fn;
using CopyFn = Gomp::CopyFn;
using enum Gomp::Flags;

namespace {

template <class Int>
struct Ranges {
  RangeLoop ranges;  // first
  Fn fn;
  const void* data;
  size_t size;
  unsigned flags;
  Int start, end, step;
};

template <class Int>
void run_pieces(void* range) {
  Worker* w = t_worker;
  auto& r = *static_cast<LoopRange*>(range);
  const auto& l = *reinterpret_cast<const Ranges<Int>*>(r.loop);
  auto make = [&] { return Gomp{l.fn, nullptr, l.flags, nullptr, l.size}.make(w); };
  auto start = [&](Task* t, uint64_t first, uint64_t count, bool is_last) {
    auto* to = static_cast<char*>(static_cast<GompBody*>(t->body())->data);
    copy_bytes(to, l.data, l.size);
    reinterpret_cast<Int*>(to)[0] = Int(uint64_t(l.start) + first * uint64_t(l.step));
    reinterpret_cast<Int*>(to)[1] = is_last ? l.end : Int(uint64_t(l.start) + (first + count) * uint64_t(l.step));
  };
  run_range(w, r, make, start, [](Task* t) { call_gomp(t); });
}

// The data begins with the task's first value and its exclusive bound, in the user's type.
template <class Int>
struct Loop {
  Gomp all;  // with the data of the whole loop
  Int start, end, step;

  uint32_t site(Worker* w, uint16_t when, Caller caller) const {
    return all.site(w, Construct::taskloop, when, caller);
  }
  const void* function() const { return all.function(); }
  // The descriptor of the reductions follows the two bounds. The program combines and unregisters.
  void in_group(Worker* w) const {
    if (all.flags & kReduction) register_reductions(w, *reinterpret_cast<uintptr_t**>(static_cast<Int*>(all.data) + 2));
  }
  bool is_plain() const {
    constexpr unsigned kUsual = kUntied | kMergeable | kUp | kGrainsize | kIf | kReduction | kStrict;  // no kNogroup
    return !(all.flags & ~kUsual) && !all.copy && all.align <= 16;
  }
  template <class Wait>
  void start_ranges(Worker* w, const TaskloopSplit& split, Wait&& wait) const {
    Ranges<Int> r{{w, split, run_pieces<Int>, nullptr}, all.fn, all.data, all.size, all.flags, start, end, step};
    einkorn::runtime::start_ranges(w, r.ranges);
    wait();
  }
  // Never inlined: the buffer goes with the frame, before the next piece.
  template <class Run>
  __attribute__((noinline)) void at_once(Worker*, const Range& piece, bool is_last, Run&& run) const {
    char* buffer = align_up(static_cast<char*>(__builtin_alloca(all.size + all.align)), all.align);
    if (all.copy) all.copy(buffer, all.data);
    else memcpy(buffer, all.data, all.size);
    set_bounds(buffer, piece, is_last);
    run(Gomp{all.fn, buffer, all.flags});
  }
  bool may_be_captured() const { return !all.copy && all.align <= 16; }
  __attribute__((noinline)) bool is_captured(Worker* w, const Range& piece, bool is_last, Caller caller) const {
    char* buffer = align_up(static_cast<char*>(__builtin_alloca(all.size + all.align)), all.align);
    memcpy(buffer, all.data, all.size);
    set_bounds(buffer, piece, is_last);
    return Gomp{all.fn, buffer, all.flags, nullptr, all.size, all.align}.is_captured(w, {}, caller);
  }
  Task* make(Worker* w, const Range& piece, bool is_last) const {
    Task* t = all.make(w);
    all.fill(t);
    set_bounds(static_cast<char*>(static_cast<GompBody*>(t->body())->data), piece, is_last);
    return t;
  }
  void made(Worker*) const {}

 private:
  void set_bounds(char* data, const Range& piece, bool is_last) const {
    auto* bounds = reinterpret_cast<Int*>(data);
    bounds[0] = Int(uint64_t(start) + piece.first * uint64_t(step));
    // The last piece ends at the user's bound: from + count * step could overflow.
    bounds[1] = is_last ? end : Int(uint64_t(start) + (piece.first + piece.count) * uint64_t(step));
  }
};

template <class Int>
void meet(const Loop<Int>& loop, unsigned long num, uint64_t iterations, Caller ra) {
  const unsigned flags = loop.all.flags;
  TaskloopClauses said{iterations};
  (flags & kGrainsize ? said.grainsize : said.num_tasks) = num;
  said.strict = flags & kStrict;
  said.if_clause = flags & kIf;
  said.nogroup = flags & kNogroup;
  taskloop(self(), loop, said, ra, 0);
}

}  // namespace

EK_EXPORT void GOMP_taskloop(Fn fn, void* data, CopyFn copy, long size, long align, unsigned flags, unsigned long num,
                             int priority, long start, long end, long step) {
  meet<long>({{fn, data, flags, copy, size_t(size), size_t(align), priority}, start, end, step}, num,
             trip_count(start, end, step), EK_CALLER);
}

EK_EXPORT void GOMP_taskloop_ull(Fn fn, void* data, CopyFn copy, long size, long align, unsigned flags,
                                 unsigned long num, int priority, unsigned long long start, unsigned long long end,
                                 unsigned long long step) {
  meet<unsigned long long>({{fn, data, flags, copy, size_t(size), size_t(align), priority}, start, end, step}, num,
                           trip_count_unsigned(flags & kUp, start, end, step), EK_CALLER);
}
