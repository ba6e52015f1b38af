#include "schedule/shape.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "machine/text.h"

namespace einkorn::schedule {

namespace {

constexpr int kMostWorkers = 1 << 16;  // clusters, units, CPU numbers

bool refuse(std::string* why, std::string text) {
  *why = std::move(text);
  return false;
}

bool is_cpu_digit(char c) { return isdigit(static_cast<unsigned char>(c)) != 0; }

const char* skip_space(const char* s) {
  while (*s == ' ' || *s == '\t') ++s;
  return s;
}

// Moves s behind the number.
bool read_number(const char*& s, int least, int* out) {
  if (!is_cpu_digit(*s)) return false;
  long v = 0;
  for (; is_cpu_digit(*s); ++s)
    if ((v = v * 10 + (*s - '0')) > kMostWorkers) return false;
  *out = int(v);
  return v >= least;
}

// "0 3 1-2 4-15:2", with spaces or commas between.
bool listed_cpus(const char* s, std::vector<int>* out) {
  for (s = skip_space(s); *s;) {
    int first, last, stride = 1;
    if (!read_number(s, 0, &first)) return false;
    last = first;
    if (*s == '-' && !(read_number(++s, first, &last) && (*s != ':' || read_number(++s, 1, &stride)))) return false;
    for (int cpu = first; cpu <= last; cpu += stride) out->push_back(cpu);
    if (*s && *s != ' ' && *s != '\t' && *s != ',') return false;
    s = skip_space(s);
    if (*s == ',' && !*(s = skip_space(s + 1))) return false;
  }
  return !out->empty();
}

// PUs that are free beside those taken, by turns: [t] are those that become the t-th worker of their core (from 0), in
// the machine's order.
std::vector<std::vector<int>> by_turn(const machine::Machine& m, const std::vector<int>& taken) {
  std::vector<int> on_core(size_t(m.cores), 0);
  std::vector<bool> busy(m.pus.size(), false);
  for (const int pu : taken) busy[size_t(pu)] = true, ++on_core[size_t(m.pus[size_t(pu)].core)];
  std::vector<std::vector<int>> turns;
  for (size_t i = 0; i < m.pus.size(); ++i) {
    if (busy[i]) continue;
    const auto turn = size_t(on_core[size_t(m.pus[i].core)]++);
    if (turns.size() <= turn) turns.resize(turn + 1);
    turns[turn].push_back(int(i));
  }
  return turns;
}

const char kShapeForm[] = "CxU[,compact|spread|CPUs], such as 2x10, 4x5,spread or 2x2,0-3";

}  // namespace

bool parse_shape(const char* text, Shape* out, std::string* why) {
  Shape shape;
  const char* at = skip_space(text);
  const bool numbers =
      read_number(at, 0, &shape.clusters) && (*at == 'x' || *at == 'X') && read_number(++at, 0, &shape.units);
  if (!numbers || (*(at = skip_space(at)) && *at != ','))
    return refuse(why, machine::text("'%s' is no shape of clusters: %s", text, kShapeForm));
  if (shape.clusters == 0 || shape.units == 0)
    return refuse(why, machine::text("'%s' has no workers: one cluster of one is 1x1", text));
  if (shape.clusters > kMostWorkers / shape.units)
    return refuse(why, machine::text("'%s' has more than %d workers", text, kMostWorkers));
  if (*at == ',') {
    std::string over = skip_space(at + 1);
    over.resize(over.find_last_not_of(" \t") + 1);
    std::vector<int> cpus;
    if (over == "spread") {
      shape.over = Shape::spread;
    } else if (over != "compact") {
      if (!listed_cpus(over.c_str(), &cpus))
        return refuse(why, machine::text("'%s' in '%s' is neither compact nor spread nor a list of CPUs: %s",
                                         over.c_str(), text, kShapeForm));
      if (int(cpus.size()) != shape.workers())
        return refuse(
            why, machine::text("'%s' names %zu CPUs for %d workers: one for each", text, cpus.size(), shape.workers()));
      std::sort(cpus.begin(), cpus.end());
      if (auto twice = std::adjacent_find(cpus.begin(), cpus.end()); twice != cpus.end())
        return refuse(why, machine::text("'%s' names CPU %d twice: one for each worker", text, *twice));
      shape.over = Shape::list;
      shape.cpus = strdup(over.c_str());
      if (!shape.cpus) return refuse(why, "out of memory");
    }
  }
  *out = shape;
  return true;
}

bool parse_shapes(const char* text, std::vector<Shape>* out, std::string* why) {
  const std::string all = text;
  std::vector<std::string> each;
  for (size_t at = 0; at <= all.size();) {
    const size_t end = std::min(all.find(',', at), all.size());
    const std::string word = all.substr(at, end - at);
    // A list of CPUs has commas, too; only a shape has an x behind its first number.
    const char* behind = skip_space(word.c_str());
    while (is_cpu_digit(*behind)) ++behind;
    const bool begins = *behind == 'x' || *behind == 'X';
    if (begins || each.empty()) each.push_back(word);
    else each.back() += "," + word;
    at = end + 1;
  }
  for (const std::string& one : each) {
    Shape shape;
    if (!parse_shape(one.c_str(), &shape, why)) return false;
    out->push_back(shape);
  }
  return true;
}

std::string shape_text(const Shape& s) {
  std::string text = std::to_string(s.clusters) + "x" + std::to_string(s.units);
  if (s.over == Shape::spread) text += ",spread";
  if (s.over == Shape::list) text.append(",").append(s.cpus);
  return text;
}

bool place_shape(const Shape& s, const machine::Machine& m, std::vector<int>* pus, std::string* why) {
  const int n = s.workers();
  pus->clear();
  if (n > m.pu_count())
    return refuse(why, machine::text("%s wants %d CPUs, and there are %d: take fewer clusters or units, up to 1x%d",
                                     shape_text(s).c_str(), n, m.pu_count(), m.pu_count()));
  if (s.over == Shape::list) {
    std::vector<int> cpus;
    listed_cpus(s.cpus, &cpus);
    for (const int cpu : cpus) {
      const auto at = std::find_if(m.pus.begin(), m.pus.end(), [&](const machine::Pu& p) { return p.os == cpu; });
      if (at == m.pus.end())
        return refuse(why, machine::text("%s names CPU %d, which is not there: `einkorn machine` lists those that are",
                                         shape_text(s).c_str(), cpu));
      pus->push_back(int(at - m.pus.begin()));
    }
    return true;
  }
  // The turns that are needed in full, and of the last one the first (compact) or every so many-th (spread).
  size_t left = size_t(n);
  for (const std::vector<int>& turn : by_turn(m, {})) {
    const size_t take = std::min(left, turn.size());
    for (size_t i = 0; i < take; ++i) pus->push_back(turn[s.over == Shape::compact ? i : i * turn.size() / take]);
    if ((left -= take) == 0) break;
  }
  std::sort(pus->begin(), pus->end());  // neighbours in number are neighbours on the machine
  return true;
}

std::vector<int> pus_of(const Shape& s, const machine::Machine& m, int threads) {
  std::vector<int> all, out;
  std::string why;
  if (s.clusters == 0 || !place_shape(s, m, &all, &why)) all.clear();
  if (int(all.size()) < threads)
    for (const std::vector<int>& turn : by_turn(m, all)) all.insert(all.end(), turn.begin(), turn.end());
  for (size_t w = 0; w < size_t(threads); ++w) out.push_back(all[w % all.size()]);
  return out;
}

std::vector<int> clusters_of(const Shape& s, const machine::Machine& m, const std::vector<int>& pus) {
  std::vector<int> out, places, of_pu(m.pus.size(), -1);
  std::string why;
  if (s.clusters == 0 || !place_shape(s, m, &places, &why)) {
    for (const int pu : pus) out.push_back(m.pus[size_t(pu)].node);
    return out;
  }
  for (size_t i = 0; i < places.size(); ++i) of_pu[size_t(places[i])] = int(i) / s.units;
  bool by_pu = true;
  for (const int pu : pus) {
    out.push_back(of_pu[size_t(pu)]);
    by_pu = by_pu && out.back() >= 0;
    of_pu[size_t(pu)] = -1;  // taken
  }
  for (size_t w = 0; !by_pu && w < pus.size(); ++w) out[w] = int(w) / s.units % s.clusters;
  return out;
}

}  // namespace einkorn::schedule
