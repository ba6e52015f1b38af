#include "memory/next_touch.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "memory/page_map.h"
#include "memory/pages.h"

// The C library's own name, because our library exports `sigaction`. Sanitizers intercept theirs and must see the call.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define EK_SYSTEM_SIGACTION ::sigaction
#else
extern "C" int __sigaction(int, const struct sigaction*, struct sigaction*) noexcept;
#define EK_SYSTEM_SIGACTION ::__sigaction
#endif

namespace einkorn::memory {

namespace {

using Action = struct sigaction;

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;  // held by who changes the handler
std::atomic<bool> g_installed{false};                // release and acquire: g_programs is set
std::atomic<uint32_t> g_armings{0};                  // twice the number that are complete; odd: one is in progress
// What the program wants done with SIGSEGV. Never changed once it is here, never freed: a handler may be reading it.
// Release and acquire: who finds one finds it complete.
std::atomic<const Action*> g_programs{nullptr};

// Blocks all signals: a handler of the program that called sigaction() would wait for the thread that it runs on.
class Locked {
 public:
  Locked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    pthread_mutex_lock(&g_lock);
  }
  ~Locked() {
    pthread_mutex_unlock(&g_lock);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_;
};

long futex(const void* word, int what, uint32_t value, const void* other = nullptr, uint32_t how = 0) {
  return syscall(SYS_futex, word, what | FUTEX_PRIVATE_FLAG, value, nullptr, other, how);
}

// ---- the handler: async-signal-safe calls only ----

// Can the page be read, and written? The kernel is asked: it checks access without faulting.
bool accessible(uintptr_t page, bool write) {
  static const uint32_t nobody = 0;
  if (!write) {
    // The kernel reads the new mask first and rejects `how` afterwards: EINVAL if it can read, EFAULT if it cannot.
    return syscall(SYS_rt_sigprocmask, ~0, page, nullptr, 8) == 0 || errno != EFAULT;
  }
  // "Add 0 to the word there, and wake nobody."
  constexpr uint32_t add_nothing = FUTEX_OP_ADD << 28 | 0 << 12;
  return futex(&nobody, FUTEX_WAKE_OP, 0, reinterpret_cast<const void*>(page), add_nothing) >= 0 || errno != EFAULT;
}

bool was_write(const void* context) {
#if defined(__x86_64__)
  return static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2;
#elif defined(__aarch64__)
  // Among the records behind the registers: the exception's syndrome, whose bit 6 tells writes from reads.
  constexpr uint64_t kWrite = 1u << 6;
  const unsigned char* record = static_cast<const ucontext_t*>(context)->uc_mcontext.__reserved;
  for (const unsigned char* end = record + 4096;;) {
    const auto* head = reinterpret_cast<const _aarch64_ctx*>(record);
    if (head->magic == ESR_MAGIC) return reinterpret_cast<const esr_context*>(record)->esr & kWrite;
    if (head->magic == 0 || head->size < sizeof *head || head->size > size_t(end - record) - sizeof(esr_context))
      return true;
    record += head->size;
  }
#else
  return true;
#endif
}

bool open_pages(uintptr_t at, size_t bytes) {
  return mprotect(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE) == 0;
}

bool is_armed(uintptr_t page) {
  std::atomic<uint32_t>* word = page_word(page, false);
  return word && (word->load(std::memory_order_relaxed) & kArmed);
}

// Claims the page for opening. It must be armed, and not be in the course of arming (again): if it were opened now and
// made inaccessible afterwards, nobody would open it again.
bool take(std::atomic<uint32_t>* word) {
  if (!word) return false;
  uint32_t w = word->load(std::memory_order_relaxed);
  while ((w & (kArmed | kMoving | kArming)) == kArmed)
    if (word->compare_exchange_weak(w, (w & ~uint32_t(kArmed)) | kMoving, std::memory_order_relaxed)) return true;
  return false;
}

void let_go(std::atomic<uint32_t>* word) {
  word->fetch_and(~uint32_t(kMoving), std::memory_order_relaxed);
  futex(word, FUTEX_WAKE, INT_MAX);
}

// Opening single pages would need more mappings than the system has room for: opens the whole run of armed pages around
// this one, and leaves them where they are.
bool open_stretch(uintptr_t page) {
  uintptr_t from = page, end = page + page_bytes();
  while (take(page_word(from - page_bytes(), false))) from -= page_bytes();
  while (take(page_word(end, false))) end += page_bytes();
  bool open = open_pages(from, end - from);
  for (uintptr_t p = from; p < end; p += page_bytes())
    if (p != page) let_go(page_word(p, false));
  return open;
}

// The page is ours to move (kMoving).
bool move_here(std::atomic<uint32_t>* word, uintptr_t page) {
  unsigned cpu = 0, os = 0;
  void* address = reinterpret_cast<void*>(page);
  int status = -1;
  const Nodes& n = nodes();  // loaded when the page was armed
  // Opened first: many kernels do not move an inaccessible page. Other threads that touch it now do so before it moves,
  // or wait in the kernel until it has.
  bool open = open_pages(page, page_bytes()) || open_stretch(page);
  if (syscall(SYS_getcpu, &cpu, &os, nullptr) == 0) move_to_node(&address, int(os), &status, 1);
  int node = status >= 0 && status < kMaxNodes ? n.of_os[status] : -1;
  if (node >= 0) found(address, page_bytes(), node);
  let_go(word);
  return open;
}

// Was it one of our pages, and may the thread try again?
bool served(const siginfo_t* info, const void* context) {
  if (info->si_code != SEGV_ACCERR) return false;
  uintptr_t page = page_down(uintptr_t(info->si_addr));
  std::atomic<uint32_t>* word = page_word(page, false);
  if (!word) return false;
  for (;;) {
    // acquire: read before the word, so that a thread that finds the page being armed sleeps on a count from before the
    // arming ends
    uint32_t done = g_armings.load(std::memory_order_acquire), w = word->load(std::memory_order_relaxed);
    // A thread woken for nothing faults again.
    if (w & kArming) return futex(&g_armings, FUTEX_WAIT, done), true;
    if (w & kMoving) return futex(word, FUTEX_WAIT, w), true;
    if (w & kArmed) {
      if (take(word)) return move_here(word, page);
      continue;
    }
    if (accessible(page, was_write(context))) return true;
    // Unless somebody has armed it since we looked, the fault is the program's own.
    if (done & 1) return futex(&g_armings, FUTEX_WAIT, done), true;
    if (g_armings.load(std::memory_order_acquire) == done) return false;
  }
}

void hand_on(int signal, siginfo_t* info, void* context) {
  const Action* a = g_programs.load(std::memory_order_acquire);
  bool sent = info->si_code <= 0;  // by kill() or raise(), not by a fault
  bool ignored = a->sa_handler == SIG_IGN;
  if (sent && ignored) return;
  if (a->sa_handler == SIG_DFL || ignored) {  // a fault cannot be ignored: the kernel would end the program
    Action end = {};
    end.sa_handler = SIG_DFL;
    EK_SYSTEM_SIGACTION(signal, &end, nullptr);
    if (sent) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
    return;  // the access faults again, and ends the program with the right address
  }
  if (a->sa_flags & SA_RESETHAND) {
    static const Action none = {};
    g_programs.compare_exchange_strong(a, &none, std::memory_order_acq_rel);
  }
  sigset_t mask = a->sa_mask;
  if (!(a->sa_flags & SA_NODEFER)) sigaddset(&mask, signal);
  pthread_sigmask(SIG_BLOCK, &mask, nullptr);  // the return from the signal restores it
  if (a->sa_flags & SA_SIGINFO) a->sa_sigaction(signal, info, context);
  else a->sa_handler(signal);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  int saved = errno;
  bool ours = served(info, context);
  errno = saved;
  if (!ours) hand_on(signal, info, context);
}

// ---- outside of it ----

bool keep_programs(const Action& a) {
  auto* kept = static_cast<Action*>(malloc(sizeof(Action)));
  if (!kept) return false;
  *kept = a;
  g_programs.store(kept, std::memory_order_release);
  return true;
}

// Installs our handler and keeps the program's. Done at each arming, as a program may bypass our sigaction().
bool install() {
  Locked lock;
  Action have;
  if (EK_SYSTEM_SIGACTION(SIGSEGV, nullptr, &have) != 0) return false;
  if ((have.sa_flags & SA_SIGINFO) && have.sa_sigaction == on_fault) return true;
  if (!keep_programs(have)) return false;
  Action ours = {};
  ours.sa_sigaction = on_fault;
  // Uses the program's alternate signal stack, if it has one. Blocks no signals: hand_on() does that.
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  if (EK_SYSTEM_SIGACTION(SIGSEGV, &ours, nullptr) != 0) return false;
  g_installed.store(true, std::memory_order_release);
  return true;
}

// Is all of the range mapped as private memory that can be read and written, and not run?
bool usable(uintptr_t from, uintptr_t end) {
  FILE* maps = fopen("/proc/self/maps", "re");
  if (!maps) return false;
  char line[512];
  unsigned long low, high;
  char may[5];
  bool whole_line = true;
  while (from < end && fgets(line, sizeof line, maps)) {
    bool begins = whole_line;
    whole_line = false;
    for (const char* c = line; *c; ++c) whole_line |= *c == '\n';
    if (!begins || sscanf(line, "%lx-%lx %4s", &low, &high, may) != 3 || high <= from) continue;
    bool private_memory = may[0] == 'r' && may[1] == 'w' && may[2] == '-' && may[3] == 'p';
    // Armed before and not touched since: that will do, too.
    bool armed = may[0] == '-' && may[3] == 'p' && is_armed(from);
    if (low > from || !(private_memory || armed)) break;
    from = high;
  }
  fclose(maps);
  return from >= end;
}

bool arm(uintptr_t from, size_t bytes) {
  Locked lock;  // two threads that arm the same page would each think that it may be claimed
  void* first = reinterpret_cast<void*>(from);
  g_armings.fetch_add(1);  // odd before the first page is inaccessible: served() finds either this or the marks
  // Marked before it becomes inaccessible: a thread that faults on it must find the mark. Until then nobody may claim a
  // page: a thread whose fault belongs to the previous arming would open it before we close it.
  bool good = mark(first, bytes, kArmed | kArming, 0) && mprotect(first, bytes, PROT_NONE) == 0;
  if (!good) open_pages(from, bytes);  // some of it may be done
  mark(first, bytes, 0, good ? kArming : kArming | kArmed);
  g_armings.fetch_add(1);  // even after the last mark
  futex(&g_armings, FUTEX_WAKE, INT_MAX);
  return good;
}

}  // namespace

int arm_pages(void* p, size_t bytes) {
  uintptr_t from = uintptr_t(p), end;
  if (__builtin_add_overflow(from, bytes, &end)) return EINVAL;
  from = page_up(from);
  end = page_down(end);
  if (from >= end) return 0;
  int saved = errno, error = 0;
  nodes();
  if (!usable(from, end)) error = EINVAL;
  else if (!install() || !arm(from, end - from)) error = ENOMEM;
  errno = saved;
  return error;
}

int next_touch(void* p, size_t bytes) {
  const Nodes& n = nodes();
  if (n.count == 1) return 0;
  if (n.real) {
    void* page = reinterpret_cast<void*>(page_down(uintptr_t(p)));
    int status;
    // A process that may not even ask where pages are may not move them: the faults would be for nothing.
    if (int error = ask_nodes(&page, &status, 1); error == EPERM || error == ENOSYS) {
      cannot_place(error);
      return EPERM;
    }
    return arm_pages(p, bytes);
  }
  uintptr_t from = page_up(uintptr_t(p)), end = page_down(uintptr_t(p) + bytes);
  if (end < from || end - from > bytes) return bytes < page_bytes() * 2 ? 0 : EINVAL;
  return mark(reinterpret_cast<void*>(from), end - from, kArmed, 0) ? 0 : ENOMEM;
}

int programs_sigaction(int signal, const struct sigaction* wanted, struct sigaction* before) {
  if (signal != SIGSEGV || !g_installed.load(std::memory_order_acquire))
    return EK_SYSTEM_SIGACTION(signal, wanted, before);
  Locked lock;
  Action was = *g_programs.load(std::memory_order_acquire);
  if (wanted && !keep_programs(*wanted)) {
    errno = ENOMEM;
    return -1;
  }
  if (before) *before = was;
  return 0;
}

sighandler_t programs_signal(int signal, sighandler_t wanted) {
  if (signal != SIGSEGV || !g_installed.load(std::memory_order_acquire)) return ssignal(signal, wanted);
  Action a = {}, before;
  a.sa_handler = wanted;
  sigemptyset(&a.sa_mask);
  a.sa_flags = SA_RESTART;
  return programs_sigaction(signal, &a, &before) == 0 ? before.sa_handler : SIG_ERR;
}

void next_touch_reset_lock() {
  pthread_mutex_init(&g_lock, nullptr);
  if (g_armings.load(std::memory_order_relaxed) & 1) g_armings.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace einkorn::memory
