#include "base/environment.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/auxv.h>
#include <unistd.h>

namespace einkorn::inline base {

namespace {

bool begins(const char* s, const char* with) { return strncmp(s, with, strlen(with)) == 0; }

// OpenMP's own variables hold numbers and words, as in libgomp and libomp. Einkorn's variables may name files; a list
// of those that do would be forgotten when the next one comes, so none of them is read.
bool is_harmless(const char* name) {
  return (begins(name, "OMP_") && !begins(name, "OMP_TOOL")) || begins(name, "GOMP_") || begins(name, "KMP_");
}

}  // namespace

bool is_privileged() { return getauxval(AT_SECURE) != 0; }

const char* environment(const char* name) { return is_privileged() && !is_harmless(name) ? nullptr : getenv(name); }

// NAME_ALL is meant for all devices that have no NAME of their own. (NAME_DEV and NAME_DEV_2 are other devices' than
// the host.)
bool is_per_device(const char* name) {
  constexpr const char* kPerDevice[] = {"OMP_NUM_THREADS",        "OMP_SCHEDULE",      "OMP_DYNAMIC",
                                        "OMP_MAX_ACTIVE_LEVELS",  "OMP_THREAD_LIMIT",  "OMP_STACKSIZE",
                                        "OMP_WAIT_POLICY",        "OMP_PROC_BIND",     "OMP_NUM_TEAMS",
                                        "OMP_TEAMS_THREAD_LIMIT", "OMP_DEFAULT_DEVICE"};
  for (const char* known : kPerDevice)
    if (!strcmp(name, known)) return true;
  return false;
}

const char* set_value(const char* name) {
  const auto is_blank = [](const char* v) { return v[strspn(v, " \t\n\v\f\r")] == 0; };
  const char* v = environment(name);
  if (v && !is_blank(v)) return v;
  if (!is_per_device(name)) return nullptr;
  char all[48];
  snprintf(all, sizeof all, "%s_ALL", name);
  v = environment(all);
  return v && !is_blank(v) ? v : nullptr;
}

const char* const* environment_entries() {
  static const char* const none[] = {nullptr};
  return is_privileged() ? none : environ;
}

}  // namespace einkorn::inline base
