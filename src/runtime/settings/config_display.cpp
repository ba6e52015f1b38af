// omp_display_env() and OMP_DISPLAY_ENV: the variables of config.def with their values in force.
#include <algorithm>
#include <cstdarg>
#include <cstring>

#include "base/environment.h"
#include "base/printable.h"
#include "runtime/settings/config.h"
#include "base/platform.h"
#include "schedule/shape.h"
#include "schedule/text.h"

namespace einkorn::runtime {

namespace {

constexpr size_t kRoom = 4096;

// Text being put together; what does not fit is left out.
struct Text {
  char data[kRoom] = {};
  size_t size = 0;
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(data + size, kRoom - size, format, args);
    va_end(args);
    if (n > 0) size = size + size_t(n) < kRoom ? size + size_t(n) : kRoom - 1;
  }
};

const char* name_of(ProcBind b) {
  switch (b) {
    case ProcBind::on: return "TRUE";
    case ProcBind::primary: return "PRIMARY";
    case ProcBind::close: return "CLOSE";
    case ProcBind::spread: return "SPREAD";
    default: return "FALSE";
  }
}

// One for each parser of the table, from the field that it fills.
void show_parse_num_threads(Text& t, const int* levels) {
  for (int i = 0; i < g_config.num_threads_levels; ++i) t.add(i ? ",%d" : "%d", levels[i]);
}
void show_parse_omp_schedule(Text& t, const LoopSchedule& s) {
  const char* kinds[] = {"", "STATIC", "DYNAMIC", "GUIDED", "AUTO", "TRAPEZOIDAL"};
  const char* kind = s.kind < LoopKind::own ? kinds[int(s.kind)] : schedule::kLoopRules[rule_of(s.kind)].name;
  t.add("%s%s", s.monotonic ? "MONOTONIC:" : "", kind);
  if (s.chunk > 0) t.add(",%d", s.chunk);
}
void show_parse_bool(Text& t, bool v) { t.add("%s", v ? "TRUE" : "FALSE"); }
void show_parse_warnings(Text& t, decltype(Config::warnings)) { show_parse_bool(t, g_warnings); }
void show_parse_tool(Text& t, bool v) { t.add("%s", v ? "ENABLED" : "DISABLED"); }
void show_parse_count(Text& t, int v) { t.add("%d", v); }
void show_parse_count0(Text& t, int v) { t.add("%d", v == -1 ? 0 : v); }
void show_parse_stack(Text& t, uint64_t v) { t.add("%llu", static_cast<unsigned long long>(v)); }
void show_parse_bytes(Text& t, uint64_t v) { show_parse_stack(t, v); }
void show_parse_codelets(Text& t, Codelets c) {
  static const char* const names[] = {"on", "off", "alone", "threads"};
  t.add("%s", names[int(c)]);
}
void show_parse_wait_policy(Text& t, WaitPolicy p) { t.add("%s", p == WaitPolicy::active ? "ACTIVE" : "PASSIVE"); }
void show_parse_display(Text& t, int v) { t.add("%s", v == 2 ? "VERBOSE" : v ? "TRUE" : "FALSE"); }
void show_parse_schedule(Text& t, const schedule::Schedule* s) { t.add("%s", s ? s->name : ""); }
void show_parse_amm(Text& t, const schedule::Shape& s) {
  t.add("%s", s.clusters > 0 ? schedule::shape_text(s).c_str() : "");
}
void show_parse_loop(Text& t, schedule::LoopVictim v) { t.add("%s", schedule::loop_victim_name(v)); }
void show_parse_tploop(Text& t, const schedule::LoopThresholds& l) {
  if (!l.are_set) return t.add("auto");
  t.add("%lld,%lld", static_cast<long long>(l.one), static_cast<long long>(l.codelets));
  if (l.p > 0) t.add(",%d,%d", l.p, l.q);
}
void show_parse_seconds(Text& t, uint64_t v) { t.add("%lluMS", static_cast<unsigned long long>(v / 1'000'000)); }
void show_parse_stamps(Text& t, record::Stamps s) {
  t.add("%s", s == record::Stamps::all ? "ALL" : s == record::Stamps::shared ? "SHARED" : "AUTO");
}
void show_parse_text(Text& t, const char* v) { t.add("%s", v ? v : ""); }
void show_parse_kmp_affinity(Text& t, const char* v) { show_parse_text(t, v); }
void show_parse_proc_bind(Text& t, const ProcBind* levels) {
  if (g_config.proc_bind_levels == 0) t.add("FALSE");
  for (int i = 0; i < g_config.proc_bind_levels; ++i) t.add(i ? ",%s" : "%s", name_of(levels[i]));
}
void show_parse_teams_bind(Text& t, ProcBind b) { t.add("%s", name_of(b)); }
void show_parse_allocator(Text& t, uintptr_t handle) {
  const char* names[] = {"",
                         "omp_default_mem_alloc",
                         "omp_large_cap_mem_alloc",
                         "omp_const_mem_alloc",
                         "omp_high_bw_mem_alloc",
                         "omp_low_lat_mem_alloc",
                         "omp_cgroup_mem_alloc",
                         "omp_pteam_mem_alloc",
                         "omp_thread_mem_alloc"};
  const char* text = base::environment("OMP_ALLOCATOR");
  t.add("%s", handle < sizeof names / sizeof *names ? names[handle] : text ? text : "");
}
void show_parse_target_offload(Text& t, TargetOffload v) {
  t.add("%s", v == TargetOffload::mandatory ? "MANDATORY" : v == TargetOffload::disabled ? "DISABLED" : "DEFAULT");
}
void show_parse_blocktime(Text& t, int64_t us) {
  if (us < 0) return;
  if (us >= kBlockForever) t.add("INFINITE");
  else t.add("%lldus", static_cast<long long>(us));
}
void show_parse_spin_count(Text& t, int64_t us) {
  if (us >= kBlockForever) t.add("INFINITE");
  else if (us >= 0) t.add("%lld", static_cast<long long>(us) * 100);
}
void show_parse_distribution(Text& t, memory::Layout l) {
  t.add("%s", l == memory::Layout::fine ? "FINE" : l == memory::Layout::coarse ? "COARSE" : "STANDARD");
}
void show_parse_reduction(Text& t, ForcedReduction r) {
  constexpr const char* kNames[] = {"", "critical", "atomic", "tree"};
  t.add("%s", kNames[int(r)]);
}
void show_parse_library(Text& t, int v) { t.add("%s", v == 1 ? "serial" : v == 2 ? "turnaround" : "throughput"); }

// NAME_ALL, NAME_DEV and NAME_DEV_2, as they were given: the devices that they are for are not here to say more.
void show_other_devices(const char* name) {
  if (!is_per_device(name)) return;
  const size_t length = strlen(name);
  for (const char* const* entry = base::environment_entries(); *entry; ++entry) {
    if (strncmp(*entry, name, length) != 0) continue;
    const char* rest = *entry + length;
    const char* value = strchr(rest, '=');
    if (!value) continue;
    const int number = int(value - rest) - int(sizeof "_DEV_" - 1);
    const std::string shown = printable(value + 1);
    if (!strncmp(rest, "_ALL=", 5)) fprintf(stderr, "  [all] %s = '%s'\n", name, shown.c_str());
    else if (!strncmp(rest, "_DEV=", 5)) fprintf(stderr, "  [device] %s = '%s'\n", name, shown.c_str());
    else if (!strncmp(rest, "_DEV_", 5))
      fprintf(stderr, "  [%s] %s = '%s'\n", printable({rest + 5, size_t(std::max(0, number))}).c_str(), name,
              shown.c_str());
  }
}

}  // namespace

void config_display(bool verbose) {
  const Config& c = g_config;
  fprintf(stderr, "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n");
#define EK_VARIABLE(name, field, parser, fallback, what)                         \
  if (verbose || strncmp(name, "OMP_", 4) == 0) {                                \
    Text text;                                                                   \
    show_##parser(text, c.field);                                                \
    fprintf(stderr, "  [host] %s = '%s'\n", name, printable(text.data).c_str()); \
    show_other_devices(name);                                                    \
  }
#include "runtime/settings/config.def"
#undef EK_VARIABLE
  fprintf(stderr, "OPENMP DISPLAY ENVIRONMENT END\n");
}

}  // namespace einkorn::runtime
