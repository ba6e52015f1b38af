#include "machine/load.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "machine/from_hwloc.h"
#include "machine/home.h"
#include "machine/sys.h"
#include "machine/text.h"
#include "machine/tree.h"

namespace einkorn::machine {

namespace {

bool ends_with(const std::string& s, const char* end) {
  size_t n = strlen(end);
  return s.size() >= n && s.compare(s.size() - n, n, end) == 0;
}

bool is_file(const std::string& path) {
  struct stat about;
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
}

// The path of that model's file, or "".
std::string model_file(const std::string& name) {
  for (const std::string& folder : model_folders())
    if (std::string path = folder + "/" + name + ".json"; is_file(path)) return path;
  return "";
}

bool load_file(const std::string& path, Machine* out, std::string* why) {
  std::string content;
  if (!read_whole(path, kMostFileBytes, &content, why)) {
    *why = path + " " + *why;
    return false;
  }
  size_t first = content.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && content[first] == '<') return load_xml(path, out, why);
  if (!load_model_text(content, path, out, why)) return false;
  out->source = path;
  return true;
}

// With more siblings on one level hwloc takes seconds: for each that it adds, it looks at all of them.
constexpr int kMostSiblings = 4096;

// The product of the numbers in a text in hwloc's syntax, which is at least the number of its CPUs, and the largest of
// the numbers. What is in brackets is not counted. -1: something is neither `number` nor `level:number`, and hwloc
// might read it in some way of its own.
double product(const std::string& line, double* widest) {
  double total = 1;
  *widest = 1;
  std::string word, open;  // of the brackets
  for (char c : line + " ") {
    const bool begins = open.empty() && (c == '(' || c == '[');
    // Both must stand between levels, and ( after a number. Elsewhere hwloc might not read them as brackets.
    if (begins && !word.empty() && (c == '[' || !isdigit(static_cast<unsigned char>(word.back())))) return -1;
    if (c == '(' || c == '[') open += c == '(' ? ')' : ']';
    if (open.empty() && c != ' ') word += c;
    if (c == ')' || c == ']') {
      if (open.empty() || open.back() != c) return -1;
      open.pop_back();
    }
    if (!open.empty() || c != ' ' || word.empty()) continue;
    size_t colon = word.find(':');
    std::string number = colon == std::string::npos ? word : word.substr(colon + 1);
    if (number.empty() || number.find_first_not_of("0123456789") != std::string::npos) return -1;
    if (colon != std::string::npos && !isalpha(static_cast<unsigned char>(word[0])))
      return -1;  // 9pu:3 is 9 and pu:3 to hwloc
    const double count = strtod(number.c_str(), nullptr);
    total *= count;
    *widest = std::max(*widest, count);
    word.clear();
  }
  return open.empty() ? total : -1;
}

}  // namespace

bool load_synthetic(const std::string& asked, Machine* out, std::string* why) {
  Machine m;
  std::string line = asked;
  std::vector<float> distances;
  std::string unknown;
  TreeRead read = read_tree(asked, &m, &unknown);
  if (read == TreeRead::wrong) {
    *why = text("\"%s\" is not a machine: %s", asked.c_str(), unknown.c_str());
    return false;
  }
  if (read == TreeRead::not_ours) {
    if (!take_distance(&line, &distances, why)) return false;
    double widest, cpus = product(line, &widest);
    if (cpus < 0) {
      *why = text("\"%s\" is not a machine: it has something that is neither level:number nor, in brackets, hwloc's",
                  asked.c_str());
      return false;
    }
    if (cpus > kMostPus) {
      *why = text("\"%s\" is too large: %d CPUs are the most", asked.c_str(), kMostPus);
      return false;
    }
    if (widest > kMostSiblings) {
      *why = text("\"%s\" has too many side by side on one level: %d are the most; put levels in between",
                  asked.c_str(), kMostSiblings);
      return false;
    }
    if (!synthetic_from_hwloc(line, &m, why)) {
      *why = text("\"%s\" is not a machine: %s; %s", asked.c_str(), unknown.c_str(), why->c_str());
      return false;
    }
    set_distance(&m, distances);
  }
  m.name = m.source = asked;
  *out = std::move(m);
  return true;
}

