#include "record/meta.h"
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>
#include "base/cpus.h"
#include "record/file_name.h"
#include "record/recorder.h"

namespace einkorn::record {

namespace {

// Length of the well-formed UTF-8 sequence at p (RFC 3629: no overlong forms, no surrogates), or 0.
int utf8_length(const unsigned char* p, const unsigned char* end) {
  auto continuation = [&](int i) { return p + i < end && (p[i] & 0xc0) == 0x80; };
  if (p[0] < 0x80) return 1;
  if (p[0] >= 0xc2 && p[0] < 0xe0) return continuation(1) ? 2 : 0;
  if (p[0] >= 0xe0 && p[0] < 0xf0) {
    if (!continuation(1) || !continuation(2)) return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0)) return 0;
    return 3;
  }
  if (p[0] >= 0xf0 && p[0] < 0xf5) {
    if (!continuation(1) || !continuation(2) || !continuation(3)) return 0;
    if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90)) return 0;
    return 4;
  }
  return 0;
}

struct Object {
  TextBuffer& out;
  bool first = true;
  void key(const char* name, size_t bytes) {
    if (!first) out.put(',');
    first = false;
    put_json_string(out, name, bytes);
    out.put(':');
  }
  void text(const char* name, const char* value) {
    key(name, strlen(name));
    put_json_string(out, value, strlen(value));
  }
  void number(const char* name, uint64_t value) {
    key(name, strlen(name));
    out.number(value);
  }
};

void put_arguments(Object& o) {
  constexpr size_t kMax = 64 << 10;  // longer command lines are cut, and marked as cut
  auto line = static_cast<char*>(map_memory(kMax));
  if (!line) return;
  ssize_t n = read_file("/proc/self/cmdline", line, kMax - 1);
  if (n > 0) {
    bool cut = size_t(n) == kMax - 1;
    line[n] = 0;
    o.text("program", line);
    o.key("argv", 4);
    o.out.put('[');
    for (char *p = line, *end = line + n; p < end; p += strlen(p) + 1) {
      if (p != line) o.out.put(',');
      put_json_string(o.out, p, strlen(p));
    }
    o.out.put(']');
    if (cut) {
      o.key("argv_truncated", 14);
      o.out.put("true");
    }
  }
  unmap_memory(line, kMax);
}

// The variables that control OpenMP: the program's behaviour depends on them. Not the others, which may hold secrets.
void put_environment(Object& o) {
  o.key("environment", 11);
  o.out.put('{');
  Object names{o.out};
  for (char** e = environ; e && *e; ++e) {
    bool ours = false;
    for (const char* prefix : {"OMP_", "GOMP_", "KMP_", "EINKORN_"}) ours |= strncmp(*e, prefix, strlen(prefix)) == 0;
    const char* equals = strchr(*e, '=');
    // A tenth of the room is kept for the fields that follow.
    if (!ours || !equals || strlen(*e) > 4096 || o.out.room() < 32768) continue;
    names.key(*e, size_t(equals - *e));
    put_json_string(o.out, equals + 1, strlen(equals + 1));
  }
  o.out.put('}');
}

// `record --baseline` timed the program on its own runtime: NS@PID, PID being the process that starts the program.
// Programs started further down were not timed by themselves, and have no baseline.
uint64_t baseline_ns() {
  const char* text = getenv("EINKORN_RECORD_BASELINE");
  if (!text) return 0;
  char* end;
  uint64_t ns = strtoull(text, &end, 10);
  return *end == '@' && strtol(end + 1, nullptr, 10) == getppid() ? ns : 0;
}

// The cost of reading the time of an event, in 10^-12 s: the least of a few, as interrupts disturb some.
uint64_t stamp_ps() {
  constexpr int kStamps = 32;
  uint64_t best = ~0ull;
  for (int i = 0; i < 8; ++i) {
    const uint64_t begin = ticks();
    uint64_t end = begin;
    for (int k = 0; k < kStamps; ++k) end = ticks();
    best = std::min(best, end - begin);
  }
  return uint64_t((unsigned __int128)best * 1'000'000'000'000u / kStamps / ticks_per_second());
}

