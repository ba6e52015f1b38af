#include "hints/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

namespace einkorn::hints {

namespace {

constexpr const char* kConstructNames[kConstructs] = {"task",       "taskloop", "loop", "region",
                                                      "allocation", "variable", "set"};
constexpr const char* kKindNames[] = {"", "static", "dynamic", "guided"};
constexpr const char* kBindNames[] = {"", "primary", "close", "spread"};
constexpr const char* kSpreadNames[] = {"", "fine", "coarse", "blocked", "nearest"};
constexpr std::string_view kFirstWord = "einkorn-hints";
// Longer words come from no compiler, linker or person.
constexpr size_t kMostWord = 4096;
constexpr uint32_t kMostThreads = 65534, kMostDepth = 1'000'000, kMostIterations = 0x7fffffff;
constexpr uint32_t kMostPriority = 1'000'000;
constexpr size_t kMostCode = 1024;  // addresses of one hint: copies of its function

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view next_word(std::string_view& rest) {
  while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
  size_t n = 0;
  while (n < rest.size() && !is_space(rest[n])) ++n;
  const std::string_view word = rest.substr(0, n);
  rest.remove_prefix(n);
  return !word.empty() && word.front() == '#' ? (rest = {}) : word;
}

// As it may stand in a message: hostile files are told of, too.
std::string quoted(std::string_view word) {
  std::string text = "\"";
  for (char c : word.substr(0, 60)) text += c >= ' ' && c < 0x7f ? c : '?';
  text += word.size() > 60 ? "...\"" : "\"";
  return text;
}

bool number(std::string_view s, uint64_t most, uint64_t& out, int base = 10) {
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), out, base);
  return error == std::errc() && end == s.data() + s.size() && !s.empty() && out <= most;
}

// Names come into messages: nothing in them is for a terminal.
bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }

int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

bool decoded(std::string_view word, std::string& out) {
  out.clear();
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '%') {
      out += word[i];
      continue;
    }
    const int high = i + 2 < word.size() ? hex_digit(word[i + 1]) : -1, low = high < 0 ? -1 : hex_digit(word[i + 2]);
    if (low < 0) return false;
    out += char(high * 16 + low);
    i += 2;
  }
  return !out.empty() && std::none_of(out.begin(), out.end(), is_control);
}

std::string encoded(const std::string& name) {
  std::string text;
  for (char c : name) {
    char code[4];
    snprintf(code, sizeof code, "%%%02x", static_cast<unsigned char>(c));
    if (c == ' ' || c == '%' || c == '#' || c == ',') text += code;
    else text += is_control(c) ? '?' : c;
  }
  return text;
}

bool is_build_id(std::string_view s) {
  return s.size() <= 128 && s.size() % 2 == 0 &&
         std::all_of(s.begin(), s.end(), [](char c) { return hex_digit(c) >= 0; });
}

// 0x11b5,0x1200-0x1280
bool code_of(std::string_view s, std::vector<Code>& out) {
  constexpr uint64_t kMost = uint64_t(1) << 48;
  auto address = [](std::string_view hex, uint64_t& to) {
    return hex.starts_with("0x") && number(hex.substr(2), kMost, to, 16);
  };
  for (;;) {
    const size_t comma = std::min(s.find(','), s.size());
    const std::string_view one = s.substr(0, comma);
    const size_t dash = std::min(one.find('-'), one.size());
    Code code;
    if (!address(one.substr(0, dash), code.begin)) return false;
    code.end = code.begin + 1;
    if (dash < one.size() && (!address(one.substr(dash + 1), code.end) || code.end <= code.begin)) return false;
    if (out.size() == kMostCode) return false;
    out.push_back(code);
    if (comma == s.size()) return true;
    s.remove_prefix(comma + 1);
  }
}

