// einkorn-codelets INPUT -o OUTPUT [--target tp|complexes] [--compiler C] [--explain FILE] [--graph FILE] [--unmarked
// FILE]
// [--strict] [--check-plan] [--names FILE] [--leave NAME=WHY]... [--no-procedures WHY] [--reasons] [--version] --
// COMPILER_FLAGS...
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/printable.h"
#include "compiler/conditions.h"
#include "compiler/graph.h"
#include "compiler/marks.h"
#include "compiler/output.h"
#include "compiler/reasons.h"
#include "compiler/text.h"
#include "compiler/translate.h"

namespace {

using namespace einkorn::compiler;
using einkorn::printable;
using einkorn::terminal_text;

// Of UTF-8. Compilers take it at the beginning of a file, and nowhere else.
const std::string kByteOrderMark = "\xef\xbb\xbf";

enum { kDone = 0, kLeft = 1, kNotParsed = 2, kWrong = 3 };

struct Options {
  std::string in, out, explain, graph, unmarked;  // unmarked: the input without marks, where it has any
  std::string compiler;                           // that is to compile the output; it may be any if none is named
  // For the driver: the names of what is translated, a line each, and whether the file names its time; and what is not
  // to be translated, as a compiler refuses it, and why.
  std::string names, no_procedures;
  std::vector<std::pair<std::string, std::string>> refused;
  bool strict = false, check_plan = false, complexes = false;
  std::vector<std::string> flags;
};

[[noreturn]] void stop(const std::string& message) {
  fprintf(stderr, "einkorn-codelets: %s\n", printable(message).c_str());
  exit(kWrong);
}

const char kUsage[] =
    "usage: einkorn-codelets IN.c -o OUT.c [--target tp|complexes] [--compiler C] [--explain FILE] [--graph FILE] "
    "[--unmarked FILE] [--strict] [--check-plan] [--names FILE] [--leave NAME=WHY]... [--no-procedures WHY] -- "
    "COMPILER_FLAGS...";

bool is_complexes(const std::string& target) {
  if (target != "tp" && target != "complexes")
    stop("--target is tp (procedures) or complexes, not '" + target + "'. " + kUsage);
  return target == "complexes";
}

Options parse(int argc, char** argv) {
  Options o;
  int i = 1;
  const auto value = [&](const char* option) -> std::string {
    if (++i >= argc || strcmp(argv[i], "--") == 0) stop(std::string(option) + " needs a value. " + kUsage);
    return argv[i];
  };
  for (; i < argc && strcmp(argv[i], "--") != 0; ++i) {
    const std::string word = argv[i];
    if (word == "-o") o.out = value("-o");
    else if (word == "--compiler") o.compiler = value("--compiler");
    else if (word == "--explain") o.explain = value("--explain");
    else if (word == "--graph") o.graph = value("--graph");
    else if (word == "--unmarked") o.unmarked = value("--unmarked");
    else if (word == "--names") o.names = value("--names");
    else if (word == "--no-procedures") o.no_procedures = value("--no-procedures");
    else if (word == "--leave") {
      const std::string one = value("--leave");
      const size_t equals = one.find('=');
      if (equals == std::string::npos) stop("--leave needs NAME=WHY. " + std::string(kUsage));
      o.refused.emplace_back(one.substr(0, equals), one.substr(equals + 1));
    } else if (word == "--strict") o.strict = true;
    else if (word == "--check-plan") o.check_plan = true;
    else if (word == "--target") o.complexes = is_complexes(value("--target"));
    else if (word == "--version") {
      puts("einkorn-codelets " EINKORN_VERSION);
      exit(kDone);
    } else if (word == "--reasons") {
      for (const Reason& reason : reasons()) printf("%s\t%s\t%s\n", reason.id, reason.sentence, reason.advice);
      exit(kDone);
    } else if (word == "--help" || word == "-h") {
      puts(kUsage);
      exit(kDone);
    } else if (word[0] == '-') stop("no option '" + word + "'. " + kUsage);
    else if (!o.in.empty()) stop("more than one input: '" + o.in + "' and '" + word + "'. " + kUsage);
    else o.in = word;
  }
  for (++i; i < argc; ++i) o.flags.push_back(argv[i]);
  if (o.in.empty() || o.out.empty()) stop(std::string("an input and -o are needed. ") + kUsage);
  return o;
}

// What matters for how the text reads; others may be the other compiler's alone.
std::vector<std::string> known_flags(const std::vector<std::string>& flags) {
  static const char* const kWithValue[] = {"-I",       "-D",           "-U",         "-include",  "-imacros",
                                           "-isystem", "-iquote",      "-idirafter", "-isysroot", "-x",
                                           "-iprefix", "-iwithprefix", "-target"};
  static const char* const kPrefixes[] = {"-std=",
                                          "-ansi",
                                          "-fopenmp",
                                          "-funsigned-char",
                                          "-fsigned-char",
                                          "-fno-unsigned-char",
                                          "-fno-signed-char",
                                          "-fshort-wchar",
                                          "-fPIC",
                                          "-fpic",
                                          "-fPIE",
                                          "-fpie",
                                          "-fshort-enums",
                                          "-m",
                                          "-O",
                                          "-pthread",
                                          "-nostdinc",
                                          "-ffast-math",
                                          "-fno-builtin",
                                          "-ffreestanding",
                                          "-fgnu89-inline",
                                          "-fms-extensions",
                                          "-fplan9-extensions",
                                          "--sysroot",
                                          "-undef",
                                          "--target="};
  std::vector<std::string> out;
  for (size_t i = 0; i < flags.size(); ++i) {
    const std::string& word = flags[i];
    bool taken = false;
    if (word.rfind("-Wp,", 0) == 0) {  // for the preprocessor
      std::vector<std::string> inner;
      std::stringstream list(word.substr(4));
      for (std::string part; std::getline(list, part, ',');) inner.push_back(part);
      for (std::string& flag : known_flags(inner)) out.push_back(std::move(flag));
      continue;
    }
    if (word == "-Xpreprocessor") continue;  // what follows is looked at by itself
    for (const char* option : kWithValue) {
      if (word == option && i + 1 < flags.size()) {
        out.push_back(word);
        out.push_back(flags[++i]);
        taken = true;
      } else if (word.rfind(option, 0) == 0 && word != option && strcmp(option, "-x") != 0) {
        out.push_back(word);
        taken = true;
      }
      if (taken) break;
    }
    for (const char* prefix : kPrefixes)
      if (!taken && word.rfind(prefix, 0) == 0) out.push_back(word), taken = true;
  }
  return out;
}

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  if (!in) stop(file + " cannot be read: " + strerror(errno) + ".");
  return all.str();
}

