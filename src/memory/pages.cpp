#include "memory/pages.h"

#include "base/leaks.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Of linux/mempolicy.h, which not every system has beside its C library.
namespace {
enum { kDefault = 0, kPreferred = 1, kInterleave = 3, kMoveOwn = 2 };  // MPOL_DEFAULT, ..., MPOL_MF_MOVE
}

namespace einkorn::memory {

namespace {

// The kernel reads one bit less than it is told: an old mistake that it keeps.
constexpr unsigned long kBits = kMaxNodes + 1;

int failed(long result) { return result < 0 ? errno : 0; }

// The program's errno is not ours to change.
struct KeepErrno {
  int saved = errno;
  ~KeepErrno() { errno = saved; }
};

int bind(void* p, size_t bytes, int mode, const NodeSet& set, bool move = false) {
  KeepErrno keep;
  return failed(syscall(SYS_mbind, p, bytes, mode, set.words(), kBits, move ? kMoveOwn : 0));
}

}  // namespace

size_t page_bytes() {
  static const size_t bytes = size_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

char* map_pages(size_t bytes, size_t alignment, size_t offset) {
  size_t room;
  if (__builtin_add_overflow(bytes, alignment, &room)) return nullptr;
  KeepErrno keep;
  void* all = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return nullptr;
  uintptr_t base = uintptr_t(all), at = (base + offset + alignment - 1) / alignment * alignment - offset;
  if (at > base) munmap(all, at - base);
  if (at + bytes < base + room) munmap(reinterpret_cast<void*>(at + bytes), base + room - at - bytes);
  leaks_look_in(reinterpret_cast<void*>(at), bytes);
  return reinterpret_cast<char*>(at);
}

void unmap_pages(void* p, size_t bytes) {
  KeepErrno keep;
  leaks_look_no_more_in(p, bytes);
  munmap(p, bytes);
}

int prefer_node(void* p, size_t bytes, int node, bool move) {
  NodeSet set;
  set.add(node);
  return bind(p, bytes, kPreferred, set, move);
}

void no_huge_pages(void* p, size_t bytes) {
  KeepErrno keep;
  madvise(p, bytes, MADV_NOHUGEPAGE);  // kernels without huge pages have nothing to forbid
}

int count_mappings() {
  KeepErrno keep;
  const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  int lines = 0;
  char text[4096];
  for (ssize_t n; (n = read(fd, text, sizeof text)) > 0;)
    for (ssize_t i = 0; i < n; ++i) lines += text[i] == '\n';
  close(fd);
  return lines;
}

int drop_pages(void* p, size_t bytes) {
  KeepErrno keep;
  return failed(madvise(p, bytes, MADV_DONTNEED));
}

int interleave(void* p, size_t bytes, const NodeSet& os_nodes) {
  no_huge_pages(p, bytes);
  return bind(p, bytes, kInterleave, os_nodes);
}

PreferredNode::PreferredNode(int node) {
  KeepErrno keep;
  NodeSet set;
  set.add(node);
  error_ = failed(syscall(SYS_get_mempolicy, &mode_, mask_, kBits, nullptr, 0));
  if (!error_) error_ = failed(syscall(SYS_set_mempolicy, kPreferred, set.words(), kBits));
}

PreferredNode::~PreferredNode() {
  KeepErrno keep;
  if (!error_) syscall(SYS_set_mempolicy, mode_, mode_ == kDefault ? nullptr : mask_, mode_ == kDefault ? 0 : kBits);
}

int ask_nodes(void* const* pages, int* status, size_t count) {
  KeepErrno keep;
  return failed(syscall(SYS_move_pages, 0, count, pages, nullptr, status, 0));
}

int move_to_node(void* const* pages, int node, int* status, size_t count) {
  constexpr size_t kBatch = 256;
  int wanted[kBatch];
  KeepErrno keep;
  for (size_t i = 0; i < kBatch && i < count; ++i) wanted[i] = node;
  for (size_t done = 0; done < count; done += kBatch) {
    size_t n = count - done < kBatch ? count - done : kBatch;
    for (size_t i = 0; i < n; ++i) status[done + i] = -ENOENT;
    // A positive result is the number of pages not moved; status has each.
    long result = syscall(SYS_move_pages, 0, n, pages + done, wanted, status + done, kMoveOwn);
    // -ENOENT for the whole call: none of them has memory.
    if (result < 0 && errno != ENOENT) return errno;
  }
  return 0;
}

}  // namespace einkorn::memory
