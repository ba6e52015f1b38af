// One function of clang's syntax tree, into a Function. The files that include this are those that include clang.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/types.h"

namespace einkorn::compiler {

// The real files, in which that one has another text, if one is given.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> file_system(const std::string& file, const std::string* text);

// What kind of a type it is, and its text.
Type describe(const clang::ASTContext& ast, clang::QualType type);
// Anything but what the compiler knows by a name of its own: what is declared pure has no effect, and may take long.
bool calls(const clang::Stmt* s);

// Does a function wait for other threads? in_loops: it looks at what they change, and whoever calls it in a loop that
// does not count may wait so. maybe: or it is not known. asked: while that is found out.
enum class Waits : uint8_t { no, in_loops, maybe, asked };

// A for statement that ends after a number of iterations, and only then, whatever others do.
bool is_counted(const clang::ForStmt* f, const clang::ASTContext& ast);
// That looks at what other threads may change: an atomic that is read; a value that is volatile or atomic.
bool is_atomic_look(const clang::OMPExecutableDirective& d);
bool is_look(const clang::Expr& e);
// What a function that is not the program's is given to call, as often as it likes. nullptr among them: it is not
// known.
std::vector<const clang::FunctionDecl*> callbacks(const clang::CallExpr& e, const clang::ASTContext& ast);

class Walk {
 public:
  Walk(clang::ASTContext& ast, const std::string& text) : ast_(ast), source_(ast.getSourceManager()), text_(text) {}
  Function function(const clang::FunctionDecl& f);
  Range whole(const clang::Stmt* s) const;  // with its semicolon
  uint32_t line(clang::SourceLocation at) const {
    return source_.getPresumedLoc(source_.getExpansionLoc(at)).getLine();
  }

 private:
  struct Place {
    int directive = -1;
    Range scope;         // of names declared here
    bool list = false;   // in a compound statement
    bool loop = false;   // in a loop that nobody shares
    bool inner = false;  // not the function's own directive level
  };
  // walk.cpp: statements and expressions
  void statement(const clang::Stmt* s, Place at);
  // how: what happens to the object that `e` names, where it names one. Of an expression that is a value and no object
  // it says nothing: what is loaded on the way is read.
  void expression(const clang::Expr* e, Use::How how, Place at);
  void array(const clang::Expr* pointer, Use::How how, Place at);
  void literal(const clang::StringLiteral& s);
  void children(const clang::Stmt* s, Use::How how, Place at);
  void declarations(const clang::DeclStmt& s, Place at);
  void name(const clang::DeclRefExpr& e, Use::How how);
  void call(const clang::CallExpr& e, Place at);
  int variable(const clang::VarDecl* v);
  // walk.cpp: statements that are calls of functions of the program's, and returns
  void forms(const clang::Stmt* s);
  void form_of(const clang::Expr* value, Call::Form form, Range whole, const clang::Expr* target,
               const clang::VarDecl* declared);
  // walk.cpp: how control goes
  Flow flow(const clang::Stmt* s) const;
  EarlyEnd early_end(const clang::Stmt* body) const;
  // describe.cpp: of the function, those that its codelets need
  std::string attributes(const clang::FunctionDecl& f) const;
  void note(Note::Kind kind, clang::SourceLocation at, std::string why, Range range = {});
  // directives.cpp: OpenMP
  void directive(const clang::OMPExecutableDirective& d, Place at);
  Clause clause(const clang::OMPClause& c, Place at);
  void reduced(Clause& clause, const clang::Expr* item, const clang::Expr* combine, Place at);
  void loop(const clang::ForStmt& f, Loop& into);
  void inner_loops(const clang::Stmt* body, unsigned count, Directive& d);
  // known.cpp
  Waits waits(const clang::FunctionDecl* f);
  bool is_bound(const clang::FunctionDecl* f);
  bool asks_for_team(const clang::FunctionDecl* f);

  uint32_t offset(clang::SourceLocation at, bool* macro = nullptr) const;
  Range range(clang::SourceRange r) const;  // empty where a macro cuts it
  Range expanded(clang::SourceRange r) const;
  bool is_in_macro(clang::SourceLocation at, llvm::StringRef macro) const;  // its own text, not an argument

  clang::ASTContext& ast_;
  clang::SourceManager& source_;
  const std::string& text_;
  Function into_;
  std::string pretty_name_;
  llvm::DenseMap<const clang::VarDecl*, int> variables_;
  llvm::DenseMap<const clang::FunctionDecl*, Waits> waits_;
  bool recurs_ = false;  // what waits() is asked for calls something that it is being asked for
  llvm::DenseMap<const clang::FunctionDecl*, bool> bound_;
  llvm::DenseMap<const clang::FunctionDecl*, bool> asks_for_team_;
};

}  // namespace einkorn::compiler
