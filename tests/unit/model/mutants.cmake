# Makes a header of each source named below: copies of it, each in a namespace of its own with one thing wrong, which the checker
# must find. Where the text to change is gone, kApplied is false and the test says so.
# Run by the build: cmake -DSRC=... -DOUT=... -P mutants.cmake

# read(FILE NAMESPACE INCLUDES...): what mutant() makes copies of.
macro(read file namespace)
  file(READ ${file} original)
  set(room ${namespace})
  string(REGEX REPLACE "#pragma once\n|#include [^\n]*\n" "" original "${original}")
  set(text "// Made by mutants.cmake.\n#pragma once\n")
  foreach(header ${ARGN})
    string(APPEND text "#include ${header}\n")
  endforeach()
endmacro()

function(mutant name from to)
  string(FIND "${original}" "${from}" at)
  set(applied true)
  if(at EQUAL -1)
    set(applied false)
  endif()
  string(REPLACE "${from}" "${to}" copy "${original}")
  string(REPLACE "namespace ${room} {" "namespace mutant_${name} {\nusing namespace ${room};\nusing namespace einkorn::base;"
         copy "${copy}")
  string(REPLACE "}  // namespace ${room}" "constexpr bool kApplied = ${applied};\n}  // namespace mutant_${name}"
         copy "${copy}")
  foreach(function light_fence heavy_fence full_fence ticks)
    string(REPLACE "base::${function}" "einkorn::base::${function}" copy "${copy}")
  endforeach()
  set(text "${text}${copy}" PARENT_SCOPE)
endfunction()

read(${SRC}/flow/deque.h einkorn::flow "\"flow/mutex.h\"")
mutant(split_first
  "bottom_.store(b, std::memory_order_release);\n    light_fence();"
  "int64_t early = split_.load(std::memory_order_relaxed);\n    bottom_.store(b, std::memory_order_release);\n    if (early <= b) return slots_.load(std::memory_order_relaxed)[b & mask_].load(std::memory_order_relaxed);\n    light_fence();")
mutant(no_retreat "s = now > t ? now : t;\n        split_.store(s, std::memory_order_relaxed);" "s = now > t ? now : t;")
mutant(stale_bottom "int64_t now = bottom_.load(std::memory_order_acquire);" "int64_t now = b;")
mutant(unlocked_growth "lock_.lock();  // thieves read" "lock_.try_lock();  // thieves read")
mutant(keeps_item_public "split_.store(b + 1 - took_back_," "split_.store(b + 2 - took_back_,")
# One that undoes what a thief is raising by force.
mutant(publishes_blindly "split_.compare_exchange_strong(old, s, std::memory_order_release, std::memory_order_relaxed);" "split_.store(s, std::memory_order_release);")
# A push that relies on stores being seen in their order.
mutant(push_unordered "bottom_.store(b + 1, std::memory_order_release);\n  }\n\n  // Room" "bottom_.store(b + 1, std::memory_order_relaxed);\n  }\n\n  // Room")
file(WRITE ${OUT}/deque_mutants.h "${text}")

# Of each step that creator and ending thread share: apart in time what has to be one.
read(${SRC}/flow/node.h einkorn::flow "\"base/platform.h\"")
mutant(closes_late
  "      head = successors_.exchange(EK_LIKELY(!kept) ? kClosed : kClosed | kKept, std::memory_order_acq_rel);"
  "      successors_.store(EK_LIKELY(!kept) ? kClosed : kClosed | kKept, std::memory_order_release);")
mutant(pushes_late "      if (EK_UNLIKELY(head & kClosed)) return false;\n" "")
mutant(counts_apart
  "waits_for_.load(std::memory_order_acquire) == 1 || waits_for_.fetch_sub(1, std::memory_order_acq_rel) == 1"
  "(waits_for_.store(waits_for_.load() - 1, std::memory_order_release), waits_for_.load() == 0)")
mutant(misses_apart
  "    return waits_for_.fetch_sub(int32_t(ended), std::memory_order_acq_rel) == int32_t(ended);"
  "    const int32_t left = waits_for_.load() - int32_t(ended);\n    waits_for_.store(left, std::memory_order_release);\n    return left == 0;")