void write(const std::string& file, const std::string& text) {
  if (const int wrong = write_whole(file, text))
    stop(file + " cannot be written: " + strerror(wrong) + ". Name another file, or make room.");
}

// One line of what a region became.
void tell(const std::string& text) { fprintf(stderr, "%s\n", printable(text).c_str()); }

// Where einkorn/codelet.h is: beside the tool as it is installed, or the sources that it was built from.
std::string header_folder() {
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n > 0) {
    std::string folder(self, size_t(n));
    folder = folder.substr(0, folder.rfind('/'));
    // PREFIX/bin, PREFIX/lib/einkorn/bin, PREFIX/lib/MACHINE/einkorn/bin
    for (const char* way : {"/../include", "/../../../include", "/../../../../include"})
      if (access((folder + way + "/einkorn/codelet.h").c_str(), R_OK) == 0) return folder + way;
  }
  return EINKORN_INCLUDE;
}

bool is_regular(const std::string& file) {
  struct stat st;
  return stat(file.c_str(), &st) == 0 && S_ISREG(st.st_mode);
}

bool is_c89(const std::vector<std::string>& flags) {
  bool old = false;
  for (const std::string& flag : flags) {
    if (flag == "-ansi") old = true;
    if (flag.rfind("-std=", 0) != 0) continue;
    const std::string standard = flag.substr(5);
    old = standard == "c89" || standard == "c90" || standard == "gnu89" || standard == "gnu90" ||
          standard.rfind("iso9899:1990", 0) == 0 || standard == "iso9899:199409";
  }
  return old;
}

bool is_c(const std::string& file, const std::vector<std::string>& flags) {
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == "-x" && i + 1 < flags.size()) return flags[i + 1] == "c" || flags[i + 1] == "cpp-output";
    if (flags[i].rfind("-x", 0) == 0 && flags[i].size() > 2) return flags[i] == "-xc" || flags[i] == "-xcpp-output";
  }
  return file.size() > 2 && (file.rfind(".c") == file.size() - 2 || file.rfind(".i") == file.size() - 2);
}

