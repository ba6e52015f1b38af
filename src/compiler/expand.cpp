// What macros and conditions have made of parts of a file, as text: for regions that a macro makes (_Pragma), that name
// a variable in a macro, or that a condition cuts.
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/TokenConcatenation.h>
#include <clang/Tooling/Tooling.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/read.h"
#include "compiler/text.h"
#include "compiler/walk.h"

namespace einkorn::compiler {

namespace {

using namespace clang;

// The use of a macro that is in no other one, or a _Pragma.
struct Expansion {
  Range part;
  uint32_t line = 0, end_line = 0;
  std::string text, macro;
  std::vector<std::string> named;  // identifiers
  bool user = false;               // not the system's, nor the compiler's
  bool pragma = false, lost = false;
  Token last{}, before_last{};
};

struct Found {
  std::map<uint32_t, Expansion> expansions;  // by where they begin
  std::vector<std::pair<Range, std::string>> pragmas;
  std::vector<Range> skipped;
  std::set<std::string> macros;  // of the file's own, used somewhere
};

// All that the preprocessor hands on, with where it comes from.
class Recorder {
 public:
  Recorder(Preprocessor& preprocessor, Found& found)
      : preprocessor_(preprocessor),
        source_(preprocessor.getSourceManager()),
        concatenation_(preprocessor),
        found_(found) {}

  void expands(const Token& name, const MacroDefinition& macro, SourceRange range) {
    if (const MacroInfo* info = macro.getMacroInfo(); info && source_.isWrittenInMainFile(info->getDefinitionLoc()))
      found_.macros.insert(preprocessor_.getSpelling(name));
    const SourceLocation begin = range.getBegin();
    if (!begin.isFileID() || !source_.isInMainFile(begin) || !range.getEnd().isFileID()) return;
    const MacroInfo* info = macro.getMacroInfo();
    Expansion* it = open(begin, source_.getFileOffset(range.getEnd()) +
                                    Lexer::MeasureTokenLength(range.getEnd(), source_, preprocessor_.getLangOpts()));
    if (!it) return;
    it->macro = preprocessor_.getSpelling(name);
    it->user = info && !info->isBuiltinMacro() && !source_.isInSystemHeader(info->getDefinitionLoc()) &&
               !source_.isWrittenInBuiltinFile(info->getDefinitionLoc());
  }

  void token(const Token& t) {
    if (!t.getLocation().isMacroID()) return;
    if (Expansion* it = around(t.getLocation())) add(*it, t);
  }

  void pragma(PragmaIntroducer introducer, const std::string& name, Token& first) {
    std::string text = "#pragma";
    bool macro = false;
    Token t = first, last{}, before{};
    for (; t.isNot(tok::eod); preprocessor_.Lex(t)) {
      if (t.hasLeadingSpace() || (last.getLocation().isValid() && concatenation_.AvoidConcat(before, last, t)))
        text += " ";
      text += preprocessor_.getSpelling(t);
      macro |= t.getLocation().isMacroID();
      before = last;
      last = t;
    }
    if (text.compare(0, 9, "#pragma #") == 0 || name.empty())
      text = text.substr(0, 7) + " " + text.substr(text.find_first_not_of(' ', 7));
    if (introducer.Kind == PIK_HashPragma) {
      if (macro && source_.isInMainFile(introducer.Loc))
        found_.pragmas.push_back(
            {{source_.getFileOffset(introducer.Loc), source_.getFileOffset(t.getLocation())}, text});
      return;
    }
    Expansion* it = nullptr;
    if (introducer.Loc.isMacroID()) {
      it = around(introducer.Loc);
    } else if (source_.isInMainFile(introducer.Loc)) {
      it = open(introducer.Loc, behind_parentheses(source_.getFileOffset(introducer.Loc)));
      if (it) it->user = true;
    }
    if (!it) return;
    const std::string line = "\n#line " + std::to_string(it->line) + "\n";
    it->text += line + text + line;
    it->pragma = true;
    it->last = it->before_last = Token{};
  }