mutant(drops_late "now = successors_.fetch_or(kDropped, std::memory_order_acq_rel);"
  "successors_.store(now | kDropped, std::memory_order_release);")
mutant(drops_kept "return (now & (kClosed | kKept)) == kClosed;" "return now & kClosed;")
file(WRITE ${OUT}/node_mutants.h "${text}")

# Of post() and sleep_until(): who is first, and who is woken.
read(${SRC}/flow/steps.h einkorn::flow "\"base/platform.h\"")
set(store "    word_.store(to, std::memory_order_release);\n")
mutant(looks_early "${store}" "    const uint32_t early = sleepers_.load(std::memory_order_relaxed);\n${store}    if (early == 0) return;\n")
mutant(wakes_one "futex_wake(&word_, INT_MAX)" "futex_wake(&word_, 1)")
mutant(sleeps_uncounted "    sleepers_.fetch_add(1, std::memory_order_relaxed);\n" "")
file(WRITE ${OUT}/steps_mutants.h "${text}")

# Of queue_short(): the four steps behind one another, in wrong orders, or without one.
read(${SRC}/runtime/task/fast.h einkorn::runtime <cstring> "\"runtime/task/body.h\""
  "\"runtime/task/merged.h\"")
set(join "  if (EK_UNLIKELY(t->group != nullptr)) join_group(w, t->group);\n")
set(count "  add(slot->created, std::memory_order_relaxed);\n")
set(push "  slot->deque.push_into_room(t);\n")
set(fence "  fast_fence();  // orders the store of bottom before the load of idle; pairs with heavy_fence() in sleep()\n")
set(look "  return w->team->idle.load(std::memory_order_relaxed);\n")
mutant(counts_late "${count}${push}" "${push}${count}")
mutant(joins_late "${join}${count}${push}"
  "  Taskgroup* const g = t->group;\n${count}${push}  if (g != nullptr) join_group(w, g);\n")
mutant(looks_early "${push}${fence}${look}"
  "  const uint64_t early = w->team->idle.load(std::memory_order_relaxed);\n${push}${fence}  return early;\n")
mutant(without_fence "${push}${fence}${look}" "${push}${look}")
# Of run_undeferred_short(): what of its children?
mutant(leaves_children "EK_LIKELY(nothing_left_of(t))" "true")
# Of init_child(): what the block's former task left there.
mutant(keeps_refs "  t->refs.store(Task::kAlive, std::memory_order_relaxed);\n" "")
file(WRITE ${OUT}/fast_mutants.h "${text}")

# Of suspend(): what it and the ends of children share. Its own go_on(), not the one that is found by its arguments.
read(${SRC}/runtime/task/instance.cpp einkorn::runtime "\"runtime/task/task.h\"" "\"runtime/team/placed.h\"")
string(REPLACE "== 0) go_on(" "== 0) (go_on)(" original "${original}")
string(REPLACE "void suspend(" "void go_on(Worker* w, Task* t, Team* team);\nvoid suspend(" original "${original}")
set(clear "  t->created = t->done = 0;\n")
set(count "t->refs.fetch_add(Task::kSuspended - left, std::memory_order_acq_rel)")
set(look "  if (uint32_t(${count} - left) == 0) (go_on)(w, t, w->team);\n")
mutant(keeps_counts "${clear}" "")
mutant(looks_apart "${look}"
  "  ${count};\n  if (uint32_t(t->refs.load(std::memory_order_acquire)) == 0) (go_on)(w, t, w->team);\n")
mutant(never_looks "${look}" "  if (uint32_t(${count} - left) == 1) (go_on)(w, t, w->team);\n")
mutant(keeps_the_mark "  t->refs.fetch_sub(Task::kSuspended, std::memory_order_relaxed);\n" "")
set(place "  if (const int place = EK_UNLIKELY(g_places_tasks) ? place_to_resume(w) : -1; EK_UNLIKELY(place >= 0)) {\n    t->set_place(place);\n    t->notes |= kPlaceDecided;\n  }\n")
set(why "  // Release: the stores above and what the stretch wrote, for who goes on with it. Acquire: what the children did whose\n  // ends it has counted, if that is this thread.\n")
mutant(place_late "${place}${why}${look}" "  const auto both = uint32_t(${count} - left);\n${place}  if (both == 0) (go_on)(w, t, w->team);\n")
file(WRITE ${OUT}/instance_mutants.h "${text}")

