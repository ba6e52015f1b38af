// The use of the CPUs by the threads of a process while it was recorded. It tells why the program's threads were off
// the CPUs: other threads of the process were on them, the threads waited for a CPU, or they slept.
#pragma once
#include <cstdint>

namespace einkorn::record {

// Times of a thread since it began, as the kernel counts them. ns; -1: not known.
struct ThreadUse {
  int64_t on_cpu = -1;
  int64_t waiting = -1;  // ready to run, but without a CPU
  int64_t taken = 0;     // off the CPU without having gone to sleep; a lower bound
};
// Time for which a thread was ready to run but had no CPU, from its schedstat in /proc. ns; -1: not known.
int64_t cpu_wait(const char* schedstat);
// For a living thread of this process. Makes two or four system calls.
ThreadUse use_of_thread(uint32_t tid);
// The most memory that this process had resident at once, since its program was loaded, in bytes; -1: not known.
int64_t most_resident();

// Not synchronized: under the pool's lock. Every thread joins when it gets its stream and leaves when it gives it back.
class CpuUse {
 public:
  void begin();  // before the first thread joins
  void joins(const ThreadUse& u) { count(u, 1); }
  void leaves(const ThreadUse& u) { count(u, -1); }

  // Valid once all have left. ns; -1: not known.
  int64_t others(
      int64_t writer_ns) const;  // CPU time of the process's threads while they had no stream, less the writer's
  int64_t waiting() const;       // of threads while they had a stream
  int64_t taken() const { return taken_; }
  // steal time of the CPUs that the process may use: the host gave them to other virtual machines
  int64_t stolen() const;

 private:
  void count(const ThreadUse&, int sign);

  int64_t others_ = 0, waiting_ = 0, taken_ = 0, stolen_before_ = -1;
  bool others_known_ = true, waiting_known_ = true;
};

}  // namespace einkorn::record