  // A pragma that is the compiler's own business cannot be told again.
  void lost(SourceLocation at) {
    if (at.isMacroID())
      if (Expansion* it = around(at)) it->lost = true;
  }

  void skipped(SourceRange range) {
    if (source_.isInMainFile(range.getBegin()))
      found_.skipped.push_back({source_.getFileOffset(range.getBegin()), source_.getFileOffset(range.getEnd())});
  }

 private:
  Expansion* open(SourceLocation begin, uint32_t end) {
    const uint32_t at = source_.getFileOffset(begin);
    auto after = found_.expansions.upper_bound(at);
    if (after != found_.expansions.begin() && std::prev(after)->second.part.has(at)) return nullptr;
    Expansion& it = found_.expansions[at];
    it.part = {at, end};
    it.line = source_.getPresumedLoc(begin).getLine();
    it.end_line = it.line + uint32_t(newlines(text().substr(at, end - at)));
    return &it;
  }
  Expansion* around(SourceLocation at) {
    const SourceLocation begin = source_.getExpansionLoc(at);
    if (!source_.isInMainFile(begin)) return nullptr;
    const auto after = found_.expansions.upper_bound(source_.getFileOffset(begin));
    if (after == found_.expansions.begin()) return nullptr;
    Expansion& it = std::prev(after)->second;
    return it.part.has(source_.getFileOffset(begin)) ? &it : nullptr;
  }
  void add(Expansion& it, const Token& t) {
    if (!it.text.empty() && it.text.back() != '\n' &&
        (t.hasLeadingSpace() || t.isAtStartOfLine() || concatenation_.AvoidConcat(it.before_last, it.last, t)))
      it.text += " ";
    const std::string spelled = preprocessor_.getSpelling(t);
    it.text += spelled;
    if (t.isAnyIdentifier()) it.named.push_back(spelled);
    it.before_last = it.last;
    it.last = t;
  }
  StringRef text() const { return source_.getBufferData(source_.getMainFileID()); }
  uint32_t behind_parentheses(uint32_t at) const {
    int depth = 0;
    for (; at < text().size(); ++at) {
      if (text()[at] == '"')
        for (++at; at < text().size() && text()[at] != '"'; ++at) at += text()[at] == '\\';
      else if (text()[at] == '(') ++depth;
      else if (text()[at] == ')' && --depth == 0) return at + 1;
    }
    return at;
  }

  Preprocessor& preprocessor_;
  SourceManager& source_;
  TokenConcatenation concatenation_;
  Found& found_;
};

class Callbacks : public PPCallbacks {
 public:
  explicit Callbacks(Recorder& to) : to_(to) {}
  void MacroExpands(const Token& name, const MacroDefinition& macro, SourceRange range, const MacroArgs*) override {
    to_.expands(name, macro, range);
  }
  void SourceRangeSkipped(SourceRange range, SourceLocation) override { to_.skipped(range); }
  void PragmaDiagnosticPush(SourceLocation at, StringRef) override { to_.lost(at); }
  void PragmaDiagnosticPop(SourceLocation at, StringRef) override { to_.lost(at); }
  void PragmaDiagnostic(SourceLocation at, StringRef, diag::Severity, StringRef) override { to_.lost(at); }

 private:
  Recorder& to_;
};

class Handler : public PragmaHandler {
 public:
  Handler(const char* name, Recorder& to) : PragmaHandler(name), to_(to) {}
  void HandlePragma(Preprocessor&, PragmaIntroducer introducer, Token& first) override {
    to_.pragma(introducer, getName().str(), first);
  }

 private:
  Recorder& to_;
};

class Preprocessing : public PreprocessOnlyAction {
 public:
  Preprocessing(Found& found, std::string& text) : found_(found), text_(text) {}

 protected:
  void ExecuteAction() override {
    Preprocessor& preprocessor = getCompilerInstance().getPreprocessor();
    Recorder recorder(preprocessor, found_);
    preprocessor.addPPCallbacks(std::make_unique<Callbacks>(recorder));
    preprocessor.AddPragmaHandler(new Handler("omp", recorder));
    preprocessor.AddPragmaHandler(new Handler("", recorder));
    preprocessor.setTokenWatcher([&](const Token& t) { recorder.token(t); });
    preprocessor.EnterMainSourceFile();
    Token t;
    do preprocessor.Lex(t);
    while (t.isNot(tok::eof));
    preprocessor.setTokenWatcher(nullptr);
    const SourceManager& source = getCompilerInstance().getSourceManager();
    text_ = source.getBufferData(source.getMainFileID()).str();
  }