std::vector<std::string> model_folders() {
  std::vector<std::string> out;
  auto add = [&](const std::string& folder) {
    if (!folder.empty() && std::find(out.begin(), out.end(), folder) == out.end()) out.push_back(folder);
  };
  if (const char* list = environment("EINKORN_MACHINES")) {
    std::string all = list;
    for (size_t at = 0; at <= all.size();) {
      size_t end = std::min(all.find(':', at), all.size());
      add(all.substr(at, end - at));
      at = end + 1;
    }
  }
  for (const std::string& home : homes()) add(home + "/share/machines");
  return out;
}

std::vector<std::string> model_names() {
  std::vector<std::string> out;
  for (const std::string& folder : model_folders()) {
    DIR* d = opendir(folder.c_str());
    if (!d) continue;
    while (dirent* entry = readdir(d)) {
      std::string name = entry->d_name;
      if (!ends_with(name, ".json")) continue;
      name.resize(name.size() - strlen(".json"));
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
    closedir(d);
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool load_model(const std::string& name, Machine* out, std::string* why) {
  std::string path = model_file(name);
  if (!path.empty()) {
    if (!load_file(path, out, why)) return false;
    out->source = name;
    return true;
  }
  Nearest nearest(name);
  std::string known;
  for (const std::string& n : model_names()) nearest.offer(n), known += (known.empty() ? "" : ", ") + n;
  *why = text("there is no machine \"%s\".%s ", name.c_str(), nearest.question().c_str());
  if (known.empty()) {
    std::string folders;
    for (const std::string& f : model_folders()) folders += (folders.empty() ? "" : ", ") + f;
    if (folders.empty()) *why += "No model file is found: set EINKORN_HOME to the folder of Einkorn that has share/";
    else *why += "No model file lies in " + folders;
  } else {
    *why += "Models are " + known;
  }
  *why +=
      "; other machines are written as numa:4 core:8, or are a file (hwloc's XML, or JSON as `einkorn machine --json` "
      "prints)";
  return false;
}

bool is_path(const std::string& asked) {
  if (asked.find('/') != std::string::npos || ends_with(asked, ".json") || ends_with(asked, ".xml")) return true;
  return asked != "real" && is_file(asked) && model_file(asked).empty();
}

namespace {

bool load_any(const std::string& asked, Machine* out, std::string* why) {
  if (asked.empty() || asked == "real") {
    *out = load_real(process_cpus());
    out->source = asked;
    return true;
  }
  if (asked.size() > 4096) {
    *why = "a machine of more than 4096 letters belongs in a file";
    return false;
  }
  if (is_path(asked)) return load_file(asked, out, why);
  if (!model_file(asked).empty()) return load_model(asked, out, why);
  // 4x8, or a text with levels; a single word is a name.
  bool digits = asked.find_first_not_of("0123456789x ") == std::string::npos;
  if (digits || asked.find_first_of(":([ ") != std::string::npos) return load_synthetic(asked, out, why);
  return load_model(asked, out, why);
}

}  // namespace

bool load(const std::string& asked, Machine* out, std::string* why) {
  if (!load_any(asked, out, why)) {
    *why = printable(*why);
    return false;
  }
  // Models come from others, and these texts go to terminals, pictures and pages.
  out->name = printable(out->name);
  out->note = printable(out->note);
  for (Measured& m : out->measured) m.name = printable(m.name);
  return true;
}

Machine load_real(const CpuSet& allowed) {
  Machine m;
  if (!real_from_hwloc(allowed, &m)) m = real_from_sys(allowed);
  char host[256] = "";
  if (gethostname(host, sizeof host - 1) == 0 && *host) m.name = host;
  else m.name = "this computer";
  return m;
}

}  // namespace einkorn::machine