std::string schedule_of(std::string_view value, Hint& out) {
  const size_t comma = std::min(value.find(','), value.size());
  const auto* kind = std::find(std::begin(kKindNames) + 1, std::end(kKindNames), value.substr(0, comma));
  if (kind == std::end(kKindNames)) return "schedule=" + quoted(value) + " is none of static, dynamic and guided";
  out.kind = Kind(kind - kKindNames);
  uint64_t chunk;
  if (comma == value.size()) return "";
  if (!number(value.substr(comma + 1), kMostIterations, chunk) || chunk == 0)
    return "the chunk in schedule=" + quoted(value) + " is not a number from 1 to 2147483647";
  out.chunk = uint32_t(chunk);
  return "";
}

std::string place_of(std::string_view value, Hint& out) {
  const auto* spread = std::find(std::begin(kSpreadNames) + 1, std::end(kSpreadNames), value);
  if (spread == std::end(kSpreadNames))
    return "place=" + quoted(value) + " is none of fine, coarse, blocked and nearest";
  out.spread = Spread(spread - kSpreadNames);
  return "";
}

std::string bind_of(std::string_view value, Hint& out) {
  const auto* bind = std::find(std::begin(kBindNames) + 1, std::end(kBindNames), value);
  if (bind == std::end(kBindNames)) return "bind=" + quoted(value) + " is none of primary, close and spread";
  out.bind = Bind(bind - kBindNames);
  return "";
}

template <auto kField>
bool is_said(const Hint& h) {
  return h.*kField != Hint{}.*kField;
}
template <auto kField>
void put(Hint& h, uint64_t v) {
  h.*kField = std::remove_reference_t<decltype(h.*kField)>(v);
}
// A number; or a word, for which there is a function that says what is wrong with it.
struct Key {
  const char* name;
  Construct construct;
  bool (*is_said)(const Hint&);
  uint64_t least, most;
  void (*put)(Hint&, uint64_t);
  std::string (*word)(std::string_view value, Hint& out) = nullptr;
};
template <auto kField>
constexpr Key number_key(const char* name, Construct construct, uint64_t least, uint64_t most) {
  return {name, construct, is_said<kField>, least, most, put<kField>};
}
template <auto kField>
constexpr Key word_key(const char* name, Construct construct, std::string (*word)(std::string_view, Hint&)) {
  return {name, construct, is_said<kField>, 0, 0, nullptr, word};
}
constexpr Key kKeys[] = {
    number_key<&Hint::cutoff>("cutoff", Construct::task, 0, kMostDepth),
    number_key<&Hint::priority>("priority", Construct::task, 1, kMostPriority),
    number_key<&Hint::grain>("grain", Construct::taskloop, 1, kMostIterations),
    number_key<&Hint::threads>("threads", Construct::region, 1, kMostThreads),
    number_key<&Hint::chunk>("chunk", Construct::loop, 1, kMostIterations),
    word_key<&Hint::kind>("schedule", Construct::loop, schedule_of),
    word_key<&Hint::bind>("bind", Construct::region, bind_of),
    word_key<&Hint::spread>("place", Construct::allocation, place_of),
    word_key<&Hint::spread>("place", Construct::variable, place_of),
};

std::string a(Construct c) { return (c == Construct::allocation ? "an " : "a ") + std::string(name_of(c)); }

// What a program's user may set, and what else says the same.
struct Variable {
  const char* name;
  std::array<const char*, 5> same;
};
constexpr std::array<const char*, 5> kBinding = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY",
                                                 "EINKORN_AMM"},
                                     kWaiting = {"OMP_WAIT_POLICY", "KMP_BLOCKTIME", "GOMP_SPINCOUNT", "KMP_LIBRARY"},
                                     kSchedules = {"EINKORN_SCHEDULE", "EINKORN_AMM"};
constexpr Variable kVariables[] = {{"OMP_PROC_BIND", kBinding},
                                   {"OMP_PLACES", kBinding},
                                   {"OMP_WAIT_POLICY", kWaiting},
                                   {"EINKORN_SCHEDULE", kSchedules}};