# Of a hand-over: what giver and thread share.
read(${SRC}/flow/orders.h einkorn::flow "\"flow/park.h\"")
set(undock "    dock.docked.store(false, std::memory_order_relaxed);\n")
set(taken "    dock.taken.store(order, std::memory_order_release);  // after docked: give_if_docked()\n")
mutant(takes_first "${undock}${taken}" "${taken}${undock}")
mutant(same_count "what | ((before + 1) & kCount)" "what | (before & kCount)")
mutant(tells_without_fence
  "  full_fence();  // orders the stores of orders before the loads of park; pairs with park_until()\n" "")
mutant(leaves_all_to_others "if (wake(member(int(i))->park, part)) end -= part.count;" "wake(member(int(i))->park, part), end -= part.count;")
set(latest "    uintptr_t before = dock.taken.load(std::memory_order_acquire);\n")
mutant(asks_dock_first "${latest}" "    if (!dock.is_docked()) return false;\n${latest}    return given_.compare_exchange_strong(before, next(last, before));\n")
mutant(ends_unseen "${latest}" "    uintptr_t before = given_.load(std::memory_order_acquire);\n")
mutant(ends_anywhere "return dock.is_docked() && given_" "return given_")
file(WRITE ${OUT}/orders_mutants.h "${text}")

# Of a graph that is run and freed at the same time.
read(${SRC}/codelet/use.h einkorn::codelet "\"base/platform.h\"")
set(end "    return use_.compare_exchange_strong(runs, kIdle, std::memory_order_acq_rel, std::memory_order_acquire);\n")
mutant(ends_unseen "${end}" "    use_.store(kIdle, std::memory_order_release);\n    return runs == kRuns;\n")
mutant(frees_anyway "std::memory_order_acq_rel) == kIdle" "std::memory_order_acq_rel) != kDoomed")
mutant(runs_doomed "    return use_.compare_exchange_strong(idle, kRuns, std::memory_order_acquire, std::memory_order_relaxed);\n"
  "    return use_.exchange(kRuns, std::memory_order_acquire) != kRuns || idle != kIdle;\n")
file(WRITE ${OUT}/use_mutants.h "${text}")

# Of instances that belong to no thread.
read(${SRC}/codelet/turns.h einkorn::codelet "<algorithm>" "<memory>" "\"base/platform.h\"")
mutant(claims_by_store "t.word.compare_exchange_strong(free, free + 1, std::memory_order_acquire, std::memory_order_relaxed);"
  "(t.word.store(free + 1, std::memory_order_relaxed), true);")
mutant(holds_by_store "t.word.compare_exchange_strong(through, through + 1, std::memory_order_acquire, std::memory_order_relaxed);"
  "(t.word.store(through + 1, std::memory_order_relaxed), true);")
mutant(unordered_phase "return word_.load(std::memory_order_acquire) >> kShift;" "return word_.load(std::memory_order_relaxed) >> kShift;")
mutant(unordered_arrival "word = word_.fetch_add(1, std::memory_order_acq_rel);" "word = word_.fetch_add(1, std::memory_order_relaxed);")
mutant(unordered_group "g.arrived.fetch_add(1, std::memory_order_acq_rel)" "g.arrived.fetch_add(1, std::memory_order_relaxed)")
mutant(unordered_drop "t.word.store(t.word.load(std::memory_order_relaxed) - 1, std::memory_order_release);"
  "t.word.store(t.word.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);")
mutant(ends_by_store "    if (!word_.compare_exchange_strong(word, next << kShift, std::memory_order_seq_cst)) return Arrival::last;\n"
  "    word_.store(next << kShift);\n")
mutant(ends_uncounted "if (EK_UNLIKELY(ended)) ended_.fetch_add(1, std::memory_order_relaxed);" "")
mutant(takes_nothing_back "    --regions_;\n" "")
mutant(keeps_turn "    t.word.store(2 * phase + 2, std::memory_order_release);  // see hold()\n" "    t.word.store(2 * phase + 3, std::memory_order_release);\n")
file(WRITE ${OUT}/turns_mutants.h "${text}")