// Nodes online, from a list such as "0-3,5".
uint32_t numa_nodes() {
  char list[1024];
  ssize_t n = read_file("/sys/devices/system/node/online", list, sizeof list - 1);
  if (n <= 0) return 0;
  list[n] = 0;
  uint32_t count = 0;
  for (char* p = list; *p >= '0' && *p <= '9';) {
    unsigned long first = strtoul(p, &p, 10), last = first;
    if (*p == '-') last = strtoul(p + 1, &p, 10);
    if (last >= first) count += uint32_t(last - first + 1);
    if (*p == ',') ++p;
  }
  return count;
}

}  // namespace

void put_json_string(TextBuffer& out, const char* text, size_t bytes) {
  static const char kHex[] = "0123456789abcdef";
  out.put('"');
  auto p = reinterpret_cast<const unsigned char*>(text), end = p + bytes;
  while (p < end) {
    int length = utf8_length(p, end);
    if (length == 0) {
      out.put("\xef\xbf\xbd");
      ++p;
    } else if (length > 1) {
      for (; length; --length) out.put(char(*p++));
    } else {
      unsigned char c = *p++;
      if (c == '"' || c == '\\') {
        out.put('\\');
        out.put(char(c));
      } else if (c < 0x20 || c == 0x7f) {
        out.put("\\u00");
        out.put(kHex[c >> 4]);
        out.put(kHex[c & 15]);
      } else {
        out.put(char(c));
      }
    }
  }
  out.put('"');
}

void describe_process(TextBuffer& out, const Options& options) {
  out.put('{');
  Object o{out};
  o.text("runtime", options.runtime ? options.runtime : "einkorn " EINKORN_VERSION);
  if (options.absent) o.text("absent", options.absent);
  if (const auto& m = options.machine; m.name) {
    o.key("machine", 7);
    out.put('{');
    Object machine{out};
    machine.text("name", m.name);
    machine.text("source", m.source ? m.source : "");
    machine.number("cpus", uint64_t(m.cpus));
    machine.number("nodes", uint64_t(m.nodes));
    out.put("}");
    o.key("times_valid", 11);
    out.put("false");
  }
  if (g_process.accesses) {
    o.key("accesses", 8);
    out.put('{');
    Object accesses{out};
    accesses.number("cache_bytes", g_process.accesses->cache_bytes());
    out.put('}');
  }
  if (const Process& g = g_process; g.counters.count + g.absent_count > 0) {
    o.key("counters", 8);
    out.put('[');
    for (int i = 0; i < g.counters.count; ++i) {
      if (i) out.put(',');
      const char* key = counter_info(g.counters.counters[i]).key;
      put_json_string(out, key, strlen(key));
    }
    out.put(']');
    o.key("absent_counters", 15);
    out.put('{');
    Object absent{out};
    for (int i = 0; i < g.absent_count; ++i)
      absent.text(counter_info(g.absent_counters[i].counter).key, kAbsenceNames[int(g.absent_counters[i].why)]);
    out.put('}');
  }
  o.number("pid", uint64_t(getpid()));
  if (mpi_rank() >= 0) o.number("rank", uint64_t(mpi_rank()));

  char text[PATH_MAX];
  if (gethostname(text, sizeof text - 1) == 0) o.text("host", text);
  const uint64_t started_ns = g_process.start_anchor.realtime_ns;
  const auto started = time_t(started_ns / 1'000'000'000);
  tm utc;
  gmtime_r(&started, &utc);
  size_t n = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  snprintf(text + n, sizeof text - n, ".%03dZ", int(started_ns / 1'000'000 % 1000));
  o.text("started", text);
  if (uint64_t ns = baseline_ns()) o.number("baseline_ns", ns);
  o.number("cpus", uint64_t(process_cpus().count()));
  o.number("stamp_ps", stamp_ps());
  if (uint32_t nodes = numa_nodes()) o.number("nodes", nodes);
  if (getcwd(text, sizeof text)) o.text("cwd", text);
  ssize_t length = readlink("/proc/self/exe", text, sizeof text - 1);
  if (length > 0) {
    text[length] = 0;
    o.text("executable", text);
  }
  put_arguments(o);
  put_environment(o);
  out.put('}');
}

}  // namespace einkorn::record
