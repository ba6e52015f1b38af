#include "runtime/places/places.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/load.h"
#include "machine/near.h"
#include "runtime/settings/icv.h"
#include "runtime/team/worker.h"
#include "schedule/shape.h"
#include "schedule/text.h"

namespace einkorn::runtime {

Places g_places;
const machine::Machine* g_model = nullptr;
bool g_affinity_asked = false;

namespace {

std::atomic<int> g_next_foreign{1};  // place of the next thread that we did not make
int g_shaped = 0;                    // places of the shape's workers, the first ones; behind them are the free CPUs

void bind_to(Worker* w, int place) {
  w->place = int16_t(place);
  if (g_model) return;
  if (base::set_affinity(g_places.sets[place])) return;
  static std::atomic<bool> said{false};
  if (!said.exchange(true, std::memory_order_relaxed))
    warn(
        "a thread cannot be bound to place %d (%s): it runs where the system lets it. Has the set of CPUs that this process "
        "may use become smaller?",
        place, strerror(errno));
}

// Threads 0..threads-1 in as many groups as there are places, sizes differing by one at most: the group of thread i.
int group_of(int i, int threads, int places) {
  int size = threads / places, larger = threads % places;
  int in_larger = larger * (size + 1);
  return i < in_larger ? i / (size + 1) : larger + (i - in_larger) / size;
}

// Part `part` of `places` consecutive ones cut into `parts`: sizes differ by one at most.
void part_of(int part, int parts, int places, int* first, int* count) {
  int size = places / parts, larger = places % parts;
  *first = part * size + (part < larger ? part : larger);
  *count = size + (part < larger);
}

// The first and the last place of thread i's part where LLVM's library spreads n threads over `places` places, counted
// from the primary thread's. OpenMP leaves open which parts are larger by one. With all places of the process the parts
// follow its steps of (places + 1) / n; inside a part, the larger ones are every n / rest threads.
void part_as_libomp(int i, int n, int places, bool all, int* first, int* last) {
  if (all) {
    const double step = double(places + 1) / n;
    double current = 0;
    for (int k = 0; k < i; ++k) current += step;  // rounded as there
    *first = std::min(int(current), places - 1);
    *last = std::clamp(int(current + step) - 1, *first, places - 1);
    return;
  }
  const int size = places / n;
  int rest = places % n, place = 0;
  const int gap = rest > 0 ? n / rest : 1;
  for (int k = 0, since = gap; k <= i; ++k, ++since) {
    *first = place;
    place += size;
    if (rest > 0 && since == gap) ++place, --rest, since = 0;
    *last = place - 1;
  }
}

Places every_thread(const base::CpuSet& allowed) {
  using machine::Level;
  machine::CpuSets found =
      g_model ? machine::groups(*g_model, Level::thread, allowed) : machine::groups(Level::thread, allowed);
  return {found.sets, found.count};
}

const char* text_of(const Places& places);

// A place for each worker of the schedule's shape, so that thread i of a team is worker i; then one for each CPU that
// is free, for larger teams. None: there is no shape, or one that does not fit; then there is none from here on.
Places of_shape(Config& c) {
  if (c.schedule->shape.clusters == 0) return {};
  const machine::Machine& m = machine::this_machine();
  std::vector<int> pus;
  std::string why;
  if (!schedule::place_shape(c.schedule->shape, m, &pus, &why)) {
    warn("the shape of clusters is ignored (there is one for each memory node instead): %s", why.c_str());
    static schedule::Schedule without;
    without = *c.schedule;
    without.shape = c.amm = {};
    c.schedule = &without;
    bind_by_schedule(c);
    return {};
  }
  if (const std::string little = schedule::shape_means_little(*c.schedule); !little.empty()) warn("%s", little.c_str());
  if (c.num_threads_levels == 0) c.num_threads[0] = int(pus.size()), c.num_threads_levels = 1;
  pus = schedule::pus_of(c.schedule->shape, m, m.pu_count());
  auto* sets = static_cast<base::CpuSet*>(calloc(pus.size(), sizeof(base::CpuSet)));
  if (!sets) fatal("out of memory: places of %zu workers", pus.size());
  for (size_t i = 0; i < pus.size(); ++i) sets[i].add(m.pus[size_t(pus[i])].os);
  return {sets, int(pus.size())};
}

}  // namespace

void machine_init() {
  machine::ask_for(g_config.machine);
  if (!g_config.machine) return;
  const machine::Machine& m = machine::this_machine();
  if (m.real) return;
  g_model = &m;
  g_procs = m.pu_count();
}

void places_init() {
  Config& c = g_config;
  const base::CpuSet allowed = g_model ? machine::cpus_of(*g_model) : g_initial_cpus;
  const Places shape = of_shape(c);
  // The program's places win, and its wish not to be bound.
  const bool shaped = shape.count > 0 && !c.places && !c.cpu_affinity && c.proc_bind_levels == 0;
  if (shaped) c.proc_bind[0] = ProcBind::close, c.proc_bind_levels = 1;
  // On a model every thread has a place, for what is decided by places, unless that is switched off.
  if (g_model && c.proc_bind_levels == 0) c.proc_bind[0] = ProcBind::on, c.proc_bind_levels = 1;
  bool wanted = c.proc_bind_levels > 0 && c.proc_bind[0] != ProcBind::off;
  const char* names[] = {"OMP_PLACES", "GOMP_CPU_AFFINITY"};
  const char* texts[] = {c.places, c.cpu_affinity};
  for (int i = 0; i < 2; ++i) {
    Places found;
    const char* why = nullptr;
    bool dropped = false;
    if (!texts[i]) continue;
    bool good = (i == 0 ? parse_places : parse_cpu_list)(texts[i], allowed, &found, &why, &dropped);
    if (!good) {
      warn("%s=\"%s\" is not valid and is ignored: %s", names[i], texts[i], why);
      continue;
    }
    if (dropped)
      warn("%s=\"%s\" names CPUs that %s: they are left out", names[i], texts[i],
           g_model ? "EINKORN_MACHINE does not have" : "this process may not use");
    if (g_places.count == 0 && wanted) g_places = found;
    else free(static_cast<void*>(found.sets));
  }
  if (shaped) g_places = shape, g_shaped = c.schedule->shape.workers();
  else free(static_cast<void*>(shape.sets));
  bool asked_by_name = g_model || (c.proc_bind_levels > 0 && is_set_or_hinted("OMP_PROC_BIND"));
  if (wanted && g_places.count == 0) {
    // Invalid places alone bind nothing; OMP_PROC_BIND without (valid) places means one place for each hardware thread.
    if (asked_by_name) g_places = every_thread(allowed);
    else c.proc_bind_levels = 0, c.proc_bind[0] = ProcBind::off;
  }
  c.places = g_places.count > 0 ? text_of(g_places) : nullptr;
  g_affinity_asked = g_places.count > 0 || c.display_affinity;
  if (g_places.count > 0 && !g_model && syscall(SYS_gettid) == getpid()) base::set_affinity(g_places.sets[0]);
}

int first_partition() { return g_shaped > 0 ? g_shaped : g_places.count; }

void place_serial_team(Worker* w) {
  if (g_places.count == 0) return;
  Slot& slot = w->team->slots[0];
  w->place = slot.place = -1;
  slot.first_place = 0;
  slot.places = int16_t(first_partition());
  if (w->initial) {
    slot.place = 0;
    return bind_to(w, 0);
  }
  if (g_model) return;
  // A mask that is just a place is one that it has from the thread of ours that made it.
  base::CpuSet mask;
  if (!base::affinity(0, &mask)) return;
  for (int i = 0; i < g_places.count; ++i)
    if (g_places.sets[i] == mask) {
      base::set_affinity(g_initial_cpus);
      return;
    }
}

ProcBind region_policy(const Worker* w, ProcBind clause) {
  ProcBind inherited = icv(w).proc_bind;
  return inherited == ProcBind::off || clause == ProcBind::off ? inherited : clause;
}

ProcBind inner_policy(ProcBind region, int level) {
  const Config& c = g_config;
  return c.proc_bind_levels > 1 && level < c.proc_bind_levels && region != ProcBind::off ? c.proc_bind[level] : region;
}

namespace {

// OMP_DISPLAY_AFFINITY: all threads of a region print when the region is not as the last one of its primary thread.
void decide_display(Worker* w, Team* team, int n) {
  team->show_affinity = false;
  if (!g_config.display_affinity || team->league) return;
  // Of everything that may be printed, what a program can change from region to region.
  uint64_t hash = uint64_t(n) * 0x9e3779b97f4a7c15u + uint64_t(team->level);
  for (int i = 0; g_places.count > 0 && i < n; ++i) hash = (hash ^ uint16_t(team->slots[i].place)) * 0x100000001b3u;
  team->show_affinity = hash != w->affinity_shown;
  w->affinity_shown = hash;
}

}  // namespace

void place_team(Worker* w, Slot* outer, Team* team, int n, ProcBind policy) {
  if (g_places.count == 0) return decide_display(w, team, n);
  if (w->place < 0) {
    outer->place = int16_t(outer->first_place + g_next_foreign.fetch_add(1, std::memory_order_relaxed) % outer->places);
    bind_to(w, outer->place);
  }
  // A team that is larger than the shape has what is behind it, too; not one inside of others, which has its part.
  const bool beyond = outer->places == g_shaped && outer->first_place == 0 && team->active_level <= 1;
  const int first = outer->first_place, at = w->place - first;
  const int places = beyond ? std::clamp(n, g_shaped, g_places.count) : outer->places;
  auto wrap = [&](int i) { return first + i % places; };
  // The part that the primary thread's place is in: the parts are counted from it on.
  int own_part = 0;
  if (policy == ProcBind::spread && n <= places)
    for (int begin, count; own_part < n; ++own_part) {
      part_of(own_part, n, places, &begin, &count);
      if (at < begin + count) break;
    }
  for (int i = 0; i < n; ++i) {
    Slot& s = team->slots[i];
    s.first_place = int16_t(first);
    s.places = int16_t(places);
    switch (policy) {
      case ProcBind::primary:
      case ProcBind::off: s.place = w->place; break;
      default:  // close, and true as close; the list of GOMP_CPU_AFFINITY goes round in LLVM's library
        if (policy == ProcBind::on && g_config.for_libomp && g_config.cpu_affinity) s.place = int16_t(wrap(at + i));
        else s.place = int16_t(wrap(at + (n <= places ? i : group_of(i, n, places))));
        break;
      case ProcBind::spread:
        if (n <= places && g_config.for_libomp && at == 0) {
          int begin, end;
          part_as_libomp(i, n, places, places == g_places.count, &begin, &end);
          s.first_place = s.place = int16_t(first + begin);
          s.places = int16_t(end - begin + 1);
        } else if (n <= places) {
          int begin, count;
          part_of((own_part + i) % n, n, places, &begin, &count);
          s.first_place = int16_t(first + begin);
          s.places = int16_t(count);
          s.place = i == 0 ? w->place : s.first_place;
        } else {
          s.place = s.first_place = int16_t(wrap(at + group_of(i, n, places)));
          s.places = 1;
        }
        break;
    }
  }
  decide_display(w, team, n);
}

void take_place(Worker* w) {
  const Slot* s = w->slot;
  if (g_places.count > 0 && w->place != s->place) bind_to(w, s->place);
  if (w->team->show_affinity) display_affinity(w, nullptr, w->team->clang);
}

namespace {

// {0,1},{2,3}: what OMP_DISPLAY_ENV shows.
const char* text_of(const Places& places) {
  size_t size = 1, used = 0;
  for (int i = 0; i < places.count; ++i) size += 3 + 6 * size_t(places.sets[i].count());
  auto* text = static_cast<char*>(malloc(size));
  if (!text) return nullptr;
  for (int i = 0; i < places.count; ++i) {
    const base::CpuSet& set = places.sets[i];
    used += size_t(snprintf(text + used, size - used, i ? ",{" : "{"));
    for (int cpu = set.next(0), k = 0; cpu >= 0; cpu = set.next(cpu + 1), ++k)
      used += size_t(snprintf(text + used, size - used, k ? ",%d" : "%d", cpu));
    used += size_t(snprintf(text + used, size - used, "}"));
  }
  return text;
}

}  // namespace

}  // namespace einkorn::runtime
