#include "schedule/text.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "machine/text.h"
#include "schedule/freeing.h"
#include "schedule/select.h"
#include "schedule/shape.h"

namespace einkorn::schedule {

namespace {

struct Name {
  const char* name;
  int value;
  const char* also = nullptr;  // as the literature spells it
};

// One axis: its name, where its value is, and the values' names.
struct Axis {
  const char* name;
  int (*get)(const Schedule&);
  void (*set)(Schedule&, int);
  std::initializer_list<Name> values;
};

#define EK_AXIS(text, field, ...)                                                                                    \
  {text, [](const Schedule& s) { return int(s.field); }, [](Schedule& s, int v) { s.field = decltype(s.field)(v); }, \
   __VA_ARGS__}

const Axis kAxes[] = {
    EK_AXIS("places", places,
            {{"core", 0},
             {"llc", 1},
             {"node", 2},
             {"core+node", 3},
             {"machine", 4},
             {"cluster", 5},
             {"cluster+core", 6},
             {"tree", 7}}),
    EK_AXIS("order", order, {{"lifo", 0}, {"fifo", 1}}),
    EK_AXIS("when", when, {{"created", 0}, {"ready", 1}}),
    EK_AXIS("defer", defer, {{"always", 0}, {"count", 1}, {"queue-full", 2}, {"depth", 3}, {"adaptive", 4}}),
    EK_AXIS("init", init,
            {{"as-push", 0}, {"local", 1}, {"cyclic-node", 2, "cyclicnuma"}, {"random-node", 3, "randnuma"}}),
    EK_AXIS("push", push,
            {{"local", 0, "pLoc"},
             {"local-node", 1, "pLocNum"},
             {"round-robin", 2},
             {"writer-node", 3, "pNumaW"},
             {"writer-node-or-local", 4, "pNumaWLoc"},
             {"least-cost", 5}}),
    EK_AXIS("select", select, {}),  // the rules' names: select.h
    EK_AXIS("take", take, {{"one", 0}, {"quarter", 1}, {"half", 2}, {"N", 3}, {"per-worker", 4}}),
    EK_AXIS("thieves", thieves, {{"any", 0}, {"one-per-place", 1}}),
    EK_AXIS("backoff", backoff, {{"none", 0}, {"exponential", 1}}),
    EK_AXIS("wait", wait, {{"descendants", 0}}),
    EK_AXIS("data", data, {{"any", 0}, {"coarse", 1}}),
    EK_AXIS("cache", cache, {{"llc", 0}, {"l1", 1}}),
    EK_AXIS("reach", reach, {{"loose", 0}, {"strict", 1}, {"vicinity:N", 2}}),
    EK_AXIS("free", free, {{"now", 0}, {"idle:N", 1}}),
    EK_AXIS("tp-push", tp_push, {{"local", 0}, {"round-robin", 1}, {"named", 2}}),
    EK_AXIS("tp-reach", tp_reach, {{"loose", 0}, {"node", 1}, {"cluster", 2}}),
};
#undef EK_AXIS

bool is_select(const Axis& a) { return a.values.size() == 0; }
int count_values(const Axis& a) { return is_select(a) ? kSelectRuleCount : int(a.values.size()); }
Name value_of(const Axis& a, int i) {
  return is_select(a) ? Name{kSelectRules[i].name, i, kSelectRules[i].also} : a.values.begin()[i];
}

// What there is, for a word nobody knows.
class Choices {
 public:
  explicit Choices(const std::string& word) : nearest_(word) {}
  void offer(const char* name) {
    nearest_.offer(name);
    if (!all_.empty()) all_ += ", ";
    all_ += name;
  }
  // "did you mean 'mts'? There are: ws, mts, ..."
  std::string text() const {
    std::string t;
    if (!nearest_.name().empty()) t.append("did you mean '").append(nearest_.name()).append("'? ");
    return t.append("There are: ").append(all_);
  }

