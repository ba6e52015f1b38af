// The page map (src/memory) compared with the kernel's answers, on the emulated machine: pages touched, moved behind
// its back, freed and mapped again. Linked with the folder's library, without the runtime.
#include <ctime>
#include <initializer_list>

#include "memory/distribution.h"
#include "memory/page_map.h"
#include "programs/numa_check.h"

namespace memory = einkorn::memory;

namespace {

constexpr size_t kPages = 300;

// Does the map agree with the kernel on every page?
bool agrees(const char* p) {
  uint64_t real[kNodes] = {}, mapped[kNodes] = {};
  for (size_t i = 0; i < kPages; ++i)
    if (int node = page_node(p + i * kPage); node >= 0) real[node] += kPage;
  memory::bytes_per_node(p, kPages * kPage, mapped);
  return memcmp(real, mapped, sizeof real) == 0;
}

bool agrees_in_time(const char* p) {
  for (int i = 0; i < 300; ++i, usleep(10'000))
    if (agrees(p)) return true;
  return false;
}

void touch(char* p, size_t from, size_t end, int node) {
  go_to_node(node);
  for (size_t i = from; i < end; ++i) p[i * kPage] = 1;
}

void behind_its_back(char* p, int node) {
  static void* pages[kPages];
  static int wanted[kPages], status[kPages];
  for (size_t i = 0; i < kPages; ++i) pages[i] = p + i * kPage, wanted[i] = node;
  CHECK_EQUAL(syscall(SYS_move_pages, 0, kPages, pages, wanted, status, 2), 0);
}

}  // namespace

int main() {
  char* p = fresh_pages(kPages);
  CHECK(agrees(p));  // nothing
  touch(p, 0, 100, 1);
  CHECK(agrees(p));
  touch(p, 100, kPages, 2);
  CHECK(agrees(p));
  CHECK_EQUAL(memory::node_of(p), 1);
  for (int i = 0; i < 50; ++i, usleep(10'000)) CHECK(agrees(p));  // long enough to be believed for longer
  CHECK_EQUAL(memory::migrate(p + 50 * kPage, 100 * kPage, 3), 0);
  CHECK(agrees(p));  // at once
  behind_its_back(p, 0);
  CHECK(agrees_in_time(p));
  CHECK_EQUAL(memory::node_of(p + 299 * kPage), 0);
  munmap(p, kPages * kPage);
  char* again = static_cast<char*>(mmap(p, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
  madvise(again, kPages * kPage, MADV_NOHUGEPAGE);
  touch(again, 0, kPages, 2);
  CHECK(agrees_in_time(again));
  for (memory::Layout layout : {memory::Layout::fine, memory::Layout::coarse, memory::Layout::blocked}) {
    char* q = static_cast<char*>(memory::distribute(kPages * kPage, layout));
    uint64_t before[kNodes] = {}, after[kNodes] = {};
    memory::bytes_per_node(q, kPages * kPage, before);  // known before there is anything
    touch(q, 0, kPages, 3);
    CHECK(agrees(q));
    memory::bytes_per_node(q, kPages * kPage, after);
    CHECK(memcmp(before, after, sizeof before) == 0);
    memory::give_back(q);
    CHECK_EQUAL(memory::node_of(q), -1);
  }
  return check_end();
}
