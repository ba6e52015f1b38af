#include "machine/describe.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "machine/near.h"
#include "machine/text.h"
#include "machine/tour.h"

namespace einkorn::machine {

namespace {

constexpr int kShownNodes = 32;  // of a table: a wider one is unreadable on a terminal

std::string plural(int n, const char* one) { return text("%d %s%s", n, one, n == 1 ? "" : "s"); }

// CPUs of a socket on a node: their numbers, cores and caches.
std::string cpus_text(const Machine& m, int socket, int node) {
  std::vector<int> cpus, cores, llcs;
  for (const Pu& p : m.pus) {
    if (p.socket != socket || p.node != node) continue;
    cpus.push_back(p.os);
    if (cores.empty() || cores.back() != p.core) cores.push_back(p.core);
    if (llcs.empty() || llcs.back() != p.llc) llcs.push_back(p.llc);
  }
  if (cpus.empty()) return "";
  std::sort(cpus.begin(), cpus.end());
  return text("%s%s, CPUs %s\n", plural(int(cores.size()), "core").c_str(),
              llcs.size() > 1 ? text(" in %zu caches", llcs.size()).c_str() : "", list_text(cpus).c_str());
}

void put_structure(std::string& out, const Machine& m) {
  for (int socket = 0; socket < m.sockets; ++socket) {
    out += text("socket %d\n", socket);
    for (int node = 0; node < m.node_count(); ++node) {
      const Node& n = m.nodes[size_t(node)];
      const std::string cpus = cpus_text(m, socket, node);
      if (n.socket != socket) {
        if (!cpus.empty()) out += text("  no memory of its own; node %d is the nearest: ", node) + cpus;
        continue;
      }
      out += text("  node %d", node);
      if (n.os != node) out += text(" (the system's %d)", n.os);
      if (n.memory_bytes) out += text(", %s", bytes_text(n.memory_bytes).c_str());
      out += cpus.empty() ? ": memory only\n" : ": " + cpus;
    }
  }
}

void put_table(std::string& out, const char* title, const std::vector<float>& values, int nodes, double unit,
               int digits) {
  if (values.empty() || nodes < 1) return;
  const int shown = std::min(nodes, kShownNodes);
  out += text("\n%s\n", title);
  size_t width = 4;
  for (float v : values) width = std::max(width, text("%.*f", digits, double(v) / unit).size() + 1);
  out += "     ";
  for (int b = 0; b < shown; ++b) out += text("%*d", int(width), b);
  out += "\n";
  for (int a = 0; a < shown; ++a) {
    out += text("%5d", a);
    for (int b = 0; b < shown; ++b)
      out += text("%*.*f", int(width), digits, double(values[size_t(a * nodes + b)]) / unit);
    out += "\n";
  }
  if (shown < nodes) out += text("  (%d of %d nodes; --json has all)\n", shown, nodes);
}

void put_tour(std::string& out, const Machine& m) {
  Tour t = place_tour(m);
  if (t.nodes.size() < 2) return;
  std::string round;
  for (int node : t.nodes) {
    round += text(" %d", node);
  }
  out += '\n';
  out += wrapped(text("Places go round the nodes%s: length %g, %s", round.c_str(), t.length, t.how), 110);
  if (t.shortest) out += "(no round is shorter)\n";
}

}  // namespace

std::string bytes_text(uint64_t bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double v = double(bytes);
  int unit = 0;
  while (v >= 1024 && unit < 4) v /= 1024, ++unit;
  return text(v < 100 && v != std::floor(v) ? "%.1f %s" : "%.0f %s", v, units[unit]);
}

std::string rate_text(double rate) { return text(rate < 1e10 ? "%.1f GB/s" : "%.0f GB/s", rate / 1e9); }

std::string list_text(const std::vector<int>& numbers) {
  std::string out;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    out += text("%s%d", out.empty() ? "" : ",", numbers[i]);
    if (end - i > 1) out += text(end - i > 2 ? "-%d" : ",%d", numbers[end - 1]);
    i = end;
  }
  return out;
}

std::string describe(const Machine& m) {
  std::string out = text("%s: %s on %s, %s, %s, %s\n", m.name.c_str(), plural(m.pu_count(), "CPU").c_str(),
                         plural(m.cores, "core").c_str(), plural(m.llcs, "last-level cache").c_str(),
                         plural(m.node_count(), "NUMA node").c_str(), plural(m.sockets, "socket").c_str());
  if (!m.note.empty()) out += wrapped(m.note, 110);
  std::string caches;
  for (auto [name, bytes] : data_caches(m))
    if (bytes) caches += text("%s%s %s", caches.empty() ? "" : ", ", name, bytes_text(bytes).c_str());
  if (!caches.empty()) out += "data caches, each: " + caches + "\n";
  out += "\n";
  put_structure(out, m);
  const int n = m.node_count();
  bool whole = std::all_of(m.distance.begin(), m.distance.end(), [](float v) { return v == std::floor(v); });
  if (n > 1)
    put_table(out,
              m.distance_measured
                  ? "distances, measured (from the row's node to the column's memory; own = 10)"
                  : "distances, as the system tells them (from the row's node to the column's memory; own = 10)",
              m.distance, n, 1, whole ? 0 : 1);
  put_table(out, "latency of a load, ns", m.latency_ns, n, 1, 0);
  put_table(out, "bandwidth of all cores of a node, reading, GB/s", m.bandwidth, n, 1e9, 1);
  put_table(out, "bandwidth of one core, reading, GB/s", m.bandwidth_one, n, 1e9, 1);
  put_table(out, "bandwidth of all cores of a node, writing, GB/s", m.write_bandwidth, n, 1e9, 1);
  put_table(out, "bandwidth of one core, writing, GB/s", m.write_bandwidth_one, n, 1e9, 1);
  if (!m.measured.empty()) {
    out += "\nmeasured\n";
    size_t width = 0;
    for (const Measured& v : m.measured) width = std::max(width, v.name.size());
    for (const Measured& v : m.measured) {
      bool rate = v.name.find("bandwidth") != std::string::npos || v.name.find("first_touch") != std::string::npos;
      out += text("  %-*s %s\n", int(width), v.name.c_str(),
                  rate ? rate_text(v.value).c_str() : text("%.6g", v.value).c_str());
    }
  }
  put_tour(out, m);
  return out;
}

}  // namespace einkorn::machine