 private:
  machine::Nearest nearest_;
  std::string all_;
};

// Up to the first of `ends`, which is left in *s.
std::string word_until(const char*& s, const char* ends) {
  size_t n = strcspn(s, ends);
  std::string word(s, n);
  s += n;
  return word;
}

bool to_number(const std::string& text, double least, double most, double* out) {
  char* end;
  double v = strtod(text.c_str(), &end);
  if (text.empty() || *end || !(v >= least && v <= most)) return false;
  *out = v;
  return true;
}

bool fail(std::string* why, std::string text) {
  *why = std::move(text);
  return false;
}

const Axis* find_axis(const std::string& name) {
  for (const Axis& a : kAxes)
    if (name == a.name) return &a;
  return nullptr;
}

bool set_value(const Axis& axis, const std::string& value, Schedule* s, std::string* why) {
  for (int i = 0; i < count_values(axis); ++i) {
    const Name v = value_of(axis, i);
    if (value != v.name && !(v.also && value == v.also)) continue;
    if (strchr(v.name, 'N')) break;
    return axis.set(*s, v.value), true;
  }
  double number;
  if (!strcmp(axis.name, "take") && to_number(value, 1, 1 << 16, &number)) {
    s->take = Take::number;
    s->take_number = int(number);
    return true;
  }
  if (!strcmp(axis.name, "reach") && value.rfind("vicinity:", 0) == 0) {
    if (!to_number(value.substr(9), 1, 1 << 16, &number))
      return fail(why, "reach=" + value + ": how many workers a group, such as vicinity:4");
    s->reach = Reach::vicinity;
    s->vicinity = int(number);
    return true;
  }
  if (!strcmp(axis.name, "free") && value.rfind("idle:", 0) == 0) {
    if (!to_number(value.substr(5), 1, kMostKept, &number))
      return fail(why, "free=" + value + ": from how many blocks on a worker without work gives them back, such as " +
                           "idle:50; at most " + std::to_string(kMostKept));
    s->free = Free::idle;
    s->free_number = int(number);
    return true;
  }
  Choices choices(value);
  for (int i = 0; i < count_values(axis); ++i) choices.offer(value_of(axis, i).name);
  return fail(why, std::string(axis.name) + " has no value '" + value + "': " + choices.text());
}

// PROCEDURES:CODELETS, us.
bool set_level_caps(const std::string& value, Schedule* s, std::string* why) {
  const size_t colon = value.find(':');
  double beyond = 0, within = 0;
  if (!to_number(value.substr(0, colon), 1, 1 << 30, &beyond) ||
      !to_number(value.substr(colon + 1), 1, 1 << 30, &within))
    return fail(why,
                "cap=" + value + ": microseconds from 1 on, for procedures and for codelets, such as cap=512:4096");
  s->cap_us[kBeyond] = int(beyond);
  s->cap_us[kWithin] = int(within);
  return true;
}

bool set_axis(const std::string& name, const std::string& value, Schedule* s, std::string* why) {
  if (const Axis* axis = find_axis(name)) return set_value(*axis, value, s, why);
  double number;
  if (name == "name") {
    for (char c : value)
      if (!isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.')
        return fail(why, "name=" + value + ": letters, digits and - _ . only");
    s->name = strdup(value.c_str());
    return s->name != nullptr;
  }
  if (name == "limit") {
    if (!to_number(value, 1, 1 << 30, &number)) return fail(why, "limit=" + value + ": a number of tasks from 1 on");
    return s->defer_limit = int(number), true;
  }
  if (name == "cap") {
    if (value.find(':') != value.npos) return set_level_caps(value, s, why);
    if (!to_number(value, 1, 1 << 20, &number)) return fail(why, "cap=" + value + ": a number of searches from 1 on");
    s->cap_us[kBeyond] = s->cap_us[kWithin] = 0;
    return s->cap = int(number), true;
  }
  if (name == "amm") return parse_shape(value.c_str(), &s->shape, why);
  if (name == "guard") {
    if (!to_number(value, 0, 1e6, &number))
      return fail(why, "guard=" + value + ": tasks a unit of distance and worker, 0 for none");
    return s->guard = float(number), true;
  }
  if (name == "footprint") {
    if (!to_number(value, 0, 1e6, &number))
      return fail(why, "footprint=" + value + ": a share of a worker's cache, such as 1 or 0.5");
    return s->least_cost_share = float(number), true;
  }
  Choices choices(name);
  for (const Axis& a : kAxes) choices.offer(a.name);
  for (const char* n : {"limit", "cap", "guard", "footprint", "amm", "name"}) choices.offer(n);
  return fail(why, "a schedule has no axis '" + name + "': " + choices.text());
}

// INIT+PUSH+SELECT[+strict] of Virouleau et al. (2016).
bool set_strategies(const std::string& text, Schedule* s, std::string* why) {
  const char* at = text.c_str();
  for (const char* axis : {"init", "push", "select"}) {
    std::string value = word_until(at, "+");
    if (value.empty())
      return fail(why, "xkaapi wants INIT+PUSH+SELECT, such as xkaapi:cyclic-node+writer-node+core-then-node");
    if (!set_axis(axis, value, s, why)) return false;
    if (*at == '+') ++at;
  }
  if (*at == 0) return true;
  if (strcmp(at, "strict") != 0)
    return fail(why, std::string("after the three strategies of xkaapi there may only be +strict, not '+") + at + "'");
  s->reach = Reach::strict;
  return true;
}

// Which values go together. What a schedule could never run is said here.
bool check(const Schedule& s, std::string* why) {
  if (s.defer == Defer::adaptive && !s.is_default) return fail(why, "defer=adaptive is served by ws-adaptive alone");
  if (s.when == When::created && s.init != Init::as_push)
    return fail(why, "init=... needs when=ready: before, it is not known which tasks wait for nobody");
  if (s.reach == Reach::strict && s.places == Places::machine)
    return fail(why,
                "reach=strict needs queues of nodes or cores: with places=machine there is one queue for all nodes");
  if (s.reach == Reach::vicinity && s.places != Places::core)
    return fail(why, "reach=vicinity:N needs places=core: groups are made of cores");
  if (s.thieves == Thieves::one_per_place && s.places == Places::core_node)
    return fail(why, "thieves=one-per-place needs workers that share one queue: places=llc or node");
  bool by_kind = s.select == Select::core_then_node || s.select == Select::node_then_core ||
                 s.select == Select::core_only || s.select == Select::node_only;
  if (by_kind && s.places != Places::core_node)
    return fail(why, "that select goes by cores and nodes: it needs places=core+node");
  const bool by_node = by_kind || s.select == Select::random_node || s.select == Select::near_first;
  if (has_two_levels(s) && by_node)
    return fail(why,
                "that select goes by nodes: queues of clusters have up, random, round-robin, most-loaded, none, or a "
                "rule that has a file of its own (two-choices)");
  if (has_two_levels(s) && (s.init != Init::as_push || (s.push != Push::local && s.push != Push::round_robin)))
    return fail(why,
                "with queues of clusters tp-push says where tasks go: push=local or round-robin is for the codelets in "
                "a cluster, and init=as-push");
  if (has_two_levels(s) && s.place_task)
    return fail(why, std::string(s.name) + " has a rule of its own where tasks go: not with queues of clusters");
  if (s.select == Select::up && !has_two_levels(s) && s.places != Places::core && s.places != Places::tree)
    return fail(why, "select=up goes by clusters: it needs places=core, tree, cluster or cluster+core");
  if (s.places == Places::tree &&
      (by_node || s.init != Init::as_push || (s.push != Push::local && s.push != Push::round_robin)))
    return fail(why,
                "places=tree goes by clusters: push=local or round-robin, init=as-push, and select=up, random, "
                "round-robin, most-loaded, none, or a rule that has a file of its own (two-choices)");
  if (s.places == Places::tree && s.place_task)
    return fail(why, std::string(s.name) + " has a rule of its own where tasks go: not with places=tree");
  if (has_level_caps(s) && (!has_two_levels(s) || s.backoff == Backoff::none))
    return fail(
        why, "cap=PROCEDURES:CODELETS is for two levels, and for backoff=exponential: places=cluster or cluster+core");
  if (s.thieves == Thieves::one_per_place && (s.places == Places::cluster_core || s.places == Places::tree))
    return fail(why, "thieves=one-per-place needs workers that share one queue: places=cluster");
  if (s.places == Places::machine && s.select != Select::none && s.select != Select::random)
    return fail(why, "with places=machine there is one queue: select=none");
  return true;
}

}  // namespace

bool parse_schedule(const char* text, Schedule* out, std::string* why) {
  const char* at = text;
  Schedule s;
  std::string first = word_until(at, ":,=");
  if (*at == '=') {
    at = text;
    s = *find_preset("ws");
    s.name = "custom";
    s.what = "";
    s.is_default = false;
  } else {
    const Schedule* preset = find_preset(first.c_str());
    if (!preset) {
      Choices choices(first);
      int count;
      const Schedule* const* all = presets(&count);
      for (int i = 0; i < count; ++i) choices.offer(all[i]->name);
      return fail(why, "there is no schedule '" + first + "': " + choices.text());
    }
    s = *preset;
    if (*at == ':') {
      std::string argument = word_until(++at, ",");
      double number;
      if (first == "vicinity") {
        if (!to_number(argument, 1, 1 << 16, &number))
          return fail(why, "vicinity wants the number of cores a group, such as vicinity:4");
        s.vicinity = int(number);
      } else if (first == "xkaapi") {
        if (!set_strategies(argument, &s, why)) return false;
      } else {
        return fail(why, "schedule " + first + " takes nothing after a colon; axes are changed like this: " + first +
                             ",take=4");
      }
    }
    if (*at == ',') ++at;
  }
  while (*at) {
    std::string axis = word_until(at, "=,");
    if (*at != '=') return fail(why, "'" + axis + "' has no value: AXIS=VALUE, such as order=fifo");
    std::string value = word_until(++at, ",");
    // A shape goes on behind commas: amm=2x4,0-3,8-11
    for (size_t n; axis == "amm" && *at == ',' && at[n = 1 + strcspn(at + 1, "=,")] != '='; at += n)
      value.append(at, n);
    s.is_default = false;
    if (!set_axis(axis, value, &s, why)) return false;
    if (*at == ',') ++at;
  }
  if (!check(s, why)) return false;
  *out = s;
  return true;
}

std::string axes_text(const Schedule& s) {
  std::string text;
  for (const Axis& a : kAxes) {
    // These are of one rule alone, and of clusters.
    if (!has_clusters(s) && !strncmp(a.name, "tp-", 3)) continue;
    if (s.free == Free::now && !strcmp(a.name, "free")) continue;
    if (s.push != Push::least_cost && (!strcmp(a.name, "data") || !strcmp(a.name, "cache"))) continue;
    const char* name = "";
    for (int i = 0; i < count_values(a); ++i)
      if (value_of(a, i).value == a.get(s)) name = value_of(a, i).name;
    text.append(text.empty() ? "" : ",").append(a.name).append("=");
    if (!strcmp(name, "N")) text += std::to_string(s.take_number);
    else if (!strcmp(name, "idle:N")) text.append("idle:").append(std::to_string(s.free_number));
    else if (!strcmp(name, "vicinity:N")) text.append("vicinity:").append(std::to_string(s.vicinity));
    else text += name;
  }
  if (s.defer != Defer::always) text += ",limit=" + std::to_string(s.defer_limit);
  if (has_level_caps(s)) text += ",cap=" + std::to_string(s.cap_us[kBeyond]) + ":" + std::to_string(s.cap_us[kWithin]);
  else if (s.backoff != Backoff::none && s.cap != Schedule{}.cap) text += ",cap=" + std::to_string(s.cap);
  if (s.shape.clusters > 0) text += ",amm=" + shape_text(s.shape);
  char number[64];
  if (s.guard > 0) text += std::string(",guard=") + (snprintf(number, sizeof number, "%g", double(s.guard)), number);
  if (s.push == Push::least_cost)
    text += std::string(",footprint=") + (snprintf(number, sizeof number, "%g", double(s.least_cost_share)), number);
  return text;
}

std::string shape_means_little(const Schedule& s) {
  if (s.shape.clusters == 0 || has_clusters(s)) return "";
  std::string known;
  int count;
  const Schedule* const* all = presets(&count);
  for (int i = 0; i < count; ++i)
    if (has_clusters(*all[i])) known.append(known.empty() ? "" : ", ").append(all[i]->name);
  return "the schedule " + std::string(s.name) + " knows no clusters: the shape " + shape_text(s.shape) +
         " only places its threads. Schedules with clusters are " + known;
}

namespace {
constexpr const char* kLoopVictims[] = {"none", "random", "nearest", "most-loaded"};
}

const char* loop_victim_name(LoopVictim v) { return kLoopVictims[int(v)]; }

bool parse_loop_victim(const char* text, LoopVictim* out, std::string* why) {
  Choices choices(text);
  for (int i = 0; i < 4; ++i) {
    if (!strcmp(text, kLoopVictims[i])) return *out = LoopVictim(i), true;
    choices.offer(kLoopVictims[i]);
  }
  return fail(why, std::string("there is no rule '").append(text).append("': ").append(choices.text()));
}

}  // namespace einkorn::schedule
