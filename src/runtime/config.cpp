#include "runtime/config.h"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <strings.h>

#include "runtime/platform.h"

namespace einkorn::runtime {

Config g_config;

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
  else return false;
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

bool parse_count_from(const char* s, int least, int& out) {
  int64_t v;
  if (!number(s, least, 0x7fffffff, v) || *s) return false;
  out = int(v);
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

bool parse_wait_policy(const char* s, WaitPolicy& out) {
  WaitPolicy v = word(s, "active") ? WaitPolicy::active : word(s, "passive") ? WaitPolicy::passive : WaitPolicy::unset;
  if (v == WaitPolicy::unset || *s) return false;
  out = v;
  return true;
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
  const schedule::Schedule* found = schedule::find_preset(s);
  if (!found) return false;
  out = found;
  return true;
}

bool parse_text(const char* s, const char*& out) {
  if (*s) out = s;
  return true;
}

const char* found_value(const char* name) {
  const char* v = getenv(name);
  return v && !at_end(v) ? v : nullptr;
}

}  // namespace

void config_init() {
  Config& c = g_config;
  c.schedule = schedule::find_preset("ws");
#define EK_VARIABLE(name, field, parser, fallback, what)                                                            \
  if (const char* v = found_value(name); v && !(strcmp(name, "GOMP_STACKSIZE") == 0 && found_value("OMP_STACKSIZE"))) \
    if (!parser(v, c.field)) warn("%s=\"%s\" is not valid and is ignored (%s; default %s)", name, v, what, fallback);
#include "runtime/config.def"
#undef EK_VARIABLE
  c.max_active_levels_set = found_value("OMP_MAX_ACTIVE_LEVELS") != nullptr;
  c.nested_set = found_value("OMP_NESTED") != nullptr;
  // OpenMP 5.1, 2.4.2: a list in OMP_NUM_THREADS, or OMP_NESTED=true, allows as many levels as we can give.
  if (!c.max_active_levels_set && ((c.nested_set && c.nested) || (!c.nested_set && c.num_threads_levels > 1)))
    c.max_active_levels = 0x7fffffff;
  if (c.display_env) config_display(c.display_env == 2);
}

void config_display(bool verbose) {
  fprintf(stderr, "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n");
  const char* kinds[] = {"", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
  const Config& c = g_config;
  // The order and the form are those of the table; what a variable of the host shows is its value in force.
  auto show = [&](const char* name, const char* text) { fprintf(stderr, "  [host] %s = '%s'\n", name, text); };
  char text[256];
  auto value = [&](const char* name) -> const char* {
    if (!strcmp(name, "OMP_NUM_THREADS")) {
      text[0] = 0;
      for (int i = 0, n = 0; i < c.num_threads_levels && n < 240; ++i)
        n += snprintf(text + n, sizeof text - size_t(n), i ? ",%d" : "%d", c.num_threads[i]);
      return text;
    }
    if (!strcmp(name, "OMP_SCHEDULE")) {
      int n = snprintf(text, sizeof text, "%s%s", c.run_schedule.monotonic ? "MONOTONIC:" : "", kinds[int(c.run_schedule.kind)]);
      if (c.run_schedule.chunk > 0) snprintf(text + n, sizeof text - size_t(n), ",%d", c.run_schedule.chunk);
      return text;
    }
    if (!strcmp(name, "OMP_DYNAMIC")) return c.dynamic ? "TRUE" : "FALSE";
    if (!strcmp(name, "OMP_NESTED")) return c.max_active_levels > 1 ? "TRUE" : "FALSE";
    if (!strcmp(name, "OMP_CANCELLATION")) return c.cancellation ? "TRUE" : "FALSE";
    if (!strcmp(name, "OMP_DISPLAY_ENV")) return c.display_env == 2 ? "VERBOSE" : c.display_env ? "TRUE" : "FALSE";
    if (!strcmp(name, "OMP_WAIT_POLICY"))
      return c.wait_policy == WaitPolicy::active ? "ACTIVE" : "PASSIVE";
    if (!strcmp(name, "OMP_MAX_ACTIVE_LEVELS")) return snprintf(text, sizeof text, "%d", c.max_active_levels), text;
    if (!strcmp(name, "OMP_THREAD_LIMIT")) return snprintf(text, sizeof text, "%d", c.thread_limit), text;
    if (!strcmp(name, "OMP_MAX_TASK_PRIORITY")) return snprintf(text, sizeof text, "%d", c.max_task_priority), text;
    if (!strcmp(name, "OMP_STACKSIZE"))
      return snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(c.stack_bytes)), text;
    if (!strcmp(name, "EINKORN_SCHEDULE")) return c.schedule->name;
    if (!strcmp(name, "EINKORN_RECORD_MEMORY"))
      return snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(c.record_memory)), text;
    const char* raw = getenv(name);
    return raw ? raw : "";
  };
#define EK_VARIABLE(name, field, parser, fallback, what) \
  if (verbose || strncmp(name, "OMP_", 4) == 0) show(name, value(name));
#include "runtime/config.def"
#undef EK_VARIABLE
  fprintf(stderr, "OPENMP DISPLAY ENVIRONMENT END\n");
}

}  // namespace einkorn::runtime
