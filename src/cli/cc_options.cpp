#include "cli/cc_options.h"

#include <fmt/format.h>

namespace einkorn::cli {

namespace {

// --target=TRIPLE is clang's. Ours have no digits and no dashes.
bool is_compilers_target(const std::string& name, const std::string& value) {
  return name == "--target" && value.find_first_of("-0123456789") != std::string::npos;
}

}  // namespace

OwnOptions read_own(const std::vector<std::string>& words, CcOptions& options) {
  OwnOptions own;
  for (size_t& at = own.count; at < words.size(); ++at) {
    const std::string& word = words[at];
    const size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    std::string* value = name == "--compiler" ? &options.compiler
                         : name == "--keep"   ? &options.keep
                         : name == "--target" ? &options.codelets.target
                                              : nullptr;
    if (equals != std::string::npos && is_compilers_target(name, word.substr(equals + 1))) break;
    if (word == "--explain") options.explain = true;
    else if (word == "--strict") options.codelets.strict = true;
    else if (word == "--check-plan") options.codelets.check_plan = true;
    else if (!value) break;
    else if (equals != std::string::npos) *value = word.substr(equals + 1);
    else *value = at + 1 < words.size() ? words[++at] : "";
    if (value && (value->empty() || (*value)[0] == '-')) {
      own.wrong = fmt::format("cc {}: what comes behind it is missing", name);
      return own;
    }
    if (const std::string why = wrong_target(options.codelets.target);
        !options.codelets.target.empty() && !why.empty()) {
      own.wrong = fmt::format("cc {} (a target of the compiler's own stands behind another of its words)", why);
      return own;
    }
  }
  options.codelets.compiler = options.compiler;
  return own;
}

std::vector<std::string> with_compiler(const CcOptions& options, const std::vector<std::string>& words) {
  std::vector<std::string> all{options.compiler};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace einkorn::cli
