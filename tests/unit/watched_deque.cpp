// A task handed over by the fast path's queue, its data plain memory: `right` by src/flow/deque.h itself, `wrong` by a
// copy whose push does not order what was stored before it (model/mutants.cmake, push_unordered). Built under
// ThreadSanitizer, which must be silent of the one and report the other: else its silence about the runtime says
// nothing. Exits with 2 where no item was handed over.
#include <cstdio>
#include <cstring>
#include <thread>

#include "flow/deque.h"
#include "model/deque_mutants.h"

namespace {

constexpr int kItems = 2000;

struct Item {
  int data = 0;
};

template <class Deque>
int hand_over() {
  static Item items[kItems];
  Deque deque;
  deque.init();
  long sum = 0;
  int stolen = 0;
  std::thread thief([&] {
    while (stolen < kItems) {
      Item* item = nullptr;
      deque.steal(item, true, [](Item*) { return true; });
      if (item) sum += item->data, ++stolen;
    }
  });
  for (Item& item : items) {
    item.data = 1;
    deque.push(&item);
  }
  thief.join();
  deque.destroy();
  return sum == kItems ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  static_assert(mutant_push_unordered::kApplied, "deque.h has changed: adapt model/mutants.cmake");
  if (argc == 2 && strcmp(argv[1], "right") == 0) return hand_over<einkorn::flow::Deque<Item>>();
  if (argc == 2 && strcmp(argv[1], "wrong") == 0) return hand_over<mutant_push_unordered::Deque<Item>>();
  return fprintf(stderr, "usage: %s right|wrong\n", argv[0]), 1;
}
