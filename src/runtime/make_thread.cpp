#include "runtime/make_thread.h"

#include <pthread.h>
#include <sys/mman.h>

namespace einkorn::runtime {

constexpr size_t kProgram = 8 << 20, kThread = 128 << 10;  // blocks for tasks, the queue's slots, what grows

KeptRoom::KeptRoom(int threads) : bytes_(kProgram + size_t(threads) * kThread) {
  at_ = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

KeptRoom::~KeptRoom() {
  if (at_ != MAP_FAILED) munmap(at_, bytes_);
}

bool make_thread(Worker* w, void* (*main)(void*)) {
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  if (g_config.stack_bytes) {
    size_t bytes = (g_config.stack_bytes + 4095) & ~size_t(4095);
    if (pthread_attr_setstacksize(&attr, bytes) != 0) {
      static std::atomic<bool> said{false};
      if (!said.exchange(true)) warn("OMP_STACKSIZE: %zu bytes cannot be had; threads get the system's default", bytes);
    }
  }
  pthread_t id;
  int failed = pthread_create(&id, &attr, main, w);
  pthread_attr_destroy(&attr);
  if (failed) return false;
  w->os_thread = id;
  return true;
}

}  // namespace einkorn::runtime
