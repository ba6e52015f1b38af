// A process that shares the program's memory and outlives it. It writes the recording. When the program has ended, by
// whatever means (_exit, a signal, SIGKILL, exec, a raw system call), it finds all memory in place and writes the rest.
//
// It is made by clone() with CLONE_VM alone: it has descriptors, signal actions and a session of its own. It is not a
// thread of the program, is not traced with it, and is not among the children that the program's wait() sees. It runs
// in the thread-local storage of the thread that makes it, which sleeps meanwhile without touching that storage. If it
// cannot be made, the thread does its work.
#pragma once
#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <sys/types.h>

namespace einkorn::record {

class Companion {
 public:
  // Makes a companion that runs `body`; returns when it is gone. The calling thread has all signals blocked. False:
  // there can be no companion, and nothing ran. `when_left`: the companion calls it in a signal handler when the
  // calling thread dies. `keep`: the only descriptor that the companion has; the program's copy is closed.
  static bool run(void (*body)(), void (*when_left)(), int keep);

  static void program_begins();  // before it does anything of its own

  static bool is_companion();  // is the caller one?
  // For the companion; for any other caller the first two return false, and the third only calls f:
  // The program is gone: none of its threads runs any more, and locks that they held stay held.
  static bool is_alone();
  // The user that the program was when the companion was made.
  static uid_t user_of_program();
  // Is the companion another user than the program was? Then it may not open all files that the program may.
  static bool is_another_user();
  // Prints the line on the program's stderr, in the program's name. False: the caller is not a companion.
  static bool tell(const char* line, size_t bytes);
  // Calls f() for a bounded time, though f takes a lock that a dead thread may hold. False: f did not finish, and must
  // not be called again.
  static bool try_for_a_while(void (*f)());

  static void forget();  // in the child of a fork

 private:
  static std::atomic<bool> inside_;
};

// Holds a lock that threads of the program take, too. A companion left alone after one of them died with it goes on
// without.
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
