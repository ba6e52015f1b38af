#include "runtime/settings/config.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <strings.h>

#include "base/environment.h"
#include "runtime/task/footprint.h"
#include "base/platform.h"
#include "machine/variables.h"
#include "runtime/settings/peers.h"
#include "runtime/settings/program.h"
#include "runtime/tuned/tuned.h"
#include "schedule/shape.h"
#include "schedule/text.h"

namespace einkorn::runtime {

Config g_config;

bool parse_allocator(const char* s, uintptr_t& out);  // config_allocator.cpp

namespace {

const char* skip_space(const char* s) {
  while (isspace(static_cast<unsigned char>(*s))) ++s;
  return s;
}
bool at_end(const char* s) { return *skip_space(s) == 0; }

// A whole number in [least, most] at s; moves s behind it.
bool number(const char*& s, int64_t least, int64_t most, int64_t& out) {
  s = skip_space(s);
  char* end;
  errno = 0;
  long long v = strtoll(s, &end, 10);
  if (end == s || errno == ERANGE || v < least || v > most) return false;
  s = skip_space(end);
  out = v;
  return true;
}

bool word(const char*& s, const char* w) {
  s = skip_space(s);
  size_t n = strlen(w);
  if (strncasecmp(s, w, n) != 0 || isalnum(static_cast<unsigned char>(s[n])) || s[n] == '_') return false;
  s = skip_space(s + n);
  return true;
}

template <class T>
struct Named {
  const char* name;
  T value;
};
// One of these words, and nothing else.
template <class T>
bool one_of(const char* s, std::initializer_list<Named<T>> words, T& out) {
  for (const Named<T>& w : words) {
    if (!word(s, w.name)) continue;
    if (*s) return false;
    out = w.value;
    return true;
  }
  return false;
}

// Each parser gets the text and the field; false: invalid.
bool parse_num_threads(const char* s, int (&levels)[Config::kMaxLevels]) {
  int n = 0, values[Config::kMaxLevels];
  for (;;) {
    int64_t v;
    if (!number(s, 1, 0x7fffffff, v)) return false;
    if (n < Config::kMaxLevels) values[n++] = int(v);
    if (*s == 0) break;
    if (*s++ != ',') return false;
  }
  memcpy(levels, values, sizeof(int) * size_t(n));
  g_config.num_threads_levels = n;
  return true;
}

bool parse_tool(const char* s, bool& out) {
  if (word(s, "enabled")) out = true;
  else if (word(s, "disabled")) out = false;
  else return false;
  return at_end(s);
}

bool own_rule(const char*& s, LoopKind& kind) {
  for (int i = schedule::kFirstOwnRule; i < schedule::kLoopRuleCount; ++i)
    if (word(s, schedule::kLoopRules[i].name)) return kind = own_kind(i), true;
  return false;
}

bool parse_omp_schedule(const char* s, LoopSchedule& out) {
  LoopSchedule r;
  bool modifier = false;
  if (word(s, "monotonic")) r.monotonic = modifier = true;
  else if (word(s, "nonmonotonic")) modifier = true;
  if (modifier && *s++ != ':') return false;
  if (word(s, "static")) r.kind = LoopKind::static_, r.chunk = 0;
  else if (word(s, "dynamic")) r.kind = LoopKind::dynamic;
  else if (word(s, "guided")) r.kind = LoopKind::guided;
  else if (word(s, "auto")) r.kind = LoopKind::automatic;
  // LLVM's own. It also takes static_steal for a name of nonmonotonic:dynamic.
  else if (word(s, "trapezoidal")) r.kind = LoopKind::trapezoidal;
  else if (word(s, "static_steal")) r.kind = LoopKind::dynamic, r.monotonic = false;
  else if (!own_rule(s, r.kind)) return false;
  if (*s == ',') {
    int64_t c;
    ++s;
    if (!number(s, 1, 0x7fffffff, c)) return false;
    r.chunk = int32_t(c);
  }
  if (*s) return false;
  out = r;
  return true;
}

bool parse_bool(const char* s, bool& out) {
  bool v = word(s, "true") || word(s, "1") || word(s, "yes");
  if (!v && !word(s, "false") && !word(s, "0") && !word(s, "no")) return false;
  if (*s) return false;
  out = v;
  return true;
}

bool parse_warnings(const char* s, decltype(Config::warnings)) { return parse_bool(s, g_warnings); }

bool parse_count_from(const char* s, int least, int& out) {
  // A number that is too large means the largest one, as in the peers' libraries.
  s = skip_space(s);
  char* end;
  errno = 0;
  const long long v = strtoll(s, &end, 10);  // LLONG_MAX where it does not fit
  if (end == s || v < least || !at_end(end)) return false;
  out = int(std::min<long long>(v, 0x7fffffff));
  return true;
}
bool parse_count(const char* s, int& out) { return parse_count_from(s, 1, out); }
bool parse_count0(const char* s, int& out) { return parse_count_from(s, 0, out); }

bool size_in(const char* s, uint64_t unit, uint64_t& out) {
  int64_t v;
  if (!number(s, 1, int64_t(1) << 50, v)) return false;
  switch (tolower(static_cast<unsigned char>(*s))) {
    case 'b': unit = 1, ++s; break;
    case 'k': unit = 1 << 10, ++s; break;
    case 'm': unit = 1 << 20, ++s; break;
    case 'g': unit = 1 << 30, ++s; break;
    default: break;
  }
  if (!at_end(s) || uint64_t(v) > (uint64_t(1) << 60) / unit) return false;
  out = uint64_t(v) * unit;
  return true;
}
bool parse_stack(const char* s, uint64_t& out) { return size_in(s, 1 << 10, out); }
bool parse_bytes(const char* s, uint64_t& out) { return size_in(s, 1, out); }

bool parse_codelets(const char* s, Codelets& out) {
  if (word(s, "on")) out = Codelets::on;
  else if (word(s, "off")) out = Codelets::off;
  else if (word(s, "alone")) out = Codelets::alone;
  else if (word(s, "threads")) out = Codelets::threads;
  else return false;
  return !*s;
}

bool parse_wait_policy(const char* s, WaitPolicy& out) {
  return one_of(s, {{"active", WaitPolicy::active}, {"passive", WaitPolicy::passive}}, out);
}

bool parse_display(const char* s, int& out) {
  bool v = false;
  if (word(s, "verbose")) {
    if (*s) return false;
    out = 2;
    return true;
  }
  if (!parse_bool(s, v)) return false;
  out = v;
  return true;
}

bool parse_schedule(const char* s, const schedule::Schedule*& out) {
  static schedule::Schedule chosen;
  std::string why;
  if (schedule::parse_schedule(s, &chosen, &why)) return out = &chosen, true;
  warn("EINKORN_SCHEDULE=\"%s\" is not valid and is ignored: %s", s, why.c_str());
  return true;
}

bool parse_amm(const char* s, schedule::Shape& out) {
  std::string why;
  if (schedule::parse_shape(s, &out, &why)) return true;
  warn("EINKORN_AMM=\"%s\" is not valid and is ignored: %s", s, why.c_str());
  return true;
}

bool parse_distribution(const char* s, memory::Layout& out) {
  using enum memory::Layout;
  return one_of(s, {{"standard", system}, {"fine", fine}, {"coarse", coarse}}, out);
}

bool parse_loop(const char* s, schedule::LoopVictim& out) {
  std::string why;
  if (schedule::parse_loop_victim(s, &out, &why)) return true;
  warn("EINKORN_LOOP=\"%s\" is not valid and is ignored: %s", s, why.c_str());
  return true;
}

bool parse_tploop(const char* s, schedule::LoopThresholds& out) {
  constexpr int64_t kMostCodelets = 0xffff;
  schedule::LoopThresholds t;
  if (word(s, "auto")) return *s ? false : (out = t, true);
  const auto next = [&s](int64_t least, int64_t most, int64_t& value) {
    return *s == ',' && number(++s, least, most, value);
  };
  int64_t p = 0, q = 0;
  if (!number(s, 0, INT64_MAX, t.one) || !next(t.one, INT64_MAX, t.codelets)) return false;
  if (*s && (!next(1, kMostCodelets, p) || !next(1, kMostCodelets, q) || p * q > kMostCodelets)) return false;
  if (*s) return false;
  t.are_set = true;
  t.p = int(p), t.q = int(q);
  return out = t, true;
}

bool parse_seconds(const char* s, uint64_t& out) {
  int64_t v;
  if (!number(s, 1, int64_t(1) << 40, v)) return false;
  uint64_t unit = 1'000'000'000;
  if (word(s, "ms")) unit = 1'000'000;
  else if (word(s, "m")) unit *= 60;
  else if (!word(s, "s")) unit *= 1;
  if (!at_end(s) || uint64_t(v) > (uint64_t(1) << 62) / unit) return false;
  out = uint64_t(v) * unit;
  return true;
}

bool parse_stamps(const char* s, record::Stamps& out) {
  using enum record::Stamps;
  return one_of(s, {{"all", all}, {"shared", shared}, {"auto", automatic}}, out);
}

bool parse_proc_bind(const char* s, ProcBind (&levels)[Config::kMaxLevels]) {
  ProcBind values[Config::kMaxLevels];
  int n = 0;
  for (;;) {
    ProcBind v;
    if (word(s, "primary") || word(s, "master")) v = ProcBind::primary;
    else if (word(s, "close")) v = ProcBind::close;
    else if (word(s, "spread")) v = ProcBind::spread;
    else if (n == 0 && word(s, "true")) v = ProcBind::on;
    else if (n == 0 && word(s, "false")) v = ProcBind::off;
    else return false;
    if (n < Config::kMaxLevels) values[n++] = v;
    if (*s == 0) break;
    if (values[0] <= ProcBind::on || *s++ != ',') return false;
  }
  for (int i = 0; i < n; ++i) levels[i] = values[i];
  g_config.proc_bind_levels = n;
  return true;
}

bool parse_teams_bind(const char* s, ProcBind& out) {
  using enum ProcBind;
  return one_of(s, {{"primary", primary}, {"master", primary}, {"close", close}, {"spread", spread}}, out);
}

bool parse_target_offload(const char* s, TargetOffload& out) {
  using enum TargetOffload;
  return one_of(s, {{"mandatory", mandatory}, {"disabled", disabled}, {"default", standard}}, out);
}

bool parse_blocktime(const char* s, int64_t& out) {
  int64_t v;
  if (word(s, "infinite") || word(s, "infinity")) {
    if (*s) return false;
    out = kBlockForever;
    return true;
  }
  if (!number(s, 0, 0x7fffffff, v)) return false;
  int64_t unit = 1000;
  if (word(s, "us")) unit = 1;
  else if (!word(s, "ms") && *s) return false;
  if (*s) return false;
  out = v * unit;
  return true;
}

// 100 turns of a waiting loop take about a microsecond (libgomp's own estimate).
bool parse_spin_count(const char* s, int64_t& out) {
  int64_t v, unit = 1;
  if (word(s, "infinite") || word(s, "infinity")) {
    if (*s) return false;
    out = kBlockForever;
    return true;
  }
  if (!number(s, 0, int64_t(1) << 40, v)) return false;
  switch (tolower(static_cast<unsigned char>(*s))) {
    case 'k': unit = 1'000, ++s; break;
    case 'm': unit = 1'000'000, ++s; break;
    case 'g': unit = 1'000'000'000, ++s; break;
    case 't': unit = 1'000'000'000'000, ++s; break;
    default: break;
  }
  if (!at_end(s)) return false;
  out = v > kBlockForever / unit ? kBlockForever : v * unit / 100;
  return true;
}

bool parse_reduction(const char* s, ForcedReduction& out) {
  using enum ForcedReduction;
  return one_of(s, {{"critical", critical}, {"atomic", atomics}, {"tree", tree}}, out);
}

bool parse_library(const char* s, int& out) {
  return one_of(s, {{"serial", 1}, {"turnaround", 2}, {"throughput", 3}}, out);
}

// "none" and "disabled" ask for what is done anyway.
bool parse_kmp_affinity(const char* s, const char*& out) {
  const char* rest = s;
  out = s;
  if ((word(rest, "none") || word(rest, "disabled")) && *rest == 0) return true;
  warn(
      "KMP_AFFINITY=\"%s\" is not served and threads are not bound by it. Say where threads go with OMP_PLACES (threads, "
      "cores, sockets, ...) and OMP_PROC_BIND (close for compact, spread for scatter)",
      s);
  return true;
}

bool parse_text(const char* s, const char*& out) {
  if (*s) out = s;
  return true;
}

const char* set_or_hinted_value(const char* name) {
  const char* v = set_value(name);
  return v ? v : tuned_variable(name);
}

// A variable of one library says what another, which is set too, says better.
bool outdone(const char* name) {
  if (!strcmp(name, "GOMP_STACKSIZE")) return set_value("OMP_STACKSIZE");
  if (!strcmp(name, "KMP_STACKSIZE")) return set_value("OMP_STACKSIZE") || set_value("GOMP_STACKSIZE");
  if (!strcmp(name, "OMP_DATA_DISTRIBUTION")) return set_value("EINKORN_DATA_DISTRIBUTION");
  if (!strcmp(name, "GOMP_SPINCOUNT")) return set_value("KMP_BLOCKTIME");
  if (!strcmp(name, "KMP_PLACE_THREADS")) return set_value("KMP_HW_SUBSET");
  if (!strcmp(name, "KMP_ALL_THREADS")) return set_value("KMP_DEVICE_THREAD_LIMIT");
  return false;
}

// Where OpenMP leaves the value to the implementation.
void set_defaults_of_libomp(Config& c) {
  c.run_schedule = {LoopKind::static_, 0, false};
  c.affinity_format = "OMP: pid %P tid %i thread %n bound to OS proc set {%A}";
}

void reject(const char* name, const char* value, const char* what, const char* fallback) {
  // Scripts that look for what libomp says of a variable find it; 42 is the number of that message there.
  if (g_config.for_libomp)
    warn_libomp(42, "%s: \"%s\" is an invalid value; ignored. (%s; default %s)", name, value, what, fallback);
  else warn("%s=\"%s\" is not valid and is ignored (%s; default %s)", name, value, what, fallback);
}

void reject_hint(const char* name, const char* value, const char* what, const char* fallback) {
  warn("hints: \"set %s=%s\" is not valid and is ignored (%s; default %s)", name, value, what, fallback);
}

// What follows from several variables together.
void settle(Config& c) {
  c.max_active_levels_set = set_value("OMP_MAX_ACTIVE_LEVELS") != nullptr;
  c.nested_set = set_value("OMP_NESTED") != nullptr;
  // OpenMP 5.1, 2.4.2: a list in OMP_NUM_THREADS or OMP_PROC_BIND, or OMP_NESTED=true, allows as many levels as we can
  // give.
  bool lists = c.num_threads_levels > 1 || c.proc_bind_levels > 1;
  if (!c.nested_set) c.nested = lists;
  if (!c.max_active_levels_set && ((c.nested_set && c.nested) || (!c.nested_set && lists)))
    c.max_active_levels = 0x7fffffff;
  if (c.wait_policy == WaitPolicy::unset) {
    if (c.blocktime_us == 0) c.wait_policy = WaitPolicy::passive;
    else if (c.blocktime_us >= kBlockForever || c.kmp_library == 2) c.wait_policy = WaitPolicy::active;
  }
  c.thread_limit = std::min(c.thread_limit, c.device_thread_limit);
  if (c.kmp_library == 1) c.thread_limit = 1;
  if (!c.uses_hidden_helpers || c.kmp_library == 1) c.hidden_helpers = 0;
  if (c.cancellation && forced_reduction(c) == ForcedReduction::tree)
    warn(
        "reductions are not done by a tree where OMP_CANCELLATION=true: a thread that is cancelled would be waited for");
  if (c.amm.clusters > 0) {
    static schedule::Schedule with_shape;
    // One that is not valid is as none: ws from config_init().
    const bool named = c.schedule != schedule::find_preset("ws");
    with_shape = named ? *c.schedule : *schedule::find_preset("codelets");
    with_shape.shape = c.amm;
    c.schedule = &with_shape;
  }
  // A schedule with a shape puts each worker on a CPU of its own, unless the user says otherwise.
  if (c.schedule->shape.clusters > 0 && !set_value("OMP_PROC_BIND") && !set_value("OMP_PLACES") &&
      (tuned_variable("OMP_PROC_BIND") || tuned_variable("OMP_PLACES"))) {
    warn("hints: how threads are bound is left to the schedule, which places its workers");
    c.places = nullptr;
    c.proc_bind_levels = 0;
    c.proc_bind[0] = ProcBind::off;
  }
  // A setting of what is switched off would be ignored.
  for (const char* name : {"EINKORN_TPLOOP", "EINKORN_TP_INSTANCES"})
    if (c.codelets == Codelets::off && is_set_or_hinted(name))
      warn("%s is set and has no effect: EINKORN_CODELETS=off leaves no loop of codelets", name);
  // LLVM's library takes true for spread.
  if (c.for_libomp && c.proc_bind_levels == 1 && c.proc_bind[0] == ProcBind::on) c.proc_bind[0] = ProcBind::spread;
  bind_by_schedule(c);
  // OpenMP 5.2, 21.2.7: with nothing to offload to, the default device is one that does not exist.
  if (c.target_offload == TargetOffload::mandatory && c.default_device < 0) c.default_device = kInvalidDevice;
}

// One line for each variable of Einkorn's that nothing reads: it is misspelt, or of another version.
void name_unknown_variables() {
  static const char* const names[] = {
#define EK_VARIABLE(name, field, parser, fallback, what) name,
#include "runtime/settings/config.def"
#undef EK_VARIABLE
  };
  for (const std::string& line : machine::unknown_variables(environment_entries(), names)) warn("%s", line.c_str());
  name_unserved_variables(names);
}

}  // namespace

bool is_set_or_hinted(const char* name) { return set_or_hinted_value(name) != nullptr; }

void bind_by_schedule(Config& c) {
  const bool places_are_users = c.places;
  if (!c.schedule->is_default && c.schedule->shape.clusters == 0 && !c.places && !c.cpu_affinity &&
      c.proc_bind_levels == 0 && !set_value("EINKORN_MACHINE") && has_several_nodes())
    c.places = "cores";
  // Places or processors alone ask for binding (OpenMP 5.1, 6.5).
  if (c.proc_bind_levels == 0 && (c.places || c.cpu_affinity)) {
    c.proc_bind[0] = c.for_libomp && places_are_users ? ProcBind::spread : ProcBind::on;
    c.proc_bind_levels = 1;
  }
}

void config_init() {
  Config& c = g_config;
  c.schedule = schedule::find_preset("ws");
  c.for_libomp = built_for_libomp();
  if (c.for_libomp) set_defaults_of_libomp(c);
  if (const char* hints = set_value("EINKORN_HINTS")) tuned_read(hints);
#define EK_VARIABLE(name, field, parser, fallback, what)              \
  if (const char* v = set_or_hinted_value(name); v && !outdone(name)) \
    if (!parser(v, c.field)) (set_value(name) ? reject : reject_hint)(name, v, what, fallback);
#include "runtime/settings/config.def"
#undef EK_VARIABLE
  settle(c);
  name_unknown_variables();
}

bool config_set(const char* name, const char* value) {
  Config& c = g_config;
  bool known = false;
#define EK_VARIABLE(its_name, field, parser, fallback, what)          \
  if (!strcmp(name, its_name)) {                                      \
    known = true;                                                     \
    if (!parser(value, c.field)) reject(name, value, what, fallback); \
  }
#include "runtime/settings/config.def"
#undef EK_VARIABLE
  return known;
}

}  // namespace einkorn::runtime