std::string codelets(const Plan& plan) {
  return std::to_string(plan.syncs.size() + 1) + " codelet" + (plan.syncs.empty() ? "" : "s");
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  Input input;
  input.file = options.in;
  input.text = contents(options.in);
  input.on_disk = true;
  input.flags = known_flags(options.flags);
  input.headers = header_folder();
  input.refused = options.refused;
  input.no_procedures = options.no_procedures;
  const std::string mark = input.text.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0 ? kByteOrderMark : "";
  input.text.erase(0, mark.size());
  const std::string original = input.text;
  std::string output = original, names, explained, drawn = picture(options.in, {});
  int translated = 0, regions = 0, status = kDone;
  bool openmp = false;
  for (const std::string& flag : input.flags) openmp |= flag.rfind("-fopenmp", 0) == 0 && flag != "-fopenmp-simd";
  if (is_c(options.in, options.flags) && openmp) {
    input.complexes = options.complexes;
    input.is_c89 = is_c89(input.flags);
    input.overwrites_dead = options.check_plan;
    const Behind behind{options.compiler, options.flags};
    input.flags.push_back("-w");
    const std::vector<Mark> marks = take_marks(input.text);
    const std::string unsettled = input.text;
    // Everywhere: an array's bound and a macro's body are the program's as the compiler behind reads it.
    input.text = with_settled_conditions(unsettled, options.in, behind, Where::everywhere);
    // What is no regular file can be read only once.
    const bool on_disk = marks.empty() && mark.empty() && is_regular(options.in);
    input.on_disk = on_disk && input.text == unsettled;
    if (!marks.empty() && !options.unmarked.empty()) write(options.unmarked, line_directive(1, options.in) + unsettled);
    Translation made = translate(input);
    // What the other compiler takes clang may not be able to read.
    if (!made.reading.parsed && input.text != unsettled) {
      input.text = unsettled;
      input.on_disk = on_disk;
      made = translate(input);
    }
    if (!made.reading.parsed) {
      fputs(terminal_text(made.reading.messages).c_str(), stderr);
      return kNotParsed;
    }
    for (const Mark& mark : marks)
      explained +=
          options.in + ":" + std::to_string(mark.line) + ": " + told(mark, made.reading.unit, made.plans) + "\n";
    output = made.output == input.text ? unsettled : made.output;
    for (const std::string& run : made.runs) names += "region " + run + "\n";
    if (made.reading.unit.has_timestamp) names += "timestamp " + options.in + "\n";
    if (!options.graph.empty()) drawn = picture(options.in, made.plans);
    for (const Remark& remark : made.remarks)
      explained += remark.file + ":" + std::to_string(remark.line) + ": " + remark.text + "\n";
    for (const Included& it : made.reading.unit.included) {
      ++regions;
      const std::string text = it.file + ":" + std::to_string(it.line) + ": region of " + it.function +
                               "(): stays OpenMP's: it stands in a file that is included";
      if (options.strict) tell(text), status = kLeft;
      explained += text + "\n";
    }
    for (const Plan& plan : made.plans) {
      const std::string& file = plan.function->file;
      if (is_procedure(plan)) {
        if (plan.why_not.empty()) names += "procedure " + plan.name + "\n";
        if (is_function(plan))
          explained += file + ":" + std::to_string(plan.function->line) + ": function " + plan.function->name +
                       "(): a procedure, " + codelets(plan) + "\n";
        continue;
      }
      ++regions;
      std::string text = file + ":" + std::to_string(plan.line) + ": region of " + plan.function->name + "(): ";
      if (plan.why_not.empty()) {
        ++translated;
        names += "region " + plan.name + "\n";
        text += "translated" + std::string(plan.is_complex ? " as a complex, " : ", ") + codelets(plan);
        if (!plan.free) text += ", each instance a thread: " + plan.why_pinned;
      } else {
        text += "stays OpenMP's: " + plan.why_not;
        if (plan.why_line != plan.line) text += " (" + file + ":" + std::to_string(plan.why_line) + ")";
        if (options.strict) tell(text), status = kLeft;
      }
      explained += text + "\n";
    }
  }
  explained += "translated " + std::to_string(translated) + " of " + std::to_string(regions) + " regions\n";
  if (!options.explain.empty()) write(options.explain, explained);
  if (!options.graph.empty()) write(options.graph, drawn);
  if (!options.names.empty()) write(options.names, names);
  // What is compiled is another file, by its name.
  if (status == kDone) write(options.out, (output == original ? mark : line_directive(1, options.in)) + output);
  return status;
}
