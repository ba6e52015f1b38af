// What the recorder needs from the operating system, without malloc: it runs inside other people's programs, whose
// allocator may be broken, instrumented or locked at the moment.
#pragma once
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pthread.h>
#include <sys/types.h>

namespace einkorn::record {

// Zeroed pages of their own, or nullptr.
void* map_memory(size_t bytes);
void unmap_memory(void* p, size_t bytes);

// Sleeps while *word == expected, at most `timeout_ns`.
void futex_wait(std::atomic<uint32_t>* word, uint32_t expected, uint64_t timeout_ns);
void futex_wake(std::atomic<uint32_t>* word);

uint64_t monotonic_ns();

// Reads a small file (from /proc) whole, at most `bytes`; returns the number read, or -1. Adds no terminating 0.
ssize_t read_file(const char* path, char* out, size_t bytes);

// When this process began, ns of CLOCK_REALTIME, a second too early rather than too late; 0: /proc does not say.
uint64_t process_began_ns();

// Does a filter (seccomp) decide which system calls this thread may make? Nothing: /proc does not say.
std::optional<bool> filters_system_calls();

// Prints one line on stderr, the first time only: a program's output is not ours to fill.
void warn_once(const char* format, ...) __attribute__((format(printf, 1, 2)));

// False: it was not to be had for so long.
bool lock_within(pthread_mutex_t&, uint64_t ns);

class Guard {
 public:
  explicit Guard(pthread_mutex_t& m) : m_(m) { pthread_mutex_lock(&m_); }
  ~Guard() { pthread_mutex_unlock(&m_); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  pthread_mutex_t& m_;
};

// While it lives, a write() of the calling thread raises neither SIGPIPE nor SIGXFSZ, which would end the program.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_, held_;  // held_: the signals that were not pending before
};

// Text in a bounded piece of the caller's memory; what does not fit is cut off, and full() says so.
class TextBuffer {
 public:
  TextBuffer(char* memory, size_t bytes) : data_(memory), capacity_(bytes) { data_[0] = 0; }
  void put(char c) {
    if (size_ + 1 < capacity_) {
      data_[size_++] = c;
      data_[size_] = 0;
    } else full_ = true;
  }
  void put(const char* s) {
    while (*s) put(*s++);
  }
  void number(uint64_t v);
  const char* c_str() const { return data_; }
  size_t size() const { return size_; }
  size_t room() const { return capacity_ - 1 - size_; }
  bool full() const { return full_; }

 private:
  char* data_;
  size_t capacity_;
  size_t size_ = 0;
  bool full_ = false;
};

}  // namespace einkorn::record
