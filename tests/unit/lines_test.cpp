// Machines whose cache lines have homes (unit_bytes of a model, as the TILEPro64 has): memory that no call of ours has
// put on a node lies on all of them, line by line in turn. A program of its own, as a process has one machine.
#include "memory_support.h"

#include <cstdio>
#include <unistd.h>

namespace {

class Lines : public Memory {
 protected:
  static void SetUpTestSuite() {
    char name[] = "/tmp/einkorn_lines_XXXXXX.json";
    int file = mkstemps(name, 5);
    ASSERT_GE(file, 0);
    const char model[] = R"({"einkorn_machine": 1, "tree": "numa:4 core:2", "unit_bytes": 64})";
    ASSERT_EQ(write(file, model, sizeof model - 1), ssize_t(sizeof model - 1));
    close(file);
    einkorn::machine::ask_for(name);
    memory::g_hooks.current_node = [] { return t_node; };
    ASSERT_EQ(memory::nodes().count, kNodes);
    ASSERT_EQ(memory::nodes().line, 64u);
    unlink(name);
  }
};

}  // namespace

TEST_F(Lines, WhatIsNotPlacedLiesOnAllNodes) {
  char* p = fresh(3);  // of whole rounds of 4 x 64
  EXPECT_EQ(bytes_on(p, 3 * kPage), (Bytes(4, 3 * kPage / 4)));
  EXPECT_EQ(bytes_on(p, 64), (Bytes{64, 0, 0, 0}));
  EXPECT_EQ(bytes_on(p + 64 + 60, 8), (Bytes{0, 4, 4, 0}));
  EXPECT_EQ(bytes_on(p + 32, 256 + 64 + 10), (Bytes{32 + 64, 64 + 42, 64, 64}));
  EXPECT_EQ(bytes_on(p + kPage - 64, 128), (Bytes{64, 0, 0, 64}));
  EXPECT_EQ(memory::node_of(p + 130), 2);
  memory::note_touch(p, 3 * kPage, 1);  // who touches it first changes nothing
  EXPECT_EQ(bytes_on(p, 3 * kPage), (Bytes(4, 3 * kPage / 4)));
  memory::place(p + kPage, kPage, 3);
  EXPECT_EQ(bytes_on(p, 3 * kPage), (Bytes{2 * kPage / 4, 2 * kPage / 4, 2 * kPage / 4, 2 * kPage / 4 + kPage}));
  drop(p, 3);
}

TEST_F(Lines, PoliciesOfTheWork) {
  constexpr size_t kBytes = 40 * 256;
  void* fine = memory::distribute(kBytes, Layout::fine, true);
  EXPECT_EQ(uintptr_t(fine) % 64, 0u);
  EXPECT_EQ(static_cast<char*>(fine)[kBytes - 1], 0);
  EXPECT_EQ(bytes_on(fine, kBytes), (Bytes(4, kBytes / 4)));
  void* one = memory::distribute(kBytes, Layout::coarse);
  void* next = memory::distribute(kBytes, Layout::coarse);
  const int node = memory::node_of(one);
  ASSERT_GE(node, 0);
  Bytes want(4), want_next(4);
  want[size_t(node)] = kBytes;
  want_next[size_t(node + 1) % 4] = kBytes;
  EXPECT_EQ(bytes_on(one, kBytes), want);
  EXPECT_EQ(bytes_on(next, kBytes), want_next);
  EXPECT_EQ(coarse_on(one, kBytes), want);
  EXPECT_EQ(coarse_on(fine, kBytes), (Bytes(4)));
  for (void* p : {fine, one, next}) memory::give_back(p);
}