const Variable* variable_named(std::string_view name) {
  const auto* v =
      std::find_if(std::begin(kVariables), std::end(kVariables), [&](const Variable& k) { return name == k.name; });
  return v == std::end(kVariables) ? nullptr : v;
}

// NAME=VALUE. Whether the value is valid says who reads the variable.
std::string take_setting(std::string_view rest, Hint& out) {
  const std::string_view word = next_word(rest);
  const size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, equals);
  if (!variable_named(name))
    return quoted(name) + " is none of OMP_PROC_BIND, OMP_PLACES, OMP_WAIT_POLICY and EINKORN_SCHEDULE";
  if (word.size() > kMostWord || equals + 1 >= word.size() || std::any_of(word.begin(), word.end(), is_control))
    return std::string(name) + " has no value";
  if (!next_word(rest).empty()) return "more follows the value";
  out.place = name;
  out.value = word.substr(equals + 1);
  return "";
}

// KEY=VALUE, or bold. Returns what is wrong with it, or nothing.
std::string take_value(std::string_view word, Hint& out) {
  if (word == "bold") return out.bold = true, "";
  const size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  auto find = [&](auto is) {
    return std::find_if(std::begin(kKeys), std::end(kKeys), [&](const Key& k) { return name == k.name && is(k); });
  };
  const auto* any = find([](const Key&) { return true; });
  if (any == std::end(kKeys)) return "there is no hint " + quoted(name);
  const auto* key = find([&](const Key& k) { return k.construct == out.construct; });
  if (key == std::end(kKeys))
    return std::string(any->name) + " is said of " + a(any->construct) + ", not of " + a(out.construct);
  if (equals == std::string_view::npos) return std::string(key->name) + " has no value";
  const std::string_view value = word.substr(equals + 1);
  if (out.kind != Kind::unchanged && out.construct == Construct::loop) return "the loop has two schedules";
  if (out.spread != Spread::unchanged) return std::string("the ") + name_of(out.construct) + " has two places";
  if (key->is_said(out)) return std::string(key->name) + " is said twice";
  if (key->word) return key->word(value, out);
  uint64_t v;
  if (!number(value, key->most, v) || v < key->least)
    return std::string(key->name) + "=" + quoted(value) + " is not a number from " + std::to_string(key->least) +
           " to " + std::to_string(key->most);
  key->put(out, v);
  return "";
}

bool says_something(const Hint& h) {
  return std::any_of(std::begin(kKeys), std::end(kKeys), [&](const Key& k) { return k.is_said(h); });
}

std::string take_object(std::string_view rest, Object& out) {
  const std::string_view name = next_word(rest), id = next_word(rest);
  if (name.size() > kMostWord || !decoded(name, out.name)) return quoted(name) + " is not the name of a file";
  if (!is_build_id(id)) return quoted(id) + " is not a build-id";
  out.build_id = id;
  return next_word(rest).empty() ? "" : "more follows the build-id";
}

std::string take_hint(std::string_view rest, Hint& out) {
  const std::string_view place = next_word(rest);
  if (place.size() > kMostWord || !decoded(place, out.place)) {
    const bool is_variable = out.construct == Construct::variable;
    if (place.empty()) return is_variable ? "no variable follows" : "no FILE:LINE or function follows";
    return quoted(place) + (is_variable ? " is not a variable" : " is not FILE:LINE or a function");
  }
  std::string_view word = next_word(rest);
  if (word == "at") {
    word = next_word(rest);
    if (!code_of(word, out.code)) return quoted(word) + " are no addresses, such as 0x11b5,0x1200-0x1280";
    word = next_word(rest);
  }
  for (const Code& c : out.code)
    if (out.construct == Construct::variable && c.end == c.begin + 1)
      return "a variable is a range of addresses, such as 0x4060-0x44060";
  for (; !word.empty(); word = next_word(rest))
    if (std::string why = take_value(word, out); !why.empty()) return why;
  return says_something(out) ? "" : "it asks for nothing";
}

