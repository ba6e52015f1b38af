// EINKORN_STATS: what the schedules of the process did, as one line of JSON when it ends.
#include <fcntl.h>
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>

#include "runtime/team/placed.h"
#include "base/foreign_file.h"
#include "schedule/text.h"

namespace einkorn::runtime {

namespace {

void add_number(std::string& to, const char* name, uint64_t value) {
  to.append(",\"").append(name).append("\":").append(std::to_string(value));
}

std::string team_text(const Placed& p) {
  PlacedCounts sum;
  for (size_t i = 0; i < p.layout.workers.size(); ++i) {
    const PlacedCounts& c = p.workers[i].counts;
    sum.ran += c.ran, sum.own_place += c.own_place, sum.same_node += c.same_node, sum.foreign += c.foreign;
    sum.across += c.across, sum.rescued += c.rescued, sum.run_now += c.run_now;
    sum.steals += c.steals, sum.failed += c.failed, sum.stolen += c.stolen;
    if (c.most_stolen > sum.most_stolen) sum.most_stolen = c.most_stolen;
  }
  uint32_t most_thieves = 0;
  // Of sources that the schedule's `init` sent: by node of the machine.
  std::vector<uint32_t> sources(p.layout.nodes.size());
  for (size_t i = 0; i < p.layout.places.size(); ++i) {
    if (uint32_t n = p.places[i].most_thieves.load(std::memory_order_relaxed); n > most_thieves) most_thieves = n;
    if (int node = p.layout.places[i].node; node >= 0)
      sources[size_t(node)] += p.places[i].placed_first.load(std::memory_order_relaxed);
  }
  std::string t = "{\"workers\":" + std::to_string(p.layout.workers.size());
  add_number(t, "places", p.layout.places.size());
  add_number(t, "nodes", p.layout.populated.size());
  add_number(t, "ran", sum.ran);
  add_number(t, "own_place", sum.own_place);
  add_number(t, "same_node", sum.same_node);
  add_number(t, "foreign", sum.foreign);
  add_number(t, "across", sum.across);
  add_number(t, "rescued", sum.rescued);
  add_number(t, "run_now", sum.run_now);
  add_number(t, "steals", sum.steals);
  add_number(t, "failed", sum.failed);
  add_number(t, "stolen", sum.stolen);
  add_number(t, "most_stolen", sum.most_stolen);
  add_number(t, "most_thieves", most_thieves);
  t.append(",\"sources\":[");
  for (size_t i = 0; i < sources.size(); ++i) t.append(i ? "," : "").append(std::to_string(sources[i]));
  return t.append("]}");
}

std::string file_name(const char* text) {
  std::string name;
  for (; *text; ++text)
    if (text[0] == '%' && text[1] == 'p') name += std::to_string(getpid()), ++text;
    else name += *text;
  return name;
}

}  // namespace

void write_stats() {
  if (!g_config.stats) return;
  const schedule::Schedule& s = *g_config.schedule;
  std::string text = "{\"schedule\":\"";
  text.append(s.name).append("\",\"axes\":\"").append(schedule::axes_text(s)).append("\",\"teams\":[");
  bool first = true;
  for (const Placed* p = all_placed(); p; p = p->next) {
    text.append(first ? "" : ",").append(team_text(*p));
    first = false;
  }
  text.append("]}\n");
  const bool to_stderr = !strcmp(g_config.stats, "-");
  FILE* f = stderr;
  if (!to_stderr) {
    const int fd = base::open_own(file_name(g_config.stats).c_str(), O_WRONLY | O_CREAT | O_APPEND);
    f = fd >= 0 ? fdopen(fd, "a") : nullptr;
  }
  if (!f) return warn("EINKORN_STATS=%s cannot be written: %s", g_config.stats, strerror(errno));
  fputs(text.c_str(), f);
  if (!to_stderr) fclose(f);
}

}  // namespace einkorn::runtime
