#include "base/environment.h"

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

const char* const* environment_entries() {
  static const char* const none[] = {nullptr};
  return is_privileged() ? none : environ;
}

}  // namespace einkorn::inline base
