#include "runtime/tuned/tuned.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <link.h>
#include <unistd.h>

#include "base/build_id.h"
#include "base/environment.h"
#include "base/objects.h"
#include "hints/text.h"
#include "machine/text.h"
#include "schedule/text.h"

namespace einkorn::runtime {

bool g_tuned = false, g_cuts_off = false, g_prioritizes = false;

namespace {

// What was said of a hint, once, and the first construct that it was found to be about.
struct Said {
  std::atomic<bool> refused, several;
  std::atomic<uintptr_t> code;
};
struct Hints {
  hints::File file;
  Said* said = nullptr;  // by hint
};
Hints* g_hints = nullptr;  // stays: other threads may run until the process is gone

// Constructs that were asked about, with the answer. Any thread looks into it at any time, without a lock, and no
// memory is allocated: so it is by hand. Open addressing, by the code's address and the kind of construct. Who finds a
// place empty claims it, and publishes the answer in it; a claim that is never published, as when a child is forked
// meanwhile, costs whoever asks for that construct a search each time.
struct Known {
  std::atomic<uint64_t> key{0};  // 0: empty; kClaimed: no answer yet
  const hints::Hint* hint = nullptr;
};
constexpr int kShift = 12;
constexpr size_t kPlaces = size_t(1) << kShift, kMostLooks = 32;
constexpr uint64_t kClaimed = uint64_t(1) << 63;
Known g_known[kPlaces];

uint64_t key_of(hints::Construct c, const void* code) {
  return uint64_t(reinterpret_cast<uintptr_t>(code)) * hints::kConstructs + uint64_t(c);
}

struct Loaded {
  std::string name, build_id;
};
// The dynamic linker does not name the program itself.
Loaded identity_of(const dl_phdr_info& object) {
  Loaded found;
  char path[4096];
  const char* name = object.dlpi_name ? object.dlpi_name : "";
  if (!*name) {
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    name = path;
  }
  found.name = base::without_folder(name);
  unsigned char id[64];
  const size_t bytes = base::build_id_of(object, id, sizeof id);
  for (size_t i = 0; i < bytes && i < sizeof id; ++i) {
    found.build_id += "0123456789abcdef"[id[i] >> 4];
    found.build_id += "0123456789abcdef"[id[i] & 15];
  }
  return found;
}

bool is_this(const hints::Object& object, const Loaded& loaded) {
  return object.build_id == loaded.build_id && (!object.build_id.empty() || object.name == loaded.name);
}

// Of an object file the addresses that its code has in the file.
struct Search {
  uintptr_t code;
  hints::Construct construct;
  const hints::Hint* found = nullptr;
};

int look_at(dl_phdr_info* object, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (!base::holds(*object, search.code)) return 0;
  const Loaded loaded = identity_of(*object);
  const uint64_t at = search.code - object->dlpi_addr;
  for (const hints::Hint& h : g_hints->file.hints) {
    if (h.construct != search.construct || !is_this(g_hints->file.objects[h.object], loaded)) continue;
    for (const hints::Code& c : h.code)
      if (at >= c.begin && at < c.end) return search.found = &h, 1;
  }
  return 1;
}

bool is_first(std::atomic<bool>& said) {
  return !said.load(std::memory_order_relaxed) && !said.exchange(true, std::memory_order_relaxed);
}

// A line may have several constructs of one kind: by a macro, say. A loop and an allocation are known by
// their calls, of which the compiler may have made several.
void tell_if_several(const hints::Hint& h, uintptr_t code) {
  if (h.construct == hints::Construct::loop || h.construct == hints::Construct::allocation) return;
  Said& said = g_hints->said[&h - g_hints->file.hints.data()];
  uintptr_t first = 0;
  if (said.code.compare_exchange_strong(first, code, std::memory_order_relaxed) || first == code) return;
  if (is_first(said.several))
    warn(
        "hints, line %d: %.200s is the place of more than one %s (of a macro, or of a template): \"%.200s\" is for all",
        h.line, h.place.c_str(), hints::name_of(h.construct), hints::values_of(h).c_str());
}

EK_NOINLINE const hints::Hint* search_for(hints::Construct construct, const void* code) {
  Search search{reinterpret_cast<uintptr_t>(code), construct};
  dl_iterate_phdr(look_at, &search);
  if (search.found) tell_if_several(*search.found, search.code);
  return search.found;
}

// Objects of the file that are not in this process, as far as can be told now: libraries may be opened later.
struct Missing {
  explicit Missing(const hints::Object* of) : object(of) {}
  const hints::Object* object;
  bool here = false;      // this very build
  std::string other;      // a build-id of the same name; empty: none, or it has no build-id
  bool has_name = false;  // a file of that name
};

int compare(dl_phdr_info* object, size_t, void* data) {
  auto& missing = *static_cast<Missing*>(data);
  const Loaded loaded = identity_of(*object);
  missing.here |= is_this(*missing.object, loaded);
  if (loaded.name == missing.object->name) missing.has_name = true, missing.other = loaded.build_id;
  return 0;
}

void tell_of_objects(const hints::File& file, const char* from) {
  for (size_t i = 0; i < file.objects.size(); ++i) {
    const hints::Object& o = file.objects[i];
    bool used = false;
    for (const hints::Hint& h : file.hints) used |= h.object == i;
    Missing missing(&o);
    if (used) dl_iterate_phdr(compare, &missing);
    if (!used || missing.here) continue;
    if (missing.has_name && o.build_id.empty())
      warn("%s: its hints about %.100s say for no build where they are. `einkorn run --hints` finds their lines", from,
           o.name.c_str());
    else if (missing.has_name)
      warn(
          "%s: its hints about %.100s are for another build of it (%.12s..., this one is %.12s...) and are not applied. `einkorn run "
          "--hints` finds their lines in this one, if it has line information (-g)",
          from, o.name.c_str(), o.build_id.c_str(), missing.other.c_str());
    else
      warn(
          "%s: %.100s is not in this process: its hints are for another program, or for a library that is opened later",
          from, o.name.c_str());
  }
}

// As it was read, before there were settings.
struct Read {
  hints::File file;
  std::vector<hints::Complaint> wrong;
  std::string unreadable;  // why the file is; empty: it is not
  bool good = false;
  char from[320];  // its name, for messages
};
Read* g_read = nullptr;  // stays, as its texts are the settings' values

}  // namespace

const hints::Hint* hint_for(hints::Construct construct, const void* code) {
  if (code == nullptr) return nullptr;
  const uint64_t key = key_of(construct, code);
  size_t at = (key * 0x9e3779b97f4a7c15ull) >> (64 - kShift);
  for (size_t looks = 0; looks < kMostLooks; ++looks, at = (at + 1) % kPlaces) {
    Known& place = g_known[at];
    // Acquire: the answer, stored before.
    uint64_t seen = place.key.load(std::memory_order_acquire);
    if (EK_LIKELY(seen == key)) return place.hint;
    if (seen == 0 && place.key.compare_exchange_strong(seen, key | kClaimed, std::memory_order_relaxed)) {
      place.hint = search_for(construct, code);
      // Release: the answer.
      place.key.store(key, std::memory_order_release);
      return place.hint;
    }
    if (seen == (key | kClaimed)) break;
  }
  return search_for(construct, code);
}

void for_each_variable(void (*f)(const hints::Hint&, void* begin, size_t bytes)) {
  if (!g_tuned || std::ranges::find(g_hints->file.hints, hints::Construct::variable, &hints::Hint::construct) ==
                      g_hints->file.hints.end())
    return;
  auto look = [](dl_phdr_info* object, size_t, void* data) {
    const Loaded loaded = identity_of(*object);
    for (const hints::Hint& h : g_hints->file.hints) {
      if (h.construct != hints::Construct::variable || !is_this(g_hints->file.objects[h.object], loaded)) continue;
      for (const hints::Code& c : h.code) {
        if (base::writes_to(*object, object->dlpi_addr + c.begin, c.end - c.begin))
          (*static_cast<decltype(f)*>(data))(h, reinterpret_cast<void*>(object->dlpi_addr + c.begin), c.end - c.begin);
        else hint_is_refused(&h, "no variable of that file is there");
      }
    }
    return 0;
  };
  dl_iterate_phdr(look, &f);
}

bool places_allocations() { return g_tuned && hints::places_allocations(g_hints->file); }

void hint_is_refused(const hints::Hint* h, const char* why) {
  if (!is_first(g_hints->said[h - g_hints->file.hints.data()].refused)) return;
  warn("hints, line %d: \"%.200s %.200s\" is not applied: %s", h->line, h->place.c_str(), hints::values_of(*h).c_str(),
       why);
}

void tuned_read(const char* value) {
  Read& read = *new Read;
  g_read = &read;
  std::string text;
  const bool is_text = !strncmp(value, "einkorn-hints ", 14);
  snprintf(read.from, sizeof read.from, "%.300s", is_text ? "hints" : value);
  if (is_text) text = value;
  else if (!machine::read_whole(value, hints::kMostBytes, &text, &read.unreadable)) return;
  read.good = hints::parse(text, read.file, read.wrong);
}

const char* tuned_variable(const char* name) {
  if (!g_read) return nullptr;
  for (const hints::Hint& h : g_read->file.hints)
    if (h.construct == hints::Construct::set && h.place == name && !hints::overruled_by(name, base::is_set))
      return h.value.c_str();
  return nullptr;
}

void tuned_init(Config& c) {
  if (!g_read) return;
  const Read& read = *g_read;
  const char* from = read.from;
  if (!read.unreadable.empty())
    return warn("EINKORN_HINTS=\"%.300s\" %s: there are no hints", from, read.unreadable.c_str());
  const std::vector<hints::Complaint>& wrong = read.wrong;
  const bool good = read.good;
  constexpr size_t kMostTold = 8;
  for (size_t i = 0; i < wrong.size() && i < kMostTold; ++i)
    warn("%s:%d: %s%s", from, wrong[i].line, wrong[i].what.c_str(),
         good ? ": the line is ignored" : ": there are no hints");
  if (wrong.size() > kMostTold) warn("%s: %zu further lines are ignored", from, wrong.size() - kMostTold);
  for (const hints::Hint& h : read.file.hints)
    if (h.construct == hints::Construct::set)
      if (const char* other = hints::overruled_by(h.place, base::is_set))
        warn("hints, line %d: \"set %.100s=%.100s\" is not applied: %s is set", h.line, h.place.c_str(),
             h.value.c_str(), other);
  hints::File file = read.file;
  std::erase_if(file.hints, [](const hints::Hint& h) { return h.construct == hints::Construct::set; });
  if (!good || file.hints.empty()) return;
  Hints& all = *new Hints;
  all.file = std::move(file);
  for (const hints::Hint& h : all.file.hints)
    if (h.code.empty())
      warn("%s:%d: where %.200s is in the program only `einkorn run --hints` finds out: the line is ignored", from,
           h.line, h.place.c_str());
  tell_of_objects(all.file, from);
  all.said = static_cast<Said*>(base::allocate(all.file.hints.size() * sizeof(Said)));
  g_hints = &all;
  g_tuned = true;
  for (const hints::Hint& h : all.file.hints) g_cuts_off |= h.cutoff >= 0, g_prioritizes |= h.priority > 0;
  if (!g_cuts_off || c.schedule->defer != schedule::Defer::adaptive) return;
  warn("EINKORN_SCHEDULE=%s cuts tasks off by itself: with the cut-offs of %s the schedule is ws", c.schedule->name,
       from);
  c.schedule = schedule::find_preset("ws");
}

}  // namespace einkorn::runtime
