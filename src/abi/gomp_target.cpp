// gcc's target constructs, all run by the host. libgomp 12: target.c and its host fallback. Deferred ones (nowait) are
// tasks.
#include <atomic>
#include <cstring>

#include "abi/gomp_target.h"
#include "runtime/task/target.h"

using namespace einkorn::abi;

namespace {

// gomp-constants.h of gcc 12.
constexpr unsigned kFlagNowait = 1;
constexpr unsigned kTaskDepend = Gomp::kDepend, kTaskTarget = Gomp::kTarget;
constexpr unsigned kMapFirstprivate = 0xc;  // low byte of a kind; alignment is 1 << high byte
constexpr unsigned kMapAttach = 0x50;       // of gcc 14: behind a firstprivate, the pointer to it, at this address
constexpr uintptr_t kArgDevice = 0x7f, kArgSubsequent = 0x80, kArgId = 0xff00, kArgThreadLimit = 0x200;
constexpr int kArgValueShift = 16;

using Fn = void (*)(void*);

// args: words of device, kind of argument and value (in the upper bits, or in the next word); 0 ends them.
int thread_limit(void** args) {
  if (!args) return 0;
  while (*args) {
    auto id = intptr_t(*args++);
    intptr_t value = id & intptr_t(kArgSubsequent) ? intptr_t(*args++) : id >> kArgValueShift;
    if ((id & intptr_t(kArgDevice)) != 0 || (uintptr_t(id) & kArgId) != kArgThreadLimit) continue;
    return value > INT_MAX ? INT_MAX : int(value);
  }
  return 0;
}

// Of the variables that the region has private copies of.
struct Firstprivate {
  size_t count;
  void** hostaddrs;
  size_t* sizes;
  unsigned short* kinds;

  bool at(size_t i) const { return (kinds[i] & 0xff) == kMapFirstprivate && hostaddrs[i]; }
  size_t align(size_t i) const { return size_t(1) << (kinds[i] >> 8); }
  static size_t up(size_t n, size_t align) { return (n + align - 1) & ~(align - 1); }

  void room(size_t& bytes, size_t& most) const {
    bytes = 0, most = 1;
    for (size_t i = 0; i < count; ++i)
      if (at(i)) {
        if (align(i) > most) most = align(i);
        bytes = up(bytes, align(i)) + sizes[i];
      }
  }
  // Copies them to `to`, which is aligned for all, and has addrs[] point there.
  void copy(char* to, void** addrs) const {
    size_t used = 0;
    for (size_t i = 0; i < count; ++i)
      if (at(i)) {
        used = up(used, align(i));
        memcpy(to + used, hostaddrs[i], sizes[i]);
        addrs[i] = to + used;
        used += sizes[i];
        if (i + 1 < count && (kinds[i + 1] & 0xff) == kMapAttach) attach(i + 1, addrs);
      }
  }

 private:
  // Data of an allocatable: its descriptor, an earlier one of these, gets the copy's address. The descriptor is named
  // by the word of hostaddrs that has its own address; of a deferred region that word is in addrs.
  void attach(size_t i, void** addrs) const {
    auto** named = static_cast<void***>(hostaddrs[i]);
    const size_t at = size_t(reinterpret_cast<void**>(named) - hostaddrs);
    void** descriptor = at < count ? static_cast<void**>(addrs[at]) : *named;
    descriptor[sizes[i]] = addrs[i - 1];
  }
};

// What a target task takes along: this, the addresses, then the private copies.
struct Deferred {
  Fn fn;  // first: see Gomp::kTarget
  int limit;
  Firstprivate vars;      // as the construct has them: read while the task is made
  size_t private_offset;  // of the copies from the beginning of this

  void** addresses() { return reinterpret_cast<void**>(this + 1); }
};

void copy_deferred(void* to, void* from) {
  auto* d = static_cast<Deferred*>(to);
  *d = *static_cast<Deferred*>(from);
  memcpy(d->addresses(), d->vars.hostaddrs, d->vars.count * sizeof(void*));
  d->vars.copy(static_cast<char*>(to) + d->private_offset, d->addresses());
}

void run_deferred(void* data) {
  auto* d = static_cast<Deferred*>(data);
  target_region(self(), d->fn, d->addresses(), d->limit);
}

// Of a construct that the encountering task waits in: everything stays on its stack.
void run_here(void* data) {
  auto* d = static_cast<Deferred*>(data);
  target_region(self(), d->fn, d->vars.hostaddrs, d->limit);
}

void nothing(void*) {}

// The construct moves no data here: it is an empty task with its dependences. In a recording it has the name of the
// place that has met it.
void data_task(int device, unsigned flags, void** depend, Caller caller) {
  check_offload(self(), device);
  if (!depend) return;
  const void* place = caller;
  create_gomp_target({nothing, &place, kTaskTarget | kTaskDepend, nullptr, sizeof place, alignof(void*)},
                     (flags & kFlagNowait) != 0, depend, caller);
}

}  // namespace

