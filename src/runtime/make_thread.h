// The making of threads, as far as the system has a part in it.
#pragma once
#include "runtime/types.h"

namespace einkorn::runtime {

// While threads are made: addresses that their stacks cannot have. Where an address-space limit (ulimit -v) ends the making,
// the stacks would have taken the last of it, and the region that is to run with fewer threads would find no memory.
class KeptRoom {
 public:
  explicit KeptRoom(int threads);
  ~KeptRoom();
  KeptRoom(const KeptRoom&) = delete;
  KeptRoom& operator=(const KeptRoom&) = delete;

 private:
  const size_t bytes_;
  void* at_;
};

// A thread that runs main(w), with the stack that OMP_STACKSIZE asks for; nobody joins it. false: the system makes none.
bool make_thread(Worker* w, void* (*main)(void*));

}  // namespace einkorn::runtime