 private:
  Found& found_;
  std::string& text_;
};

// Whether that is in a line of the preprocessor.
bool in_directive(const std::string& text, uint32_t at) {
  size_t begin = at;
  while (begin > 0 && (text[begin - 1] != '\n' || (begin > 1 && text[begin - 2] == '\\'))) --begin;
  const size_t first = text.find_first_not_of(" \t", begin);
  return first != std::string::npos && text[first] == '#';
}

void drop_conditions(const std::string& text, const Found& found, Range part, Edits& edits) {
  const auto drop = [&](Range lines) {
    while (lines.end < text.size() && (text[lines.end] != '\n' || text[lines.end - 1] == '\\')) ++lines.end;
    edits.replace(lines, "");
  };
  for (const Range& r : found.skipped)
    if (part.has(r.begin)) drop(r);
  for (const Word& w : words(text, part)) {
    const std::string word = text.substr(w.at.begin, w.at.end - w.at.begin);
    if (!w.preprocessor ||
        (word != "if" && word != "ifdef" && word != "ifndef" && word != "elif" && word != "else" && word != "endif"))
      continue;
    const size_t hash = text.find_last_not_of(" \t", w.at.begin - 1);
    if (hash != std::string::npos && text[hash] == '#') drop({uint32_t(hash), w.at.end});
  }
}

}  // namespace

std::string expand(const std::string& file, const std::string* given, const std::vector<ToExpand>& parts,
                   const std::vector<std::string>& flags) {
  std::vector<std::string> words = {"clang", "-fsyntax-only"};
  words.insert(words.end(), flags.begin(), flags.end());
  words.push_back(file);
  Found found;
  std::string text;
  llvm::IntrusiveRefCntPtr<FileManager> files(new FileManager(FileSystemOptions(), file_system(file, given)));
  tooling::ToolInvocation tool(words, std::make_unique<Preprocessing>(found, text), files.get());
  IgnoringDiagConsumer nobody;
  tool.setDiagnosticConsumer(&nobody);
  if (!tool.run()) return "";
  Edits edits(text);
  const auto is_wanted = [&](const Expansion& it) {
    for (const ToExpand& part : parts) {
      if (it.part.end <= part.part.begin || it.part.begin >= part.part.end) continue;
      if (it.pragma) return true;
      for (const std::string& name : part.names)
        if (name == it.macro || std::find(it.named.begin(), it.named.end(), name) != it.named.end()) return true;
    }
    return false;
  };
  for (const auto& [at, it] : found.expansions) {
    if (!it.user || it.lost || in_directive(text, at) || !is_wanted(it)) continue;
    std::string with = it.text;
    Range part = it.part;
    if (it.pragma) {
      // A statement and its semicolon stay together.
      const size_t next = text.find_first_not_of(" \t", part.end);
      if (next != std::string::npos && text[next] == ';') with += ";", part.end = uint32_t(next) + 1;
      with += "\n#line " + std::to_string(it.end_line) + "\n";
    }
    edits.replace(part, with);
  }
  for (const auto& [part, with] : found.pragmas)
    for (const ToExpand& wanted : parts)
      if (part.begin < wanted.part.end && part.end > wanted.part.begin) {
        edits.replace(part, with);
        break;
      }
  for (const ToExpand& part : parts)
    if (part.conditions) drop_conditions(text, found, part.part, edits);
  std::string expanded = edits.apply({0, uint32_t(text.size())});
  // A macro that has been replaced everywhere is still used: -Wunused-macros.
  for (const std::string& macro : found.macros)
    expanded += (expanded.back() == '\n' ? "#ifdef " : "\n#ifdef ") + macro + "\n#endif\n";
  return expanded;
}

}  // namespace einkorn::compiler
