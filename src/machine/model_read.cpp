// Model files: the document of docs/machines.md, as `einkorn machine --json` prints it.
#include <cmath>
#include <limits>

#include "machine/load.h"
#include "machine/text.h"
#include "machine/tree.h"

// The library under another namespace. This copy is built without exceptions and streams, the report's with them, and
// the linker must not mix the two in one program. (The library's own way to rename itself does not work in the version
// that Debian 12 has.)
#define JSON_NO_IO 1
#define JSON_USE_IMPLICIT_CONVERSIONS 0
#define nlohmann einkorn_machine_json
#include <nlohmann/json.hpp>

namespace einkorn::machine {

namespace {

using json = einkorn_machine_json::json;

constexpr const char* kFields[] = {"einkorn_machine",
                                   "name",
                                   "note",
                                   "tree",
                                   "pus",
                                   "nodes",
                                   "memory_bytes",
                                   "l1_bytes",
                                   "l2_bytes",
                                   "llc_bytes",
                                   "page_bytes",
                                   "unit_bytes",
                                   "distance",
                                   "distance_measured",
                                   "latency_ns",
                                   "bandwidth",
                                   "bandwidth_one",
                                   "write_bandwidth",
                                   "write_bandwidth_one",
                                   "measured"};

// Ignores the contents, and keeps the parser's error message (parse() without exceptions tells only that there is an
// error).
struct FirstError final : einkorn_machine_json::json_sax<json> {
  std::string message;
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t, const std::string&, const einkorn_machine_json::detail::exception& e) override {
    message = e.what();
    // "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error while ..."
    if (size_t at = message.find("at line"); at != std::string::npos) message = message.substr(at);
    for (char& c : message)
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    return false;
  }
};

class Reader {
 public:
  Reader(const json& document, std::string* why) : document_(document), why_(why) {}

  bool fail(const std::string& what) {
    *why_ = what;
    return false;
  }

  const json* field(const char* name) const {
    auto at = document_.find(name);
    return at == document_.end() ? nullptr : &*at;
  }

  bool text_field(const char* name, std::string* out) {
    const json* v = field(name);
    if (!v) return true;
    if (!v->is_string()) return fail(text("%s is not a text", name));
    *out = *v->get_ptr<const std::string*>();
    return true;
  }

  bool bytes_field(const char* name, uint64_t* out) {
    const json* v = field(name);
    return !v || whole(*v, name, kMostMemory, out);
  }

  template <class Int>
  bool whole(const json& v, const std::string& where, uint64_t most, Int* out) {
    if (!v.is_number_unsigned() || v.get<uint64_t>() > most)
      return fail(
          text("%s is not a whole number from 0 to %llu", where.c_str(), static_cast<unsigned long long>(most)));
    *out = Int(v.get<uint64_t>());
    return true;
  }

  // nodes x nodes positive numbers, each row a list.
  bool matrix(const char* name, size_t nodes, std::vector<float>* out) {
    const json* v = field(name);
    if (!v) return true;
    if (!v->is_array() || v->size() != nodes)
      return fail(text("%s is not a list of %zu rows, one for each node", name, nodes));
    for (size_t a = 0; a < nodes; ++a) {
      const json& row = (*v)[a];
      if (!row.is_array() || row.size() != nodes)
        return fail(text("%s: row %zu is not a list of %zu numbers, one for each node", name, a, nodes));
      for (size_t b = 0; b < nodes; ++b) {
        double d = row[b].is_number() ? row[b].get<double>() : 0;
        if (!(d > 0 && d < 1e30)) return fail(text("%s: row %zu, column %zu is not a number above 0", name, a, b));
        out->push_back(float(d));
      }
    }
    return true;
  }

  bool pus(Machine& m);
  bool nodes(Machine& m);
  bool measured(Machine& m);
  bool known_fields();
  bool tree(Machine& m);

