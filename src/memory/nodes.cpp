#include "memory/nodes.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>

#include "machine/types.h"
#include "memory/arena.h"
#include "memory/next_touch.h"
#include "memory/scalars.h"

namespace einkorn::memory {

Hooks g_hooks;

namespace {

std::atomic<const Nodes*> g_nodes{nullptr};

Nodes* read_nodes() {
  const machine::Machine& m = machine::this_machine();
  auto* n = static_cast<Nodes*>(calloc(1, sizeof(Nodes)));
  auto* os = static_cast<int*>(malloc(sizeof(int) * kMaxNodes * 3));
  if (!n || !os) return nullptr;
  int* of_os = os + kMaxNodes;
  for (int i = 0; i < kMaxNodes; ++i) os[i] = i, of_os[i] = -1;
  n->count = m.node_count() < 1 ? 1 : m.node_count() > kMaxNodes ? kMaxNodes : m.node_count();
  n->real = m.real;
  for (int i = 0; i < n->count && i < m.node_count(); ++i) {
    if (m.nodes[size_t(i)].os >= 0 && m.nodes[size_t(i)].os < kMaxNodes) os[i] = m.nodes[size_t(i)].os;
    of_os[os[i]] = i;
  }
  for (const machine::Pu& pu : m.pus) n->with_cpus.add(pu.node);
  if (n->with_cpus.empty()) n->with_cpus.add(0);
  int* turn = of_os + kMaxNodes;
  for (int node = n->with_cpus.next(0); node >= 0; node = n->with_cpus.next(node + 1)) turn[n->turns++] = node;
  n->turn = turn;
  n->line = m.real ? 0 : size_t(m.unit_bytes);
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  n->unit = m.real || m.page_bytes < page || m.page_bytes % page ? page : size_t(m.page_bytes);
  n->os = os;
  n->of_os = of_os;
  return n;
}

}  // namespace

const Nodes& nodes() {
  const Nodes* n = g_nodes.load(std::memory_order_acquire);  // its contents; pairs with the exchange below
  if (n) return *n;
  Nodes* const read = read_nodes();
  const Nodes* before = nullptr;
  static const int zero[kMaxNodes] = {};
  static const Nodes one = {1, false, 4096, 0, zero, 1, {}, zero, zero};  // no memory for a table: treated as one node
  if (!read) return one;
  if (g_nodes.compare_exchange_strong(before, read, std::memory_order_acq_rel)) return *read;
  free(const_cast<int*>(read->os));  // two threads have read it at once
  free(read);
  return *before;
}

int current_node() {
  int node = g_hooks.current_node ? g_hooks.current_node() : -1;
  if (node >= nodes().count) node = -1;
  return node < 0 && nodes().count == 1 ? 0 : node;
}

NodeSet team_nodes() {
  NodeSet set;
  if (g_hooks.team_nodes) g_hooks.team_nodes(&set);
  return set.empty() ? nodes().with_cpus : set;
}

void cannot_place(int error) {
  static std::atomic<bool> said{false};
  if (said.exchange(true, std::memory_order_relaxed) || !g_hooks.warn) return;
  char text[512];
  const char* advice = error == EPERM
                           ? ". In a container it needs the capability SYS_NICE, or a seccomp profile that allows "
                             "mbind and move_pages"
                           : "";
  snprintf(text, sizeof text,
           "memory cannot be placed on a node of this machine (%s): it stays where the system puts it%s",
           strerror(error), advice);
  g_hooks.warn(text);
}

void reset_locks_in_child() {
  arena_reset_locks();
  next_touch_reset_lock();
  scalars_reset_lock();
}

}  // namespace einkorn::memory
