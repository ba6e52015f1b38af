#include "cli/translated_compile.h"

#include <fmt/format.h>

#include <map>

#include "cli/dependency_file.h"

namespace einkorn::cli {

namespace {

using Words = std::vector<std::string>;

void append(Words& to, const Words& more) { to.insert(to.end(), more.begin(), more.end()); }

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// clang takes other contents for a file, so that nothing else need be said.
CompileStep step_of_clang(const CompileCommand& command, const std::vector<TranslatedInput>& translated,
                          const std::string& headers) {
  CompileStep step;
  for (const TranslatedInput& one : translated)
    append(step.words, {"-Xclang", "-remap-file", "-Xclang", command.inputs[one.input].path + ";" + one.file});
  append(step.words, {"-isystem", headers});
  append(step.words, command.words);
  return step;
}

// gcc cannot. A source without a folder comes through standard input, where includes are looked for and headers are
// named as beside that source. One in a folder lies elsewhere, and its folder is the first that is looked into: headers
// found there are then named with the folder, as they should be.
class GccStep {
 public:
  GccStep(const CompileCommand& command, const TranslatedInput& translated, const std::string& headers)
      : command_(command),
        translated_(translated),
        input_(command.inputs[translated.input]),
        headers_(headers),
        piped_(folder_of_file(input_.path).empty()) {}

  // The command as it is, with the source replaced.
  CompileStep in_place() {
    begin();
    for (size_t i = 0; i < command_.words.size(); ++i) {
      if (i == input_.at) source();
      else if (!(writes_dependencies() && is_dependency_name(i))) step_.words.push_back(command_.words[i]);
    }
    if (command_.goal != Goal::link && command_.output.empty())
      append(step_.words, {"-o", object_of(input_, command_.goal)});
    dependencies(command_.output);
    finish();
    return step_;
  }

  // This source alone, to `output`.
  CompileStep alone(const std::string& output, const std::string& auxiliary_prefix) {
    begin();
    for (size_t i = 0; i < command_.words.size(); ++i)
      if (command_.kinds[i] == WordKind::flag || (command_.kinds[i] == WordKind::dependency && !is_dependency_name(i)))
        step_.words.push_back(command_.words[i]);
    append(step_.words, {command_.goal == Goal::assembly ? "-S" : "-c", "-o", output});
    if (!auxiliary_prefix.empty() && !command_.has("-dumpdir")) append(step_.words, {"-dumpdir", auxiliary_prefix});
    if (!input_.language.empty()) append(step_.words, {"-x", input_.language});
    source();
    dependencies(command_.goal == Goal::link ? command_.output : output);
    finish();
    return step_;
  }

 private:
  void begin() {
    if (!piped_) step_.words = {"-iquote", folder_of_file(input_.path)};
  }

  void source() {
    if (piped_) {
      append(step_.words, {"-x", "c", "-"});
      if (&input_ != &command_.inputs.back())
        append(step_.words, {"-x", input_.language.empty() ? "none" : input_.language});
      step_.standard_input = translated_.file;
    } else {
      step_.words.push_back(translated_.file);
    }
  }

  void finish() {
    const std::string& name = input_.path;
    if (piped_ && !command_.has("-dumpbase"))
      append(step_.words, {"-dumpbase", name, "-dumpbase-ext", name.substr(without_suffix(name).size())});
    append(step_.words,
           {fmt::format("-fdebug-prefix-map={}={}", piped_ ? "<stdin>" : translated_.file, input_.path), "-isystem",
            headers_, "-Wno-builtin-macro-redefined", fmt::format("-D__BASE_FILE__=\"{}\"", escaped(input_.path))});
  }

  bool writes_dependencies() const {
    return command_.has("-MD") || command_.has("-MMD") || command_.has_prefix("-Wp,-MD,") ||
           command_.has_prefix("-Wp,-MMD,");
  }

  // -MF and its file, or the file in -Wp,-MD,FILE: said anew by dependencies().
  bool is_dependency_name(size_t i) const {
    const std::string& word = command_.words[i];
    return command_.kinds[i] == WordKind::dependency &&
           (word.starts_with("-MF") || (i > 0 && command_.words[i - 1] == "-MF") || word.starts_with("-Wp,-M"));
  }

  void dependencies(const std::string& target) {
    if (!writes_dependencies()) return;
    const std::string written = translated_.file + ".d";
    // -Wp,-MD,FILE hands the option past the driver, which then names no target by -o.
    bool by_driver = command_.has("-MD") || command_.has("-MMD");
    if (!by_driver) step_.words.push_back(command_.has_prefix("-Wp,-MMD,") ? "-MMD" : "-MD");
    append(step_.words, {"-MF", written});
    if (!command_.has_prefix("-MT") && !command_.has_prefix("-MQ"))
      append(step_.words, {"-MQ", by_driver && !target.empty() ? target : object_of(input_, Goal::object)});
    step_.fixes.push_back(
        {written, dependency_file_of(command_, input_), translated_.file, input_.path, piped_, command_.has("-MP")});
  }

  const CompileCommand& command_;
  const TranslatedInput& translated_;
  const CompileInput& input_;
  const std::string& headers_;
  const bool piped_;
  CompileStep step_;
};

// What remains to be done when some sources have become objects, or (no object named) have been compiled.
CompileStep rest_of(const CompileCommand& command, const std::map<size_t, std::string>& objects) {
  CompileStep step;
  for (size_t i = 0; i < command.words.size(); ++i) {
    const auto done = objects.find(i);
    if (done == objects.end()) step.words.push_back(command.words[i]);
    else if (!done->second.empty()) append(step.words, {"-x", "none", done->second});
    // What -x said goes on for the inputs behind it.
    for (const CompileInput& input : command.inputs)
      if (done != objects.end() && !done->second.empty() && input.at == i && !input.language.empty() &&
          &input != &command.inputs.back())
        append(step.words, {"-x", input.language});
  }
  return step;
}

}  // namespace

std::vector<CompileStep> translated_steps(const CompileCommand& command, const std::vector<TranslatedInput>& translated,
                                          CompilerKind kind, const std::string& headers, const std::string& scratch) {
  if (kind == CompilerKind::clang) return {step_of_clang(command, translated, headers)};
  if (command.sources() == 1) return {GccStep(command, translated[0], headers).in_place()};
  std::vector<CompileStep> steps;
  std::map<size_t, std::string> objects;
  const bool links = command.goal == Goal::link;
  const std::string prefix = command.output.empty() ? "a-" : without_suffix(command.output) + "-";
  for (const TranslatedInput& one : translated) {
    const CompileInput& input = command.inputs[one.input];
    std::string object = links ? fmt::format("{}/{}.o", scratch, one.input) : object_of(input, command.goal);
    steps.push_back(GccStep(command, one, headers).alone(object, links ? prefix : ""));
    objects[input.at] = links ? object : "";
  }
  if (links || translated.size() < command.sources()) steps.push_back(rest_of(command, objects));
  return steps;
}

}  // namespace einkorn::cli
