// OMP_ALLOCATOR: a predefined allocator, or one made of a memory space and traits (OpenMP 5.1, 6.22):
//   omp_low_lat_mem_alloc
//   omp_large_cap_mem_space:alignment=64,pinned=true
// A space without traits means its predefined allocator.
#include <cctype>
#include <cstring>
#include <strings.h>

#include "memory/allocator.h"
#include "runtime/settings/config.h"
#include "base/platform.h"

namespace einkorn::runtime {

namespace {

struct Name {
  const char* text;
  uintptr_t value;
};
constexpr Name kKinds[] = {{"default", 0}, {"large_cap", 1}, {"const", 2}, {"high_bw", 3}, {"low_lat", 4}};
constexpr Name kAccess[] = {{"cgroup", 5}, {"pteam", 6}, {"thread", 7}};  // allocators only
using memory::Key;
constexpr Name kKeys[] = {{"sync_hint", 1}, {"alignment", 2}, {"access", 3}, {"pool_size", 4},
                          {"fallback", 5},  {"fb_data", 6},   {"pinned", 7}, {"partition", 8}};
constexpr Name kValues[] = {{"default_mem_fb", memory::kDefaultMemFb},
                            {"default", memory::kDefault},
                            {"false", memory::kFalse},
                            {"true", memory::kTrue},
                            {"contended", memory::kContended},
                            {"uncontended", memory::kUncontended},
                            {"serialized", memory::kSerialized},
                            {"sequential", memory::kSerialized},
                            {"private", memory::kPrivate},
                            {"allocator_fb", memory::kAllocatorFb},
                            {"all", memory::kAll},
                            {"thread", memory::kThread},
                            {"pteam", memory::kPteam},
                            {"cgroup", memory::kCgroup},
                            {"null_fb", memory::kNullFb},
                            {"abort_fb", memory::kAbortFb},
                            {"environment", memory::kEnvironment},
                            {"nearest", memory::kNearest},
                            {"blocked", memory::kBlocked},
                            {"interleaved", memory::kInterleaved}};

const char* skip(const char* s) {
  while (isspace(static_cast<unsigned char>(*s))) ++s;
  return s;
}

// One of the names at s, with an optional prefix; moves s behind it.
template <size_t N>
bool one_of(const char*& s, const char* prefix, const Name (&names)[N], uintptr_t& value) {
  const char* at = skip(s);
  if (!strncasecmp(at, prefix, strlen(prefix))) at += strlen(prefix);
  for (const Name& n : names) {
    size_t length = strlen(n.text);
    if (strncasecmp(at, n.text, length) != 0) continue;
    unsigned char next = static_cast<unsigned char>(at[length]);
    if (isalnum(next)) continue;
    value = n.value;
    s = at + length;
    return true;
  }
  return false;
}

bool literal(const char*& s, const char* text) {
  size_t n = strlen(text);
  if (strncasecmp(s, text, n) != 0) return false;
  s = skip(s + n);
  return true;
}

bool predefined(const char*& s, uintptr_t& handle) {
  uintptr_t v;
  const char* at = s;
  if (!one_of(at, "omp_", kKinds, v) && !one_of(at, "omp_", kAccess, v)) return false;
  if (!literal(at, "_mem_alloc") || isalnum(static_cast<unsigned char>(*at))) return false;
  handle = v + memory::kDefaultAllocator;
  s = at;
  return true;
}

// One trait at s; moves s behind it, or to what is wrong with it.
bool trait(const char*& s, memory::Trait& out) {
  uintptr_t key, value;
  if (!one_of(s, "omp_atk_", kKeys, key)) return false;
  s = skip(s);
  if (*s != '=') return false;
  s = skip(s + 1);
  if (key == uintptr_t(Key::alignment) || key == uintptr_t(Key::pool_size)) {
    char* end;
    if (!isdigit(static_cast<unsigned char>(*s))) return false;
    value = strtoull(s, &end, 10);
    s = end;
  } else if (key == uintptr_t(Key::fb_data)) {
    if (!predefined(s, value)) return false;
  } else if (!one_of(s, "omp_atv_", kValues, value)) {
    return false;
  }
  s = skip(s);
  out = {Key(key), value};
  return true;
}

enum class Outcome { good, wrong, impossible };  // impossible: no allocator has these traits

// wrong: s is what is not understood, or the end where something is missing.
Outcome read(const char*& s, uintptr_t& out) {
  uintptr_t value;
  s = skip(s);
  if (predefined(s, value)) {
    out = value;
    return *s ? Outcome::wrong : Outcome::good;
  }
  const char* at = s;
  if (!one_of(at, "omp_", kKinds, value) || !literal(at, "_mem_space")) return Outcome::wrong;
  s = at;
  memory::Trait traits[8];
  int n = 0;
  if (*s == ':') {
    do {
      ++s;
      if (n == 8 || !trait(s, traits[n++])) return Outcome::wrong;
    } while (*s == ',');
  }
  if (*s) return Outcome::wrong;
  out = n == 0 ? memory::allocator_of(value) : memory::init_allocator(value, n, traits);
  return out == memory::kNullAllocator ? Outcome::impossible : Outcome::good;
}

}  // namespace

bool parse_allocator(const char* s, uintptr_t& out) {
  uintptr_t handle;
  const char* rest = s;
  const Outcome outcome = read(rest, handle);
  if (outcome == Outcome::good) out = handle;
  if (outcome == Outcome::good || g_config.for_libomp) return outcome == Outcome::good;
  // In libgomp's words, which programs' own tests look for.
  constexpr char kInstead[] = "using omp_default_mem_alloc instead";
  constexpr char kForm[] = "a predefined allocator, or memory space:trait=value,...";
  if (outcome == Outcome::impossible)
    warn_libgomp("Allocator of environment variable OMP_ALLOCATOR cannot be created, %s: %s", kInstead, s);
  else if (*rest)
    warn_libgomp("Invalid value for environment variable OMP_ALLOCATOR when parsing: %s (%s), %s", rest, kForm,
                 kInstead);
  else warn_libgomp("Missing value at the end of environment variable OMP_ALLOCATOR=%s (%s), %s", s, kForm, kInstead);
  return true;
}

}  // namespace einkorn::runtime
