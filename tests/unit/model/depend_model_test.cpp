// Release of dependences (depend.h, depend.cpp, dep_table.cpp), events and mutexinoutset: a task starts when, and only
// when, its predecessors have ended; each node's block comes back exactly once, whoever lets go of it last. With nodes
// in blocks of their own (clang's), and in the task's (gcc's).
#include <gtest/gtest.h>

#include "model/rig.h"
#include "runtime/task/depend.h"

namespace {

using namespace rig;
using rt::Dependence;
using rt::Task;
using rt::Worker;

struct Shared {
  model::Atomic<int> order{0};   // of the ends
  model::Atomic<int> inside{0};  // tasks that exclude each other
  model::Atomic<uintptr_t> event{0};
  int ended[8] = {};  // 1, 2, ... in the order of the ends; 0: not yet
};
Shared* g_shared;  // of this execution

void expect_right(const model::Result& r) {
  EXPECT_FALSE(r.failed) << r.message;
  EXPECT_TRUE(r.exhausted) << "not all seen in " << r.executions << " executions";
}

void end(int task) { g_shared->ended[task] = g_shared->order.fetch_add(1) + 1; }
void must_have_ended(std::initializer_list<int> tasks) {
  for (int t : tasks) model::check(g_shared->ended[t] != 0, "a task started before its predecessor had ended");
}

using Body = void (*)(void*);
void spawn_after(Worker* w, Body body, std::initializer_list<Dependence> list) {
  Task* t = rt::new_block(w, sizeof(rt::GompBody));
  rt::init_task(w, t, 0);
  *static_cast<rt::GompBody*>(t->body()) = {body, nullptr};
  rt::submit_dependent(w, t, list.begin(), int(list.size()));
}
void spawn_after(Worker* w, Body body, Dependence d) { spawn_after(w, body, {d}); }

// All in one block.
Task* spawn_node(Worker* w, Body body, std::initializer_list<Dependence> list) {
  Task* t = rt::new_block(w, rt::bytes_of_dependent(uint32_t(list.size()), 0));
  char* data;
  rt::TaskExtra* x = rt::begin_dependent(w, t, 0, uint32_t(list.size()), &data);
  *static_cast<rt::GompBody*>(t->body()) = {body, nullptr};
  rt::DepItem* item = rt::items_of(x);
  for (Dependence d : list) *item++ = {d.address, 0, d.mode, nullptr};
  rt::submit_begun(w, t, x);
  return t;
}
Task* spawn_node(Worker* w, Body body, Dependence d) { return spawn_node(w, body, {d}); }
constexpr Dependence in(uintptr_t a) { return {a, 0, rt::kDepIn}; }
constexpr Dependence out(uintptr_t a) { return {a, 0, rt::kDepOut}; }
constexpr Dependence mutex(uintptr_t a) { return {a, 0, rt::kDepMutexInOutSet}; }

// One thread of the team creates, the others take what they get.
model::Result run(int threads, void (*creator)(Worker*), int tasks, model::Options options) {
  return model::explore(options, [=] {
    std::vector<int> served(size_t(threads), 1);
    auto p = regions(threads, served, [=](Worker* w) {
      g_shared = new (model::arena(sizeof(Shared))) Shared;
      parallel(w, threads, [=](Worker* me) {
        if (me->thread_num == 0) creator(me);
      });
      model::check(g_shared->order.load() == tasks, "the region ended before its tasks");
    });
    p.at_end = [] { model::check(live_blocks() == 0, "a block was not freed, or freed twice"); };
    return p;
  });
}

void chain(Worker* w) {
  spawn_after(w, [](void*) { end(0); }, out(8));
  spawn_after(
      w,
      [](void*) {
        must_have_ended({0});
        end(1);
      },
      out(8));
  spawn_after(
      w,
      [](void*) {
        must_have_ended({1});
        end(2);
      },
      out(8));
}
TEST(DependModel, Chain) { expect_right(run(2, chain, 3, {1, 1})); }

void node_chain(Worker* w) {
  spawn_node(w, [](void*) { end(0); }, out(8));
  spawn_node(
      w,
      [](void*) {
        must_have_ended({0});
        end(1);
      },
      out(8));
  spawn_node(
      w,
      [](void*) {
        must_have_ended({1});
        end(2);
      },
      out(8));
}
TEST(DependModel, NodeChain) { expect_right(run(2, node_chain, 3, {1, 1})); }

// Small ones, with a switch to the other thread and one back at the worst of times.
void pair(Worker* w) {
  spawn_node(w, [](void*) { end(0); }, out(8));
  spawn_node(
      w,
      [](void*) {
        must_have_ended({0});
        end(1);
      },
      out(8));
}
TEST(DependModel, PairTwice) { expect_right(run(2, pair, 2, {2, 0})); }
void separate_pair(Worker* w) {
  spawn_after(w, [](void*) { end(0); }, out(8));
  spawn_after(
      w,
      [](void*) {
        must_have_ended({0});
        end(1);
      },
      out(8));
}
TEST(DependModel, SeparatePairTwice) { expect_right(run(2, separate_pair, 2, {2, 0})); }
void two_to_one(Worker* w) {
  spawn_node(w, [](void*) { end(0); }, out(8));
  spawn_node(w, [](void*) { end(1); }, out(16));
  spawn_node(w,
             [](void*) {
               must_have_ended({0, 1});
               end(2);
             },
             {out(8), out(16)});
}
TEST(DependModel, TwoToOneTwice) { expect_right(run(2, two_to_one, 3, {2, 0})); }

// Two predecessors, of which one has a second successor.
void corner(Worker* w) {
  spawn_node(w, [](void*) { end(0); }, out(8));
  spawn_node(w, [](void*) { end(1); }, out(16));
  spawn_node(w,
             [](void*) {
               must_have_ended({0, 1});
               end(2);
             },
             {in(8), in(16), out(24)});
  spawn_node(w,
             [](void*) {
               must_have_ended({0});
               end(3);
             },
             {in(8), out(32)});
}
TEST(DependModel, Corner) { expect_right(run(2, corner, 4, {1, 1})); }
TEST(DependModel, CornerOfThree) { expect_right(run(3, corner, 4, {1, 0})); }

// More predecessors than a node has room for in its block's first lines, or with its items.
void many(Worker* w) {
  for (uintptr_t a = 8; a <= 32; a += 8) spawn_node(w, [](void*) { g_shared->order.fetch_add(1); }, in(a));
  spawn_node(w, [](void*) { g_shared->order.fetch_add(1); }, in(32));
  spawn_node(w,
             [](void*) {
               model::check(g_shared->order.fetch_add(1) == 5, "a task started before its predecessors had ended");
             },
             {out(8), out(16), out(24), out(32)});
}
TEST(DependModel, ManyPredecessors) { expect_right(run(2, many, 6, {1, 0})); }

// A task with a node ends before its child, which another thread may run.
void outlived(Worker* w) {
  spawn_node(
      w,
      [](void*) {
        spawn(rt::self(), [](void*) { end(0); }, nullptr);
        end(1);
      },
      out(8));
  spawn_node(
      w,
      [](void*) {
        must_have_ended({1});
        end(2);
      },
      out(8));
}
TEST(DependModel, ChildOutlivesItsParentsNode) { expect_right(run(2, outlived, 3, {1, 1})); }
TEST(DependModel, ChildOutlivesItsParentsNodeTwice) { expect_right(run(2, outlived, 3, {2, 0})); }

// The last child ends on its creator's thread, which still names the node: the block is not free.
void outlived_and_named(Worker* w) {
  Task* named = spawn_node(
      w,
      [](void*) {
        spawn(rt::self(), [](void*) { end(0); }, nullptr);
        end(1);
      },
      out(8));
  for (int i = 0; i < 3; ++i) rt::run_one(w);
  Task* other = rt::new_block(w, rt::bytes_of_dependent(1, 0));
  model::check(other != named, "a block that is named was free");
  rt::free_block(w, other);
  spawn_node(
      w,
      [](void*) {
        must_have_ended({1});
        end(2);
      },
      out(8));
}
TEST(DependModel, ChildOutlivesItsParentsNamedNode) { expect_right(run(2, outlived_and_named, 3, {1, 0})); }

void readers(Worker* w) {
  spawn_after(w, [](void*) { end(0); }, out(8));
  spawn_after(
      w,
      [](void*) {
        must_have_ended({0});
        end(1);
      },
      in(8));
  spawn_after(
      w,
      [](void*) {
        must_have_ended({0});
        end(2);
      },
      in(8));
  spawn_after(
      w,
      [](void*) {
        must_have_ended({1, 2});
        end(3);
      },
      out(8));
}
TEST(DependModel, WriterReadersWriter) { expect_right(run(2, readers, 4, {1, 1})); }

// A set that is followed by a set: a joint lies between them.
void sets(Worker* w) {
  spawn_after(w, [](void*) { end(0); }, in(8));
  spawn_after(w, [](void*) { end(1); }, in(8));
  spawn_after(w,
              [](void*) {
                must_have_ended({0, 1});
                end(2);
              },
              {8, 0, rt::kDepInOutSet});
  spawn_after(w,
              [](void*) {
                must_have_ended({0, 1});
                end(3);
              },
              {8, 0, rt::kDepInOutSet});
}
TEST(DependModel, SetAfterSet) { expect_right(run(2, sets, 4, {1, 1})); }

void waits(Worker* w) {
  spawn_after(w, [](void*) { end(0); }, out(8));
  spawn_after(w, [](void*) { end(1); }, out(16));
  Dependence d = in(8);
  rt::wait_for_dependences(w, &d, 1);
  must_have_ended({0});
}
TEST(DependModel, TaskwaitDepend) { expect_right(run(2, waits, 2, {1, 1})); }
TEST(DependModel, TaskwaitDependOfThree) { expect_right(run(3, waits, 2, {1, 0})); }

void node_waits(Worker* w) {
  spawn_node(w, [](void*) { end(0); }, out(8));
  spawn_node(
      w,
      [](void*) {
        must_have_ended({0});
        end(1);
      },
      in(8));
  Dependence d = out(8);
  rt::wait_for_dependences(w, &d, 1);
  must_have_ended({0, 1});
}
TEST(DependModel, TaskwaitDependOnNodes) { expect_right(run(2, node_waits, 2, {1, 1})); }

// What is waited for is over when the thread has got another task to run.
void waits_for_first(Worker* w) {
  spawn_node(w, [](void*) { end(0); }, {out(8), out(16)});
  spawn_node(
      w,
      [](void*) {
        must_have_ended({0});
        end(1);
      },
      out(16));
  Dependence d = in(8);
  rt::wait_for_dependences(w, &d, 1);
  must_have_ended({0});
}
TEST(DependModel, TaskwaitDependOnTheFirst) { expect_right(run(2, waits_for_first, 2, {1, 1})); }

void nowait(Worker* w) {
  spawn_after(w, [](void*) { end(0); }, out(8));
  Dependence d = out(8);
  rt::order_dependences(w, &d, 1);
  rt::order_dependences(w, &d, 1);
  spawn_after(
      w,
      [](void*) {
        must_have_ended({0});
        end(1);
      },
      in(8));
}
TEST(DependModel, TaskwaitDependNowait) { expect_right(run(2, nowait, 2, {1, 1})); }

// It is the only member of its group, which does not end before it; nor does the region.
void nowait_in_group(Worker* w) {
  spawn_node(w, [](void*) { end(0); }, out(8));
  rt::Taskgroup* g = rt::new_group(w);
  rt::taskgroup_begin(w, g, nullptr, 0);
  Dependence d = out(8);
  rt::order_dependences(w, &d, 1);
  rt::taskgroup_end(w, nullptr, 0);
  rt::free_group(w, g);
  must_have_ended({0});
}
TEST(DependModel, TaskwaitDependNowaitEndsItsGroup) { expect_right(run(2, nowait_in_group, 1, {1, 1})); }

void excludes(int task) {
  model::check(g_shared->inside.fetch_add(1) == 0, "two tasks of a mutexinoutset at once");
  g_shared->inside.fetch_sub(1);
  end(task);
}
void mutexes(Worker* w) {
  spawn_after(w, [](void*) { excludes(0); }, mutex(8));
  spawn_after(w, [](void*) { excludes(1); }, mutex(8));
  spawn_after(
      w,
      [](void*) {
        must_have_ended({0, 1});
        end(2);
      },
      in(8));
}
void node_mutexes(Worker* w) {
  spawn_node(w, [](void*) { excludes(0); }, mutex(8));
  spawn_node(w, [](void*) { excludes(1); }, mutex(8));
  spawn_node(
      w,
      [](void*) {
        must_have_ended({0, 1});
        end(2);
      },
      in(8));
}
TEST(DependModel, NodesOfMutexInOutSet) { expect_right(run(2, node_mutexes, 3, {1, 1})); }
TEST(DependModel, MutexInOutSet) { expect_right(run(2, mutexes, 3, {1, 1})); }

// The event is fulfilled by another task, before, while or after the body runs; a successor waits for both.
void detaches(Worker* w) {
  Task* t = rt::new_block(w, sizeof(rt::GompBody));
  rt::init_task(w, t, 0);
  rt::make_detachable(w, t);
  *static_cast<rt::GompBody*>(t->body()) = {[](void*) { end(0); }, nullptr};
  g_shared->event.store(uintptr_t(t));
  Dependence d = out(8);
  rt::submit_dependent(w, t, &d, 1);
  spawn(
      w,
      [](void*) {
        end(1);
        rt::fulfill_event(rt::self(), reinterpret_cast<Task*>(g_shared->event.load()));
      },
      nullptr);
  spawn_after(
      w,
      [](void*) {
        must_have_ended({0, 1});
        end(2);
      },
      in(8));
}
TEST(DependModel, DetachedTask) { expect_right(run(2, detaches, 3, {1, 1})); }

}  // namespace
