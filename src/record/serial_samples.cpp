#include "record/serial_samples.h"
#include <algorithm>
#include <cstring>
#include <ctime>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "record/format_samples.h"

namespace einkorn::record {

void SerialSamples::open() {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_period = kEveryNs;
  attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER;
  attr.exclude_kernel = attr.exclude_hv = attr.exclude_callchain_kernel = 1;
  attr.sample_stack_user = kStackBytes;
  attr.sample_max_stack = kMostCallers;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.disabled = 1;
  const auto fd = int(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (fd < 0) return;
  constexpr size_t kPage = 4096;
  const long page = sysconf(_SC_PAGESIZE);
  // As much as a user may lock by default, with all processes together; or less.
  for (size_t pages = 128; pages >= 16 && size_t(page) == kPage && !ring_; pages /= 2) {
    void* ring = mmap(nullptr, (pages + 1) * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ring == MAP_FAILED) continue;
    ring_ = static_cast<char*>(ring);
    bytes_ = pages * kPage;
  }
  if (ring_) syscall(SYS_ioctl, fd, PERF_EVENT_IOC_ENABLE, 0);
  close(fd);  // the mapping keeps the event
}

void SerialSamples::read(uint64_t at, void* to, size_t bytes) const {
  const auto* page = reinterpret_cast<const perf_event_mmap_page*>(ring_);
  const char* data = ring_ + page->data_offset;
  for (size_t done = 0; done < bytes;) {
    const uint64_t from = (at + done) & (bytes_ - 1);
    const size_t n = std::min<size_t>(bytes - done, bytes_ - from);
    memcpy(static_cast<char*>(to) + done, data + from, n);
    done += n;
  }
}

size_t SerialSamples::take(char* out, size_t room, const ModuleMap& modules) {
  if (!ring_) return 0;
  auto* page = reinterpret_cast<perf_event_mmap_page*>(ring_);
  // Acquire and release are the kernel's own protocol (perf_event_open(2)): what lies before the head is written; what
  // lies before the tail may be written anew.
  const uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = page->data_tail;
  size_t size = 0;
  while (tail < head) {
    perf_event_header header;
    read(tail, &header, sizeof header);
    if (header.size < sizeof header || tail + header.size > head) {
      tail = head;
      break;
    }
    if (size + sizeof(SampleRecord) + kMostAddresses * sizeof(uint64_t) > room) break;
    const uint64_t end = tail + header.size;
    uint64_t at = tail + sizeof header;
    tail = end;
    if (header.type != PERF_RECORD_SAMPLE) continue;
    auto next = [&] {
      uint64_t v = 0;
      if (at + sizeof v <= end) read(at, &v, sizeof v);
      at += sizeof v;
      return v;
    };
    uint64_t addresses[kMostAddresses];
    SampleRecord r{};
    addresses[r.count++] = next();
    r.monotonic_ns = next();
    for (uint64_t callers = next(); callers > 0 && at < end; --callers) {
      const uint64_t address = next();
      // Marks of the kernel's (PERF_CONTEXT_USER); the first is the instruction itself.
      if (address >= uint64_t(-4095) || address == addresses[0] || r.count >= kMostCallers) continue;
      if (modules.contains(address)) addresses[r.count++] = address;
    }
    r.callers = r.count;
    const uint64_t stack = next();
    const uint64_t stack_end = std::min(end, at + stack);
    while (at + sizeof(uint64_t) <= stack_end && r.count < kMostAddresses)
      if (const uint64_t word = next(); word > 4096 && modules.contains(word)) addresses[r.count++] = word;
    memcpy(out + size, &r, sizeof r);
    memcpy(out + size + sizeof r, addresses, r.count * sizeof *addresses);
    size += sizeof r + r.count * sizeof *addresses;
  }
  __atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
  return size;
}

}  // namespace einkorn::record
