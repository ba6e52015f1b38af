// The making of threads, as far as the system has a part in it.
#pragma once
#include <cstddef>

namespace einkorn::flow {

// While threads are made: addresses that their stacks cannot have. Where an address-space limit (ulimit -v) ends the
// making, the stacks would have taken the last of it, and whoever has to do with fewer threads would find no memory.
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

// A thread that runs main(arg), on a stack of so many bytes (0: the system's default, and set to 0 where they cannot be
// had); nobody joins it. false: the system makes none.
bool make_thread(void* (*main)(void*), void* arg, size_t& stack_bytes);

}  // namespace einkorn::flow