# Of a signal: what has to be one step.
read(${SRC}/codelet/signal_count.h einkorn::codelet "\"base/platform.h\"")
set(arrive "    return count_.fetch_sub(1, std::memory_order_acq_rel) - 1;")
string(REPLACE "{ return count_" "{\n    return count_" original "${original}")
string(REPLACE "- 1; }" "- 1;\n  }" original "${original}")
mutant(stores_apart "${arrive}"
  "    const int32_t left = count_.load(std::memory_order_acquire) - 1;\n    count_.store(left, std::memory_order_release);\n    return left;")
mutant(looks_apart "${arrive}"
  "    count_.fetch_sub(1, std::memory_order_acq_rel);\n    return count_.load(std::memory_order_acquire);")
file(WRITE ${OUT}/signal_count_mutants.h "${text}")

# Of the lock and of those who wait in turn for it, all of threads that look once before they sleep: in the checker each
# look would wait for others.
read(${SRC}/flow/lock_queue.h einkorn::flow)
string(REPLACE "}  // namespace einkorn::flow\n" "" queue "${original}")
read(${SRC}/flow/mutex.h einkorn::flow "\"flow/mutex.h\"")
string(REPLACE "namespace einkorn::flow {\n" "" original "${original}")
set(original "${queue}${original}")
set(has_all true)
macro(as_in_checker from to)
  string(FIND "${original}" "${from}" at)
  if(at EQUAL -1)
    set(has_all false)
  endif()
  string(REPLACE "${from}" "${to}" original "${original}")
endmacro()
as_in_checker("LockLooks looks(patient ? schedule::LockLooks::kPatience : schedule::LockLooks::kShort);" "LockLooks looks(1);")
as_in_checker("      pause(gap);\n      if (looks" "      if (looks")
as_in_checker("      pause(gap);\n    }" "    }")
as_in_checker("!is_first(); ++i) pause();" "!is_first(); ++i) {}")
as_in_checker("kCrowd = 9, kFew = 4" "kCrowd = 1, kFew = 1")
as_in_checker("kGap = 64" "kGap = 1")
as_in_checker("kPlaces = 512" "kPlaces = 4")
as_in_checker("kStep = 8" "kStep = 2")
# What threads share lies where the test says: elsewhere the checker takes it for a thread's own.
as_in_checker("return g_queues[uintptr_t(lock) / kCacheLine * 0x9E3779B97F4A7C15u >> (64 - kLogQueues)];"
  "return static_cast<void>(lock), *g_used;")
