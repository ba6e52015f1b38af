// omp_display_affinity and its relatives: the fields of OpenMP 5.1, table 6.3.
//   %[[[0].]width]type   type: one letter or {name}; . right-justifies, 0 fills with zeros
#include <cctype>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/printable.h"
#include "runtime/settings/icv.h"
#include "runtime/places/places.h"
#include "runtime/team/team.h"

namespace einkorn::runtime {

namespace {

std::atomic<const char*> g_format{
    nullptr};  // nullptr: the environment's. An older one stays: a thread may be reading it

struct Out {
  char* data;
  size_t size, used = 0;
  void put(char c) {
    if (used < size) data[used] = c;
    ++used;
  }
  void put(const char* s, size_t n) {
    for (size_t i = 0; i < n; ++i) put(s[i]);
  }
  void fill(char c, size_t n) {
    while (n-- > 0) put(c);
  }
};

constexpr struct {
  const char* name;
  char letter;
} kFields[] = {{"team_num", 't'},         {"num_teams", 'T'},      {"nesting_level", 'L'}, {"thread_num", 'n'},
               {"num_threads", 'N'},      {"ancestor_tnum", 'a'},  {"host", 'H'},          {"process_id", 'P'},
               {"native_thread_id", 'i'}, {"thread_affinity", 'A'}};

// 0-3,8 into text.
size_t cpus_text(const Worker* w, char* text, size_t size) {
  base::CpuSet mask;
  if (g_places.count > 0 && w->place >= 0) mask = g_places.sets[w->place];
  else base::affinity(0, &mask);
  size_t used = 0;
  text[0] = 0;
  for (int cpu = mask.next(0); cpu >= 0 && used + 16 < size;) {
    int last = cpu;
    while (mask.has(last + 1)) ++last;
    used += size_t(snprintf(text + used, size - used, used ? ",%d" : "%d", cpu));
    if (last > cpu) used += size_t(snprintf(text + used, size - used, "-%d", last));
    cpu = mask.next(last + 1);
  }
  return used;
}

// The value of a field; false: there is no such field.
bool value_of(const Worker* w, char field, char* text, size_t size, bool* numeric) {
  auto number = [&](long v) { snprintf(text, size, "%ld", v); };
  *numeric = true;
  switch (field) {
    case 't': number(w->team->group ? w->team->group->team_num : 0); break;
    case 'T': number(w->team->group ? w->team->group->num_teams : 1); break;
    case 'L': number(w->team->level); break;
    case 'n': number(w->thread_num); break;
    case 'N': number(w->team->n); break;
    case 'a': number(w->team->level > 0 ? ancestor_thread_num(w, w->team->level - 1) : -1); break;
    case 'P': number(getpid()); break;
    case 'i': number(syscall(SYS_gettid)); break;
    case 'H':
      *numeric = false;
      if (gethostname(text, size) != 0) snprintf(text, size, "node");
      text[size - 1] = 0;
      break;
    case 'A':
      *numeric = false;
      cpus_text(w, text, size);
      break;
    default: return false;
  }
  return true;
}

// One field behind its %; moves f behind it.
void put_field(const Worker* w, const char*& f, Out& out) {
  bool named = false;
  bool zeros = false, right = false;
  if (*f == '0') zeros = true, ++f;
  if (*f == '.') right = true, ++f;
  size_t width = 0;
  while (isdigit(static_cast<unsigned char>(*f)) && width < 100'000) width = width * 10 + size_t(*f++ - '0');
  char letter = *f ? *f++ : 0;
  if (letter == '{') {
    letter = 0;
    named = true;
    for (const auto& field : kFields) {
      size_t n = strlen(field.name);
      if (!strncmp(f, field.name, n) && f[n] == '}') {
        letter = field.letter;
        f += n + 1;
        break;
      }
    }
  }
  char text[2048];
  bool numeric = false;
  if (!letter || !value_of(w, letter, text, sizeof text, &numeric)) {
    if (named)  // a name that is none: behind it
      while (*f && *f++ != '}') {}
    snprintf(text, sizeof text, "undefined");
    numeric = false;
  }
  size_t n = strlen(text), fill = n < width ? width - n : 0;
  if (zeros && right && numeric) {
    size_t sign = text[0] == '-';
    out.put(text, sign);
    out.fill('0', fill);
    out.put(text + sign, n - sign);
  } else {
    if (right) out.fill(' ', fill);
    out.put(text, n);
    if (!right) out.fill(' ', fill);
  }
}

}  // namespace

const char* affinity_format() {
  const char* set = g_format.load(std::memory_order_acquire);  // its text; pairs with the release below
  return set ? set : g_config.affinity_format;
}

void set_affinity_format(const char* format, size_t length) {
  auto* copy = static_cast<char*>(malloc(length + 1));
  if (!copy) fatal("out of memory: omp_set_affinity_format");
  memcpy(copy, format, length);
  copy[length] = 0;
  g_format.store(copy, std::memory_order_release);
}

size_t affinity_text(const Worker* w, const char* format, char* text, size_t size) {
  if (!format || !*format) format = affinity_format();
  Out out{text, size > 0 ? size - 1 : 0};
  for (const char* f = format; *f;) {
    char c = *f++;
    if (c != '%') out.put(c);
    else if (*f == '%') out.put('%'), ++f;
    else put_field(w, f, out);
  }
  if (size > 0) text[out.used < size - 1 ? out.used : size - 1] = 0;
  return out.used;
}

void display_affinity(const Worker* w, const char* format, bool clang) {
  char text[4096];
  size_t n = affinity_text(w, format, text, sizeof text - 1);
  if (n > sizeof text - 2) n = sizeof text - 2;
  // The format is the environment's, or the program's.
  n = base::make_printable(text, n, true);
  text[n] = '\n';  // one write: lines of several threads do not mix
  fwrite(text, 1, n + 1, clang ? stdout : stderr);
}

}  // namespace einkorn::runtime