EK_EXPORT void GOMP_target_ext(int device, Fn fn, size_t count, void** hostaddrs, size_t* sizes, unsigned short* kinds,
                               unsigned flags, void** depend, void** args) {
  check_offload(self(), device);
  Firstprivate vars{count, hostaddrs, sizes, kinds};
  size_t bytes, align;
  vars.room(bytes, align);
  if (!(flags & kFlagNowait)) {
    // The copies lie on the stack; they are made before dependences are waited for.
    char* copies = static_cast<char*>(__builtin_alloca(bytes + align));
    copies += -uintptr_t(copies) & (align - 1);
    vars.copy(copies, hostaddrs);
    Deferred d{fn, thread_limit(args), vars, 0};
    if (!depend) return run_here(&d);
    return create_gomp_target({run_here, &d, kTaskTarget | kTaskDepend, nullptr, sizeof d, alignof(Deferred)}, false,
                              depend, EK_CALLER);
  }
  if (align < alignof(Deferred)) align = alignof(Deferred);
  Deferred d{fn, thread_limit(args), vars, Firstprivate::up(sizeof(Deferred) + count * sizeof(void*), align)};
  create_gomp_target(
      {run_deferred, &d, kTaskTarget | (depend ? kTaskDepend : 0), copy_deferred, d.private_offset + bytes, align},
      true, depend, EK_CALLER);
}

EK_EXPORT void GOMP_target(int device, Fn fn, const void*, size_t, void** hostaddrs, size_t*, unsigned char*) {
  check_offload(self(), device);
  target_region(self(), fn, hostaddrs, 0);
}

EK_EXPORT void GOMP_target_data(int device, const void*, size_t, void**, size_t*, unsigned char*) {
  check_offload(self(), device);
}
EK_EXPORT void GOMP_target_data_ext(int device, size_t, void**, size_t*, unsigned short*) {
  check_offload(self(), device);
}
EK_EXPORT void GOMP_target_end_data() {}
EK_EXPORT void GOMP_target_update(int device, const void*, size_t, void**, size_t*, unsigned char*) {
  check_offload(self(), device);
}
EK_EXPORT void GOMP_target_update_ext(int device, size_t, void**, size_t*, unsigned short*, unsigned flags,
                                      void** depend) {
  data_task(device, flags, depend, EK_CALLER);
}
EK_EXPORT void GOMP_target_enter_exit_data(int device, size_t, void**, size_t*, unsigned short*, unsigned flags,
                                           void** depend) {
  data_task(device, flags, depend, EK_CALLER);
}

namespace {

// Types of devices as libgomp numbers them for its plugins, gcc 12.
const char* device_name(int type) { return type == 5 ? "nvptx" : type == 8 ? "amdgcn" : "a device"; }

// The program calls this for each of its images, from its constructors.
void name_image(int type) {
  static std::atomic<bool> said{false};
  if (g_config.target_offload == TargetOffload::disabled || said.exchange(true, std::memory_order_relaxed)) return;
  warn(
      "the program has code for %s, which Einkorn does not run: its target regions run on the host. For the device run "
      "it with gcc's libgomp, that is without `einkorn run`, and without Einkorn's folder in LD_LIBRARY_PATH. "
      "OMP_TARGET_OFFLOAD=disabled says that the host is meant",
      device_name(type));
}

}  // namespace

// Device code that the program brings along, with the tables of its functions and variables: nothing here can run it.
EK_EXPORT void GOMP_offload_register_ver(unsigned, const void*, int type, const void*) { name_image(type); }
EK_EXPORT void GOMP_offload_register(const void*, int type, const void*) { name_image(type); }
EK_EXPORT void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}
EK_EXPORT void GOMP_offload_unregister(const void*, int, const void*) {}