as_in_checker("  static LockQueue g_queues[1 << kLogQueues];\n" "  static LockQueue g_queues[1];\n\n public:\n  static inline LockQueue* g_used = nullptr;\n")
as_in_checker("LockQueue::g_queues[1 << kLogQueues]" "LockQueue::g_queues[1]")
if(has_all)  # else nothing below is applied
  string(REPLACE "schedule::" "einkorn::schedule::" original "${original}")
  set(leave "own_place().exchange(LockQueue::gone(number_), std::memory_order_relaxed) == LockQueue::turn_of(number_);")
  mutant(goes_unseen "${leave}" "(own_place().store(LockQueue::gone(number_), std::memory_order_relaxed), false);")
  mutant(goes_without_a_word "${leave}" "false;")
  set(pass "queue_.place(next).exchange(LockQueue::turn_of(next), std::memory_order_relaxed) == LockQueue::gone(next))")
  mutant(passes_in_two_steps "${pass}"
    "queue_.place(next).load(std::memory_order_relaxed) == LockQueue::gone(next) || (queue_.place(next).store(LockQueue::turn_of(next), std::memory_order_relaxed), false))")
  mutant(passes_to_who_has_gone "${pass}" "(queue_.place(next).exchange(LockQueue::turn_of(next), std::memory_order_relaxed), false))")
  mutant(never_begins_anew "if (first_ || nobody_passes()) pass_on();" "if (first_) pass_on();")
  mutant(is_always_first "return first_ ||" "return true || first_ ||")
  mutant(first_takes_nothing "if ((eager || state_.load(std::memory_order_relaxed) == 0) && try_lock(who)) return true;"
    "if (state_.load(std::memory_order_relaxed) == 0) return true;")
  mutant(takes_nothing_out_of_turn "if (!turn.is_first() && state_.load(std::memory_order_relaxed) == 0 && try_lock(who)) return true;"
    "if (!turn.is_first() && state_.load(std::memory_order_relaxed) == 0) return true;")
  mutant(hasty "LockLooks looks(1);" "LockLooks looks(1);")
  mutant(forgets_others "if (look<kInTurn>(kSleepers | who, patient, stays)) return;" "if (look<kInTurn>(who, patient, stays)) return;")
  mutant(takes_unmarked "compare_exchange_strong(state, kHeld | kSleepers | who, std::memory_order_acquire,\n                                         std::memory_order_relaxed))\n        return;" "compare_exchange_strong(state, kHeld | who, std::memory_order_acquire,\n                                         std::memory_order_relaxed))\n        return;")
  mutant(sleeps_unmarked "      if ((state & kSleepers) || state_.compare_exchange_strong(state, state | kSleepers, std::memory_order_relaxed,\n                                                                std::memory_order_relaxed))\n        futex_wait(&state_, state | kSleepers);" "      futex_wait(&state_, state);")
  mutant(stores_free "state_.exchange(0, std::memory_order_release) & kSleepers" "(state_.load(std::memory_order_relaxed) & kSleepers) | (state_.store(0, std::memory_order_release), 0)")
  mutant(takes_nothing "if (state == 0 && try_lock(who)) return true;" "if (state == 0) return true;")
  mutant(tries_unordered "state_.compare_exchange_strong(state, kHeld | who, std::memory_order_acquire, std::memory_order_relaxed);" "state_.compare_exchange_strong(state, kHeld | who, std::memory_order_relaxed, std::memory_order_relaxed);")
  mutant(takes_unordered "compare_exchange_strong(state, kHeld | kSleepers | who, std::memory_order_acquire,\n                                         std::memory_order_relaxed))\n        return;" "compare_exchange_strong(state, kHeld | kSleepers | who, std::memory_order_relaxed,\n                                         std::memory_order_relaxed))\n        return;")
  mutant(frees_unordered "state_.exchange(0, std::memory_order_release)" "state_.exchange(0, std::memory_order_relaxed)")
endif()
file(WRITE ${OUT}/mutex_mutants.h "${text}")

# Of first chunks that belong to a loop's threads: what has to be one step.
read(${SRC}/runtime/loop/own_chunks.h einkorn::runtime "\"base/platform.h\"" "\"runtime/loop/range.h\"" "\"schedule/loops.h\"")
string(REPLACE "schedule::" "einkorn::schedule::" original "${original}")
mutant(claims_in_two_steps "    return unclaimed_.fetch_and(~bit, std::memory_order_relaxed) & bit;"
  "    const uint64_t before = unclaimed_.load(std::memory_order_relaxed);\n    unclaimed_.store(before & ~bit, std::memory_order_relaxed);\n    return before & bit;")
mutant(takes_in_two_steps
  "if (late_.compare_exchange_weak(late, range(first + count, end_of(late)), std::memory_order_relaxed))\n          return true;"
  "const uint64_t now = late_.load(std::memory_order_relaxed);\n        if (now == late) return late_.store(range(first + count, end_of(late)), std::memory_order_relaxed), true;\n        late = now;")
set(fill "      while (count < all &&\n             !late_.compare_exchange_weak(late, range(first + count, first + all), std::memory_order_relaxed))\n        if (!is_empty(late)) count = all;\n")
mutant(fills_what_is_not_empty "${fill}"
  "      if (count < all) late_.store(range(first + count, first + all), std::memory_order_relaxed);\n")
mutant(forgets_that_it_is_full "${fill}"
  "      if (count < all) late_.compare_exchange_strong(late, range(first + count, first + all), std::memory_order_relaxed);\n")
mutant(claims_for_nothing "      if (!claim(num)) continue;\n" "      claim(num);\n")
file(WRITE ${OUT}/own_chunks_mutants.h "${text}")
