// What the threads of a process had of the CPUs while it was recorded, for who asks why its own threads were off them: because
// others of the process were on, because they waited for one, or because they slept.
#pragma once
#include <cstdint>

namespace einkorn::record {

// Of a thread since it began, by the kernel's account. ns; -1: not known.
struct ThreadUse {
  int64_t on_cpu = -1;
  int64_t waiting = -1;  // ready to run, but for a CPU
};
// Of a thread of this process that lives. Two or four system calls.
ThreadUse use_of_thread(uint32_t tid);

// Not synchronized: under the pool's lock. Every thread joins when it gets its stream and leaves when it gives it back.
class CpuUse {
 public:
  void begin();  // before the first thread joins
  void joins(const ThreadUse& u) { count(u, 1); }
  void leaves(const ThreadUse& u) { count(u, -1); }

  // Once all have left. ns, -1: not known.
  int64_t others(int64_t writer_ns) const;  // CPU time of the process's threads while they had no stream, and the writer's taken off
  int64_t waiting() const;  // of threads while they had a stream

 private:
  void count(const ThreadUse&, int sign);

  int64_t others_ = 0, waiting_ = 0;
  bool others_known_ = true, waiting_known_ = true;
};

}  // namespace einkorn::record
