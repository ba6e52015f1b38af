#include "flow/thread.h"

#include <pthread.h>
#include <sys/mman.h>

namespace einkorn::flow {

constexpr size_t kProgram = 8 << 20, kThread = 128 << 10;  // blocks for tasks, the queue's slots, what grows

KeptRoom::KeptRoom(int threads) : bytes_(kProgram + size_t(threads) * kThread) {
  at_ = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

KeptRoom::~KeptRoom() {
  if (at_ != MAP_FAILED) munmap(at_, bytes_);
}

bool make_thread(void* (*main)(void*), void* arg, size_t& stack_bytes) {
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  if (stack_bytes != 0 && pthread_attr_setstacksize(&attr, (stack_bytes + 4095) & ~size_t(4095)) != 0) stack_bytes = 0;
  pthread_t id;
  const int failed = pthread_create(&id, &attr, main, arg);
  pthread_attr_destroy(&attr);
  return !failed;
}

}  // namespace einkorn::flow
