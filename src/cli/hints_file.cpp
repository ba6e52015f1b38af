#include "cli/hints_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <climits>
#include <cstdlib>

#include "cli/files.h"
#include "cli/verbs.h"
#include "hints/text.h"
#include "machine/text.h"
#include "profile/build_id.h"
#include "profile/line_code.h"
#include "profile/variables.h"

namespace einkorn::cli {

namespace {

// What Linux lets one variable of the environment have, with room for its name.
constexpr size_t kMostText = (size_t(128) << 10) - 64;

const std::string* object_named(const std::string& name, const std::vector<std::string>& objects) {
  for (const std::string& path : objects)
    if (path.substr(path.rfind('/') + 1) == name) return &path;
  return nullptr;
}

// Why the hint's code is not to be found in that file; empty: it is found. name: of the hints file.
std::string find_again(const std::string& name, const std::string& path, hints::Hint& h) {
  if (h.construct == hints::Construct::variable) {
    const uint64_t bytes = h.code.size() == 1 ? h.code[0].end - h.code[0].begin : 0;
    const profile::NamedVariables found = profile::variables_named(path, h.place, bytes);
    h.code.clear();
    for (const auto& [begin, end] : found.ranges) h.code.push_back({begin, end});
    if (found.ranges.empty())
      return fmt::format("it has no symbol of a variable of this name{}",
                         found.near.empty() ? "" : fmt::format(", but {}", fmt::join(found.near, ", ")));
    if (found.ranges.size() > 1)
      tell(fmt::format("{}:{}: {} is the name of {} variables of {}: the line is about all of them", name, h.line,
                       h.place, found.ranges.size(), path));
    return "";
  }
  std::string file;
  uint32_t line;
  if (!hints::as_line(h.place, file, line))
    return "a function's name alone does not tell where that is in another build";
  profile::LineCode code = profile::code_of_line(path, file, line);
  // clang has some calls that begin loops on the line of the loop itself, behind the directive's, which is the place.
  if (h.construct == hints::Construct::loop)
    for (const auto& range : profile::code_of_line(path, file, line + 1).ranges) code.ranges.push_back(range);
  // So have a container's functions, in which it allocates, where they are inlined.
  if (h.construct == hints::Construct::allocation)
    for (const auto& range : profile::inlined_at_line(path, file, line)) code.ranges.push_back(range);
  if (!code.has_lines) return "it has no line information; compile it with -g";
  if (code.ranges.empty()) return "it has no code of that line";
  h.code.clear();
  for (const auto& [begin, end] : code.ranges) h.code.push_back({begin, end});
  return "";
}

// True if anything was changed.
bool fit(const std::string& name, const std::vector<std::string>& objects, hints::File& file) {
  bool changed = false;
  std::vector<hints::Hint> kept;
  for (const hints::Hint& h : file.hints)
    if (h.construct == hints::Construct::set) kept.push_back(h);
  for (size_t o = 0; o < file.objects.size(); ++o) {
    hints::Object& object = file.objects[o];
    const std::string* path = object_named(object.name, objects);
    const std::string id = path ? profile::build_id_of_file(*path) : "";
    const bool is_other = path && id != object.build_id;
    size_t all = 0, found = 0, elsewhere = 0;
    for (hints::Hint& h : file.hints) {
      if (h.object != o || h.construct == hints::Construct::set) continue;
      ++all;
      std::string why;
      if (!path && h.code.empty()) {
        ++elsewhere, changed = true;
        continue;
      }
      if (path && (is_other || h.code.empty())) {
        why = find_again(name, *path, h);
        changed = true;
      }
      if (!why.empty())
        tell(fmt::format("{}:{}: {} is not found in {}: {}. The line is ignored.", name, h.line, h.place, *path, why));
      else ++found, kept.push_back(std::move(h));
    }
    if (elsewhere > 0)
      tell(fmt::format(
          "{}: {} is neither this program nor one of the libraries that are loaded with it: {} of its lines without "
          "addresses {} ignored",
          name, object.name, elsewhere, elsewhere == 1 ? "is" : "are"));
    if (is_other && all > 0 && !object.build_id.empty())
      tell(fmt::format(
          "{}: {} is another build than the one that the hints were made for: {} of {} found again by their "
          "lines and names",
          name, *path, found, all));
    if (is_other) object.build_id = id;
  }
  file.hints = std::move(kept);
  return changed;
}

}  // namespace

void add_hints_option(CLI::App& verb, std::string& file) {
  reads(verb.add_option("--hints", file,
                        "What to do otherwise at single constructs: a file of `einkorn tune`, or by hand "
                        "(see docs/tuning.md)"))
      ->type_name("FILE");
}

std::string hints_for(const std::string& name, const std::vector<std::string>& objects, bool& places_allocations,
                      std::string& wrong) {
  std::string text;
  char absolute[PATH_MAX];
  if (!machine::read_whole(name, hints::kMostBytes, &text, &wrong)) {
    wrong = fmt::format("--hints: {} {}.", name, wrong);
    return "";
  }
  const std::string path = realpath(name.c_str(), absolute) ? absolute : name;
  hints::File file;
  std::vector<hints::Complaint> complaints;
  // What is wrong with the file the runtime says, as it reads the file, too.
  if (!hints::parse(text, file, complaints)) return path;
  const bool changed = fit(name, objects, file);
  places_allocations = hints::places_allocations(file);
  if (!changed) return path;
  for (const hints::Complaint& c : complaints)
    tell(fmt::format("{}:{}: {}: the line is ignored", name, c.line, c.what));
  text = hints::to_text(file);
  if (text.size() <= kMostText) return text;
  wrong = fmt::format("--hints: {} is too long to be made to fit this build. Tune it again.", name);
  return "";
}

}  // namespace einkorn::cli