// In order, and none inside another.
void tidy(std::vector<Code>& code) {
  std::sort(code.begin(), code.end(), [](const Code& a, const Code& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (const Code& c : code) {
    if (kept > 0 && c.begin < code[kept - 1].end) code[kept - 1].end = std::max(code[kept - 1].end, c.end);
    else code[kept++] = c;
  }
  code.resize(kept);
}

// Of lines about one construct the first counts: by their addresses; by their place, where one of them has none.
class Subjects {
 public:
  // The line that is about the same as this hint's; 0: there is none, and now it is known.
  int add(const Hint& h) {
    auto& code = code_[{h.construct, h.object}];
    for (const Code& c : h.code) {
      auto after = code.lower_bound(c.end);
      if (after != code.begin() && std::prev(after)->second.end > c.begin) return std::prev(after)->second.line;
    }
    Place& place = places_[{h.construct, h.object, h.place}];
    if (place.bare != 0) return place.bare;
    if (h.code.empty() && place.first != 0) return place.first;
    if (place.first == 0) place.first = h.line;
    if (h.code.empty()) place.bare = h.line;
    for (const Code& c : h.code) code[c.begin] = {c.end, h.line};
    return 0;
  }

 private:
  struct Piece {
    uint64_t end;
    int line;
  };
  struct Place {
    int first = 0, bare = 0;  // lines; bare: of one without addresses
  };
  std::map<std::pair<Construct, uint32_t>, std::map<uint64_t, Piece>> code_;
  std::map<std::tuple<Construct, uint32_t, std::string>, Place> places_;
};

}  // namespace

const char* name_of(Construct c) { return kConstructNames[size_t(c)]; }

const char* overruled_by(std::string_view variable, bool (*is_set)(const char* name)) {
  const Variable* v = variable_named(variable);
  if (!v) return nullptr;
  for (const char* same : v->same)
    if (same && is_set(same)) return same;
  return nullptr;
}

bool places_allocations(const File& file) {
  return std::any_of(file.hints.begin(), file.hints.end(),
                     [](const Hint& h) { return h.construct == Construct::allocation; });
}

bool as_line(std::string_view place, std::string& file, uint32_t& line) {
  const size_t colon = place.rfind(':');
  uint64_t n;
  if (colon == std::string_view::npos || colon == 0 || !number(place.substr(colon + 1), UINT32_MAX, n) || n == 0)
    return false;
  file = place.substr(0, colon);
  line = uint32_t(n);
  return true;
}

bool parse(std::string_view text, File& out, std::vector<Complaint>& wrong) {
  out = {};
  auto refuse = [&](int line, std::string why) {
    wrong.push_back({line, std::move(why)});
    return out = {}, false;
  };
  if (text.size() > kMostBytes) return refuse(1, "it is larger than a hints file may be (1 MiB)");
  bool begun = false, in_object = false;
  Subjects subjects;
  for (int line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view rest = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view word = next_word(rest);
    if (word.empty()) continue;
    if (!begun) {
      const std::string_view version = next_word(rest);
      uint64_t v;
      if (word != kFirstWord || !number(version, UINT32_MAX, v) || v == 0)
        return refuse(line, "it is no hints file: its first line is not \"einkorn-hints 1\"");
      if (v > kVersion)
        return refuse(line, "it is of version " + std::to_string(v) + ", and this Einkorn knows version " +
                                std::to_string(kVersion) + ": take a newer Einkorn, or let this one tune again");
      begun = true;
      continue;
    }
    std::string why;
    if (word == "object") {
      Object object;
      why = take_object(rest, object);
      in_object = why.empty();
      if (in_object) out.objects.push_back(std::move(object));
    } else {
      const auto* name = std::find(std::begin(kConstructNames), std::end(kConstructNames), word);
      Hint hint;
      if (name == std::end(kConstructNames)) {
        why = quoted(word) + " is none of set, object, task, taskloop, loop, region, allocation and variable";
      } else {
        hint.construct = Construct(name - kConstructNames);
        hint.object = uint32_t(out.objects.size()) - 1;
        hint.line = line;
        const bool is_set = hint.construct == Construct::set;
        why = is_set ? take_setting(rest, hint) : take_hint(rest, hint);
        if (is_set) hint.object = 0;
        tidy(hint.code);
        if (why.empty() && !in_object && !is_set)
          why = "no line \"object NAME\" stands above it: NAME is the file of the program or library, such as app";
        if (const int same = why.empty() ? subjects.add(hint) : 0)
          why = std::string("it is about the same ") + (is_set ? "variable" : name_of(hint.construct)) + " as line " +
                std::to_string(same);
      }
      if (why.empty()) out.hints.push_back(std::move(hint));
    }
    if (!why.empty()) wrong.push_back({line, std::move(why)});
  }
  if (!begun) return refuse(1, "it is empty: its first line is not \"einkorn-hints 1\"");
  return true;
}

std::string values_of(const Hint& h) {
  std::string text;
  auto add = [&](const std::string& value) {
    if (!text.empty()) text += ' ';
    text += value;
  };
  if (h.cutoff >= 0) add("cutoff=" + std::to_string(h.cutoff));
  if (h.priority) add("priority=" + std::to_string(h.priority));
  if (h.grain) add("grain=" + std::to_string(h.grain));
  if (h.threads) add("threads=" + std::to_string(h.threads));
  if (h.bind != Bind::unchanged) add(std::string("bind=") + kBindNames[size_t(h.bind)]);
  const std::string chunk = std::to_string(h.chunk);
  if (h.kind != Kind::unchanged)
    add(std::string("schedule=") + kKindNames[size_t(h.kind)] + (h.chunk ? "," + chunk : ""));
  else if (h.chunk) add("chunk=" + chunk);
  if (h.spread != Spread::unchanged) add(std::string("place=") + kSpreadNames[size_t(h.spread)]);
  if (h.bold) add("bold");
  return text;
}

std::string words_of(const Hint& h) {
  const std::string begin = std::string(name_of(h.construct)) + " " + h.place;
  return h.construct == Construct::set ? begin + "=" + h.value : begin + " " + values_of(h);
}

std::string to_text(const File& file) {
  std::string text(kFirstWord);
  text.append(" ").append(std::to_string(kVersion)).append("\n");
  for (const Hint& h : file.hints) {
    if (h.construct != Construct::set) continue;
    if (!h.comment.empty()) text.append("# ").append(h.comment).append("\n");
    text.append(words_of(h)).append("\n");
  }
  for (size_t o = 0; o < file.objects.size(); ++o) {
    text.append("object ")
        .append(encoded(file.objects[o].name))
        .append(" ")
        .append(file.objects[o].build_id)
        .append("\n");
    for (const Hint& h : file.hints) {
      if (h.object != o || h.construct == Construct::set) continue;
      if (!h.comment.empty()) text.append("# ").append(h.comment).append("\n");
      text.append(name_of(h.construct)).append(" ").append(encoded(h.place));
      for (size_t i = 0; i < h.code.size(); ++i) {
        char range[48];
        const Code& c = h.code[i];
        const char* form = c.end == c.begin + 1 ? "0x%llx" : "0x%llx-0x%llx";
        snprintf(range, sizeof range, form, static_cast<unsigned long long>(c.begin),
                 static_cast<unsigned long long>(c.end));
        text.append(i == 0 ? " at " : ",").append(range);
      }
      text.append(" ").append(values_of(h)).append("\n");
    }
  }
  return text;
}

}  // namespace einkorn::hints