 private:
  const json& document_;
  std::string* why_;
};

bool Reader::known_fields() {
  for (auto at = document_.begin(); at != document_.end(); ++at) {
    bool known = false;
    Nearest nearest(at.key());
    for (const char* f : kFields) known |= at.key() == f, nearest.offer(f);
    if (!known) return fail(text("there is no field \"%.60s\".%s", at.key().c_str(), nearest.question().c_str()));
  }
  const json* version = field("einkorn_machine");
  if (!version) return fail("it has no \"einkorn_machine\": 1, by which a model file is known");
  if (!version->is_number_unsigned() || version->get<uint64_t>() != 1)
    return fail("\"einkorn_machine\" is not 1, the only form of model files that this version of Einkorn knows");
  return true;
}

bool Reader::pus(Machine& m) {
  const json* v = field("pus");
  if (!v->is_array() || v->empty() || v->size() > size_t(kMostPus))
    return fail(text("pus is not a list of 1 to %d CPUs", kMostPus));
  for (size_t i = 0; i < v->size(); ++i) {
    const json& entry = (*v)[i];
    if (!entry.is_array() || entry.size() != 5)
      return fail(text("pus: entry %zu is not [os, core, llc, node, socket]", i));
    Pu p;
    int32_t* const to[] = {&p.os, &p.core, &p.llc, &p.node, &p.socket};
    for (size_t k = 0; k < 5; ++k)
      if (!whole(entry[k], text("pus: entry %zu, number %zu", i, k), uint64_t(kMaxCpus) - 1, to[k])) return false;
    m.pus.push_back(p);
  }
  return true;
}

bool Reader::nodes(Machine& m) {
  const json* v = field("nodes");
  if (!v) {
    // Without nodes of its own: as many as the CPUs name.
    int32_t most = 0;
    for (const Pu& p : m.pus) most = std::max(most, p.node);
    if (most >= kMostNodes) return fail(text("it has %d NUMA nodes; %d are the most", most + 1, kMostNodes));
    if (m.nodes.empty()) {
      m.nodes.resize(size_t(most) + 1);
      for (int32_t i = 0; i <= most; ++i) m.nodes[size_t(i)].os = i;
      for (auto p = m.pus.rbegin(); p != m.pus.rend(); ++p) m.nodes[size_t(p->node)].socket = p->socket;
    }
    return true;
  }
  if (!v->is_array() || v->empty() || v->size() > size_t(kMostNodes))
    return fail(text("nodes is not a list of 1 to %d nodes", kMostNodes));
  m.nodes.clear();
  for (size_t i = 0; i < v->size(); ++i) {
    const json& entry = (*v)[i];
    std::string where = text("nodes: entry %zu", i);
    if (!entry.is_object()) return fail(where + " is not {\"os\": ..., \"socket\": ..., \"memory_bytes\": ...}");
    Node n;
    n.os = int32_t(i);
    for (auto at = entry.begin(); at != entry.end(); ++at) {
      std::string what = where + ", " + at.key();
      if (at.key() == "os"       ? !whole(*at, what, uint64_t(kMaxCpus) - 1, &n.os)
          : at.key() == "socket" ? !whole(*at, what, uint64_t(kMaxCpus) - 1, &n.socket)
          : at.key() == "memory_bytes"
              ? !whole(*at, what, kMostMemory, &n.memory_bytes)
              : !fail(where +
                      text(": there is no field \"%.60s\"; fields are os, socket, memory_bytes", at.key().c_str())))
        return false;
    }
    m.nodes.push_back(n);
  }
  return true;
}

bool Reader::measured(Machine& m) {
  const json* v = field("measured");
  if (!v) return true;
  if (!v->is_object() || v->size() > 10000) return fail("measured is not an object of names with a number each");
  for (auto at = v->begin(); at != v->end(); ++at) {
    double d = at->is_number() ? at->get<double>() : NAN;
    if (!std::isfinite(d)) return fail(text("measured: \"%.60s\" is not a number", at.key().c_str()));
    m.measured.push_back({at.key(), d});
  }
  return true;
}

bool Reader::tree(Machine& m) {
  std::string line, what;
  if (!text_field("tree", &line)) return false;
  // Model files must not use syntax that only hwloc knows: they are read without it.
  if (read_tree(line, &m, &what) == TreeRead::good) return true;
  return fail(text("tree: \"%.200s\": %s", line.c_str(), what.c_str()));
}

bool read_model(const json& document, Machine* out, std::string* why) {
  Reader r(document, why);
  if (!document.is_object()) return r.fail("it is not a JSON object");
  if (!r.known_fields()) return false;
  if (!r.field("tree") == !r.field("pus"))
    return r.fail(r.field("tree") ? "it has both \"tree\" and \"pus\": one says what the other does"
                                  : "it has neither \"tree\" (\"socket:2 numa:1 l3:1 core:8 pu:2\") nor \"pus\"");
  Machine m;
  if (!(r.field("tree") ? r.tree(m) : r.pus(m)) || !r.nodes(m)) return false;
  uint64_t memory = 0;
  if (!r.text_field("name", &m.name) || !r.text_field("note", &m.note) || !r.bytes_field("memory_bytes", &memory) ||
      !r.bytes_field("l1_bytes", &m.l1_bytes) || !r.bytes_field("l2_bytes", &m.l2_bytes) ||
      !r.bytes_field("llc_bytes", &m.llc_bytes) || !r.bytes_field("page_bytes", &m.page_bytes) ||
      !r.bytes_field("unit_bytes", &m.unit_bytes))
    return false;
  for (Node& n : m.nodes)
    if (n.memory_bytes == 0) n.memory_bytes = memory;
  const size_t nodes = m.nodes.size();
  std::vector<float> distance;
  if (!r.matrix("distance", nodes, &distance) || !r.matrix("latency_ns", nodes, &m.latency_ns) ||
      !r.matrix("bandwidth", nodes, &m.bandwidth) || !r.matrix("bandwidth_one", nodes, &m.bandwidth_one) ||
      !r.matrix("write_bandwidth", nodes, &m.write_bandwidth) ||
      !r.matrix("write_bandwidth_one", nodes, &m.write_bandwidth_one) || !r.measured(m))
    return false;
  if (!distance.empty()) m.distance = std::move(distance);
  if (const json* measured = r.field("distance_measured")) {
    if (!measured->is_boolean()) return r.fail("distance_measured is neither true nor false");
    m.distance_measured = measured->get<bool>();
  }
  settle(&m);
  *why = broken(m);
  if (!why->empty()) return false;
  *out = std::move(m);
  return true;
}

}  // namespace

bool load_model_text(const std::string& content, const std::string& file, Machine* out, std::string* why) {
  json document = json::parse(content, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) {
    FirstError error;
    json::sax_parse(content, &error);
    *why = text("%s is not JSON: %s", file.c_str(), error.message.c_str());
    return false;
  }
  std::string what;
  if (!read_model(document, out, &what)) {
    *why = text("%s: %s", file.c_str(), what.c_str());
    return false;
  }
  out->source = file;
  if (out->name.empty()) {
    out->name = file.substr(file.rfind('/') + 1);
    if (size_t dot = out->name.rfind(".json"); dot != std::string::npos) out->name.resize(dot);
  }
  return true;
}

}  // namespace einkorn::machine
