// What OMP_PLACES and GOMP_CPU_AFFINITY say. Strict: nothing is guessed.
//
//   places     name | name(count) | item , item ...          name: threads cores ll_caches numa_domains sockets
//   item       place | place:length | place:length:stride | !place
//   place      {resources} | number
//   resources  resource , resource ...    resource: number | number:length | number:length:stride | !number
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <strings.h>

#include "machine/near.h"
#include "runtime/places/places.h"

namespace einkorn::runtime {

using base::CpuSet;

namespace {

constexpr int kMostPlaces = 8192;

struct Reader {
  const char* at;
  const char* why = nullptr;

  bool fail(const char* reason) {
    if (!why) why = reason;
    return false;
  }
  void space() {
    while (isspace(static_cast<unsigned char>(*at))) ++at;
  }
  bool take(char c) {
    space();
    if (*at != c) return false;
    ++at;
    return true;
  }
  bool number(long least, long most, long* out) {
    space();
    const char* digits = at;
    bool negative = *digits == '-' && least < 0;
    if (negative || (*digits == '+' && least < 0)) ++digits;
    if (!isdigit(static_cast<unsigned char>(*digits))) return fail("a number is missing");
    long v = 0;
    for (; isdigit(static_cast<unsigned char>(*digits)); ++digits) {
      v = v * 10 + (*digits - '0');
      if (v > 1'000'000) return fail("a number is too large");
    }
    if (negative) v = -v;
    if (v < least || v > most) return fail("a number is out of range");
    at = digits;
    *out = v;
    return true;
  }
  // :length:stride, both optional.
  bool interval(long* length, long* stride) {
    *length = *stride = 1;
    if (!take(':')) return true;
    if (!number(1, base::kMaxCpus, length)) return false;
    return !take(':') || number(-base::kMaxCpus, base::kMaxCpus, stride);
  }
};

bool add_cpu(Reader& r, CpuSet& set, long cpu) {
  if (cpu < 0 || cpu >= base::kMaxCpus) return r.fail("a CPU number is out of range");
  set.add(int(cpu));
  return true;
}

bool read_resources(Reader& r, CpuSet& set) {
  CpuSet excluded;
  do {
    long cpu, length, stride;
    if (r.take('!')) {
      if (!r.number(0, base::kMaxCpus - 1, &cpu)) return false;
      excluded.add(int(cpu));
      continue;
    }
    if (!r.number(0, base::kMaxCpus - 1, &cpu) || !r.interval(&length, &stride)) return false;
    for (long i = 0; i < length; ++i)
      if (!add_cpu(r, set, cpu + i * stride)) return false;
  } while (r.take(','));
  for (int cpu = excluded.next(0); cpu >= 0; cpu = excluded.next(cpu + 1)) set.remove(cpu);
  if (set.empty()) return r.fail("a place has no CPU");
  return true;
}

bool read_place(Reader& r, CpuSet& set) {
  if (r.take('{')) {
    if (!read_resources(r, set)) return false;
    return r.take('}') || r.fail("a } is missing");
  }
  long cpu;
  return r.number(0, base::kMaxCpus - 1, &cpu) && add_cpu(r, set, cpu);
}

bool moved(Reader& r, const CpuSet& from, long by, CpuSet& to) {
  for (int cpu = from.next(0); cpu >= 0; cpu = from.next(cpu + 1))
    if (!add_cpu(r, to, cpu + by)) return false;
  return true;
}

bool add_place(Reader& r, Places& p, const CpuSet& set) {
  if (p.count == kMostPlaces) return r.fail("there are more than 8192 places");
  if ((p.count & (p.count - 1)) == 0) {  // a power of two, or none: full
    void* more = realloc(static_cast<void*>(p.sets), sizeof(CpuSet) * size_t(p.count ? 2 * p.count : 1));
    if (!more) return r.fail("out of memory");
    p.sets = static_cast<CpuSet*>(more);
  }
  p.sets[p.count++] = set;
  return true;
}

bool remove_place(Reader& r, Places& p, const CpuSet& set) {
  for (int i = 0; i < p.count; ++i)
    if (p.sets[i] == set) {
      for (int j = i + 1; j < p.count; ++j) p.sets[j - 1] = p.sets[j];
      --p.count;
      return true;
    }
  return r.fail("a place to be left out is not in the list");
}

bool read_list(Reader& r, Places& p) {
  do {
    CpuSet set;
    if (r.take('!')) {
      if (!read_place(r, set) || !remove_place(r, p, set)) return false;
      continue;
    }
    long length, stride;
    if (!read_place(r, set) || !r.interval(&length, &stride)) return false;
    for (long i = 0; i < length; ++i) {
      CpuSet next;
      if (!moved(r, set, i * stride, next) || !add_place(r, p, next)) return false;
    }
  } while (r.take(','));
  r.space();
  return *r.at == 0 || r.fail("there is something behind the list that does not belong there");
}

// name or name(count). false with why == nullptr: it begins with no name.
bool read_name(Reader& r, const CpuSet& allowed, Places& p) {
  constexpr struct {
    const char* name;
    machine::Level level;
  } kNames[] = {{"threads", machine::Level::thread},
                {"cores", machine::Level::core},
                {"ll_caches", machine::Level::cache},
                {"numa_domains", machine::Level::numa},
                {"sockets", machine::Level::socket}};
  r.space();
  if (!isalpha(static_cast<unsigned char>(*r.at))) return false;
  for (const auto& n : kNames) {
    size_t length = strlen(n.name);
    if (strncasecmp(r.at, n.name, length) != 0) continue;
    r.at += length;
    long most = kMostPlaces;
    if (r.take('(')) {
      if (!r.number(1, 1'000'000, &most)) return false;
      if (!r.take(')')) return r.fail("a ) is missing");
    }
    r.space();
    if (*r.at) return r.fail("there is something behind the name that does not belong there");
    machine::CpuSets found = g_model ? machine::groups(*g_model, n.level, allowed) : machine::groups(n.level, allowed);
    p.sets = found.sets;
    p.count = found.count < most ? found.count : int(most);
    return p.count > 0 || r.fail("there is no CPU");
  }
  return r.fail("the name is none of threads, cores, ll_caches, numa_domains, sockets");
}

// Cuts the places down to what may be used.
bool restrict(Reader& r, Places& p, const CpuSet& allowed, bool* dropped) {
  int kept = 0;
  for (int i = 0; i < p.count; ++i) {
    CpuSet set = p.sets[i];
    set.keep(allowed);
    if (!(set == p.sets[i])) *dropped = true;
    if (!set.empty()) p.sets[kept++] = set;
  }
  p.count = kept;
  return kept > 0 || r.fail(g_model ? "the machine has none of these CPUs" : "the process may use none of these CPUs");
}

bool done(bool good, Reader& r, Places& p, Places* out, const char** why) {
  if (!good) {
    free(static_cast<void*>(p.sets));
    *why = r.why;
    return false;
  }
  *out = p;
  return true;
}

}  // namespace

bool parse_places(const char* text, const CpuSet& allowed, Places* out, const char** why, bool* dropped) {
  Reader r{text};
  Places p;
  *dropped = false;
  bool good = read_name(r, allowed, p);
  if (!good && !r.why) good = read_list(r, p)&& restrict(r, p, allowed, dropped);
  return done(good, r, p, out, why);
}

// 0 3 1-2 4-15:2, with spaces or commas between.
bool parse_cpu_list(const char* text, const CpuSet& allowed, Places* out, const char** why, bool* dropped) {
  Reader r{text};
  Places p;
  *dropped = false;
  bool good = true;
  for (r.space(); good && *r.at;) {
    long first, last, stride = 1;
    good = r.number(0, base::kMaxCpus - 1, &first);
    last = first;
    if (good && *r.at == '-') {
      ++r.at;
      good = r.number(first, base::kMaxCpus - 1, &last);
      if (good && *r.at == ':') ++r.at, good = r.number(1, base::kMaxCpus, &stride);
    }
    for (long cpu = first; good && cpu <= last; cpu += stride) {
      CpuSet set;
      set.add(int(cpu));
      good = add_place(r, p, set);
    }
    if (good && r.take(',')) {
      r.space();
      if (!*r.at) good = r.fail("a number is missing");
    }
    r.space();
  }
  if (good && p.count == 0) good = r.fail("a number is missing");
  return done(good&& restrict(r, p, allowed, dropped), r, p, out, why);
}

}  // namespace einkorn::runtime
