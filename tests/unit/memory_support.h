// A machine of four nodes with two cores each that is not this computer: pages are where the page map says.
#pragma once
#include <gtest/gtest.h>
#include <cstring>
#include <sys/mman.h>
#include <vector>

#include "machine/load.h"
#include "memory/distribution.h"
#include "memory/nodes.h"
#include "memory/page_map.h"
#include "memory/pages.h"

namespace memory = einkorn::memory;
using memory::Layout;

inline constexpr int kNodes = 4;
inline constexpr size_t kPage = 4096;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr int kSlower = 10;  // fewer rounds if each system call and each page costs so much more
#else
inline constexpr int kSlower = 1;
#endif

inline thread_local int t_node = 0;  // of the thread, for the hook
inline memory::NodeSet g_team;

class Memory : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    einkorn::machine::ask_for("numa:4 core:2");
    memory::g_hooks.current_node = [] { return t_node; };
    memory::g_hooks.team_nodes = [](memory::NodeSet* set) {
      for (int n = g_team.next(0); n >= 0; n = g_team.next(n + 1)) set->add(n);
    };
    ASSERT_EQ(memory::nodes().count, kNodes);
    ASSERT_FALSE(memory::nodes().real);
  }
  void SetUp() override { t_node = 0, g_team = {}; }

  static char* fresh(size_t pages) {
    void* p = mmap(nullptr, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(p, MAP_FAILED);
    memset(p, 1, pages * kPage);
    return static_cast<char*>(p);
  }
  static void drop(char* p, size_t pages) {
    memory::forget(p, pages * kPage);
    munmap(p, pages * kPage);
  }
  static std::vector<uint64_t> bytes_on(const void* p, size_t bytes) {
    std::vector<uint64_t> on(kNodes);
    memory::bytes_per_node(p, bytes, on.data());
    return on;
  }
  // Only bytes that the coarse layout has put there.
  static std::vector<uint64_t> coarse_on(const void* p, size_t bytes) {
    std::vector<uint64_t> all(kNodes), coarse(kNodes);
    memory::bytes_per_node(p, bytes, all.data(), coarse.data());
    return coarse;
  }
  using Bytes = std::vector<uint64_t>;
};
