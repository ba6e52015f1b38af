// Writes a Machine as the JSON that model_read.cpp reads. It is written by hand so that each row of a table is one
// line.
#include <cstdlib>

#include "machine/load.h"
#include "machine/text.h"

namespace einkorn::machine {

namespace {

std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (char c : utf8(s)) {
    if (c == '"' || c == '\\') out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20) out += text("\\u%04x", c);
    else out += c;
  }
  return out + "\"";
}

// Shortest form that gives the same float.
std::string number(float v) {
  for (int digits = 1; digits < 9; ++digits)
    if (std::string s = text("%.*g", digits, double(v)); strtof(s.c_str(), nullptr) == v) return s;
  return text("%.9g", double(v));
}

void put_matrix(std::string& out, const char* name, const std::vector<float>& values, size_t nodes) {
  if (values.empty()) return;
  out += text(",\n  \"%s\": [", name);
  for (size_t a = 0; a < nodes; ++a) {
    out += a ? ",\n    [" : "\n    [";
    for (size_t b = 0; b < nodes; ++b) out += (b ? ", " : "") + number(values[a * nodes + b]);
    out += "]";
  }
  out += "]";
}

}  // namespace

std::string to_json(const Machine& m) {
  std::string out = "{\n  \"einkorn_machine\": 1,\n  \"name\": " + quoted(m.name);
  if (!m.note.empty()) out += ",\n  \"note\": " + quoted(m.note);
  for (auto& [name, bytes] : {std::pair{"l1_bytes", m.l1_bytes}, {"l2_bytes", m.l2_bytes}, {"llc_bytes", m.llc_bytes}})
    if (bytes) out += text(",\n  \"%s\": %llu", name, static_cast<unsigned long long>(bytes));
  out += text(",\n  \"page_bytes\": %llu", static_cast<unsigned long long>(m.page_bytes));
  if (m.unit_bytes) out += text(",\n  \"unit_bytes\": %llu", static_cast<unsigned long long>(m.unit_bytes));
  out += ",\n  \"nodes\": [";
  for (size_t i = 0; i < m.nodes.size(); ++i) {
    const Node& n = m.nodes[i];
    out += text("%s\n    {\"os\": %d, \"socket\": %d", i ? "," : "", n.os, n.socket);
    if (n.memory_bytes) out += text(", \"memory_bytes\": %llu", static_cast<unsigned long long>(n.memory_bytes));
    out += "}";
  }
  // [os, core, llc, node, socket]
  out += "],\n  \"pus\": [";
  for (size_t i = 0; i < m.pus.size(); ++i) {
    const Pu& p = m.pus[i];
    bool line = i == 0 || m.pus[i - 1].core != p.core;
    out += text("%s%s[%d, %d, %d, %d, %d]", i ? "," : "", line ? "\n    " : " ", p.os, p.core, p.llc, p.node, p.socket);
  }
  out += "]";
  const size_t nodes = m.nodes.size();
  put_matrix(out, "distance", m.distance, nodes);
  out += text(",\n  \"distance_measured\": %s", m.distance_measured ? "true" : "false");
  put_matrix(out, "latency_ns", m.latency_ns, nodes);
  put_matrix(out, "bandwidth", m.bandwidth, nodes);
  put_matrix(out, "bandwidth_one", m.bandwidth_one, nodes);
  put_matrix(out, "write_bandwidth", m.write_bandwidth, nodes);
  put_matrix(out, "write_bandwidth_one", m.write_bandwidth_one, nodes);
  if (!m.measured.empty()) {
    out += ",\n  \"measured\": {";
    for (size_t i = 0; i < m.measured.size(); ++i)
      out += text("%s\n    %s: %.9g", i ? "," : "", quoted(m.measured[i].name).c_str(), m.measured[i].value);
    out += "}";
  }
  return out + "\n}\n";
}

}  // namespace einkorn::machine
