#include "compiler/read.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/find_runs.h"

namespace einkorn::compiler {

namespace {

using namespace clang;

class Macros : public PPCallbacks {
 public:
  Macros(const SourceManager& source, Unit& unit) : source_(source), unit_(unit) {}
  void FileChanged(SourceLocation at, FileChangeReason why, SrcMgr::CharacteristicKind, FileID) override {
    if (why != EnterFile) return;
    const auto file = source_.getFileEntryRefForID(source_.getFileID(at));
    unit_.has_omp_h |= file && llvm::sys::path::filename(file->getName()) == "omp.h";
  }
  void MacroDefined(const Token& name, const MacroDirective*) override { changed(name); }
  // Also behind another macro's name.
  void MacroExpands(const Token& name, const MacroDefinition&, SourceRange range, const MacroArgs*) override {
    const SourceLocation at = source_.getExpansionLoc(range.getBegin());
    if (!source_.isInMainFile(at)) return;
    const StringRef it = name.getIdentifierInfo()->getName();
    if (it == "__COUNTER__") unit_.counters.push_back(source_.getFileOffset(at));
    unit_.has_timestamp |= it == "__TIMESTAMP__";
  }
  void MacroUndefined(const Token& name, const MacroDefinition&, const MacroDirective*) override { changed(name); }

 private:
  void changed(const Token& name) {
    if (!source_.isWrittenInMainFile(name.getLocation())) return;
    const uint32_t at = source_.getFileOffset(name.getLocation());
    unit_.macro_changes.push_back({at, at + name.getLength()});
  }
  const SourceManager& source_;
  Unit& unit_;
};

// Regions of functions that do not stand in the file itself.
class IncludedRegions : public RecursiveASTVisitor<IncludedRegions> {
 public:
  IncludedRegions(const FunctionDecl& f, const SourceManager& source, Unit& unit)
      : f_(f), source_(source), unit_(unit) {}
  bool VisitOMPExecutableDirective(OMPExecutableDirective* d) {
    const PresumedLoc at = source_.getPresumedLoc(source_.getExpansionLoc(d->getBeginLoc()));
    if (isOpenMPParallelDirective(d->getDirectiveKind()) && at.isValid())
      unit_.included.push_back({at.getFilename(), f_.getNameAsString(), at.getLine()});
    return true;
  }

 private:
  const FunctionDecl& f_;
  const SourceManager& source_;
  Unit& unit_;
};

class Consumer : public ASTConsumer {
 public:
  Consumer(CompilerInstance& compiler, Unit& unit) : compiler_(compiler), unit_(unit) {}
  void HandleTranslationUnit(ASTContext& ast) override {
    const SourceManager& source = ast.getSourceManager();
    unit_.text = source.getBufferData(source.getMainFileID()).str();
    if (compiler_.getDiagnostics().hasErrorOccurred()) return;
    for (const auto& macro : compiler_.getPreprocessor().macros())
      if (macro.second.getLatest() && macro.second.getLatest()->isDefined())
        unit_.macros.push_back(macro.first->getName().str());
    Walk walk(ast, unit_.text);
    for (Decl* d : ast.getTranslationUnitDecl()->decls())
      if (auto* f = dyn_cast<FunctionDecl>(d); f && f->doesThisDeclarationHaveABody()) {
        if (source.isInMainFile(source.getExpansionLoc(f->getBeginLoc())) &&
            source.isInMainFile(source.getExpansionLoc(f->getEndLoc()))) {
          unit_.functions.push_back(walk.function(*f));
          for (TaskRun& run : find_runs(ast, walk, *f)) unit_.runs.push_back(std::move(run));
        } else if (!source.isInSystemHeader(f->getLocation()))
          IncludedRegions(*f, source, unit_).TraverseStmt(f->getBody());
      }
  }

 private:
  CompilerInstance& compiler_;
  Unit& unit_;
};

class Parsing : public ASTFrontendAction {
 public:
  explicit Parsing(Unit& unit) : unit_(unit) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, StringRef) override {
    compiler.setVerboseOutputStream(llvm::nulls());  // how many errors there were
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<Macros>(compiler.getSourceManager(), unit_));
    return std::make_unique<Consumer>(compiler, unit_);
  }

 private:
  Unit& unit_;
};

}  // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> file_system(const std::string& file, const std::string* text) {
  if (!text) return llvm::vfs::getRealFileSystem();
  auto all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  auto instead = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  all->pushOverlay(instead);
  llvm::SmallString<256> path(file);
  (void)all->makeAbsolute(path);
  instead->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(*text));
  return all;
}

Reading read(const std::string& file, const std::string* text, const std::vector<std::string>& flags) {
  Reading reading;
  std::vector<std::string> words = {"clang", "-fsyntax-only"};
  words.insert(words.end(), flags.begin(), flags.end());
  words.push_back(file);
  llvm::raw_string_ostream messages(reading.messages);
  llvm::IntrusiveRefCntPtr<FileManager> files(new FileManager(FileSystemOptions(), file_system(file, text)));
  auto options = llvm::makeIntrusiveRefCnt<DiagnosticOptions>();
  TextDiagnosticPrinter printer(messages, options.get());
  tooling::ToolInvocation tool(words, std::make_unique<Parsing>(reading.unit), files.get());
  tool.setDiagnosticConsumer(&printer);
  tool.setDiagnosticOptions(options.get());
  reading.parsed = tool.run();
  messages.flush();
  return reading;
}

}  // namespace einkorn::compiler
