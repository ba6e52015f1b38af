// A process that shares the program's memory and outlives it: it writes the recording, and when the program has ended, by whatever
// means (_exit, a signal, SIGKILL, exec, a raw system call), it finds all in place and writes the rest.
//
// It is made by clone() with CLONE_VM alone: it has descriptors, signal actions and a session of its own, is no thread of the
// program, not traced with it, and not among the children that its wait() sees. It runs in the thread-local storage of the
// thread that makes it, which sleeps meanwhile without touching that. Where it cannot be made the thread does its work.
#pragma once
#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace einkorn::record {

class Companion {
 public:
  // Runs `body` in a companion, by the calling thread, which has all signals blocked; returns when that is gone. False: there can be none,
  // nothing ran. `when_left`: called in a signal's handler of it when that thread dies. `keep`: the only descriptor that it has; the
  // program's is closed.
  static bool run(void (*body)(), void (*when_left)(), int keep);

  static void program_begins();  // before it does anything of its own

  static bool is_companion();  // is the caller one?
  // By the companion; any other caller is not alone, not heard and not hurried:
  // The program is gone: none of its threads runs any more, and locks that they held stay held.
  static bool is_alone();
  // Is told of in the program's name, on its stderr. False: not by a companion.
  static bool tell(const char* line, size_t bytes);
  // f() in bounded time, though it wants a lock that a dead thread may hold. False: it did not come to its end, and may not be called again.
  static bool try_for_a_while(void (*f)());

  static void forget();  // in the child of a fork

 private:
  static std::atomic<bool> inside_;
};

// Of a lock that threads of the program take. A companion that is left alone while one of them held it does without.
class GuardOrAlone {
 public:
  explicit GuardOrAlone(pthread_mutex_t& m);
  ~GuardOrAlone() {
    if (taken_) pthread_mutex_unlock(&m_);
  }
  GuardOrAlone(const GuardOrAlone&) = delete;
  GuardOrAlone& operator=(const GuardOrAlone&) = delete;

 private:
  pthread_mutex_t& m_;
  bool taken_;
};

}  // namespace einkorn::record
