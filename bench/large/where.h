// Where in the program the threads of a run waited for memory, and how long: for who looks for the reason of a time.
#pragma once
#include <cstddef>

namespace large {

extern bool g_asks_where;

class Waits {
 public:
  // Thread 0, or one of the others, has waited for so many ns at that place in the code.
  static void add(bool first, const void* place, double ns);
  // Somebody has waited there for a line that was written elsewhere, which wrote something else in it.
  static void add_shared(const void* place, const void* writer, double ns);
  static double shared_ns();  // of these, all together
  static void forget();
  // The places where most of thread 0's time went, then those of the others, as addr2line knows them.
  static void print(size_t most);
};

}  // namespace large
