// Which functions neither wait for other threads nor know on which one they run.
#include <clang/AST/Attr.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/ADT/StringSet.h>

#include "compiler/walk.h"

namespace einkorn::compiler {

using namespace clang;

namespace {

// Nothing in it that may wait for another thread: no directive but the harmless, no loop around an atomic access, no
// thread's own variable; functions that it calls are collected.
class Body : public RecursiveASTVisitor<Body> {
 public:
  bool ok = true;
  std::vector<const FunctionDecl*> calls;
  bool VisitOMPExecutableDirective(OMPExecutableDirective* d) {
    const OpenMPDirectiveKind kind = d->getDirectiveKind();
    const bool update = kind == llvm::omp::OMPD_atomic && !d->hasClausesOfKind<OMPReadClause>() &&
                        !d->hasClausesOfKind<OMPCaptureClause>() && !d->hasClausesOfKind<OMPCompareClause>();
    return ok &= update || kind == llvm::omp::OMPD_simd;
  }
  bool VisitAtomicExpr(AtomicExpr*) { return ok = false; }
  bool VisitGCCAsmStmt(GCCAsmStmt*) { return ok = false; }
  bool VisitDeclRefExpr(DeclRefExpr* e) {
    if (const auto* v = dyn_cast<VarDecl>(e->getDecl())) {
      bool own = v->getTLSKind() != VarDecl::TLS_None;
      for (const VarDecl* r : v->redecls()) own |= r->hasAttr<OMPThreadPrivateDeclAttr>();
      if (own || v->getType().isVolatileQualified()) ok = false;
    }
    return ok;
  }
  bool VisitCallExpr(CallExpr* e) {
    const FunctionDecl* f = e->getDirectCallee();
    if (!f) return ok = false;
    calls.push_back(f);
    return true;
  }
};

// Does it ask on which thread it runs, hold locks, or read what is each thread's own? What only adds to that does not:
// all threads' together are the same wherever it runs.
class Bound : public RecursiveASTVisitor<Bound> {
 public:
  explicit Bound(ASTContext& ast) : ast_(ast) {}
  bool is_bound = false;
  std::vector<const FunctionDecl*> calls;
  bool VisitCompoundAssignOperator(CompoundAssignOperator* b) { return adds_to(b->getLHS(), b); }
  bool VisitUnaryOperator(UnaryOperator* u) { return !u->isIncrementDecrementOp() || adds_to(u->getSubExpr(), u); }
  bool VisitGCCAsmStmt(GCCAsmStmt*) { return !(is_bound = true); }
  bool VisitDeclRefExpr(DeclRefExpr* e) {
    const auto* v = dyn_cast<VarDecl>(e->getDecl());
    if (!v || e == added_) return true;
    is_bound |= v->getTLSKind() != VarDecl::TLS_None;
    for (const VarDecl* r : v->redecls()) is_bound |= r->hasAttr<OMPThreadPrivateDeclAttr>();
    return !is_bound;
  }
  bool VisitCallExpr(CallExpr* e) {
    if (const FunctionDecl* f = e->getDirectCallee()) return calls.push_back(f), true;
    return !(is_bound = true);
  }

 private:
  bool adds_to(const Expr* e, const Expr* whole) {
    for (const auto& parent : ast_.getParents(*whole))
      if (parent.get<Expr>()) return true;  // its value is used
    if (const auto* ref = dyn_cast<DeclRefExpr>(e->IgnoreParens())) added_ = ref;
    return true;
  }
  ASTContext& ast_;
  const DeclRefExpr* added_ = nullptr;
};

}  // namespace

// Of libc and libm, and of OpenMP: what computes, copies, prints and allocates.
bool is_harmless(StringRef name) {
  static const llvm::StringSet<> known = {"abs",
                                          "labs",
                                          "llabs",
                                          "printf",
                                          "fprintf",
                                          "sprintf",
                                          "snprintf",
                                          "puts",
                                          "putchar",
                                          "fputs",
                                          "fputc",
                                          "fwrite",
                                          "fflush",
                                          "malloc",
                                          "calloc",
                                          "realloc",
                                          "free",
                                          "aligned_alloc",
                                          "posix_memalign",
                                          "memcpy",
                                          "memmove",
                                          "memset",
                                          "memcmp",
                                          "memchr",
                                          "strlen",
                                          "strcmp",
                                          "strncmp",
                                          "strcpy",
                                          "strncpy",
                                          "strcat",
                                          "strncat",
                                          "strchr",
                                          "strrchr",
                                          "strstr",
                                          "strtol",
                                          "strtoul",
                                          "strtoll",
                                          "strtoull",
                                          "strtod",
                                          "strtof",
                                          "atoi",
                                          "atol",
                                          "atoll",
                                          "atof",
                                          "qsort_r",
                                          "rand",
                                          "srand",
                                          "rand_r",
                                          "random",
                                          "drand48",
                                          "erand48",
                                          "lrand48",
                                          "nrand48",
                                          "isalpha",
                                          "isdigit",
                                          "isspace",
                                          "isupper",
                                          "islower",
                                          "isalnum",
                                          "toupper",
                                          "tolower",
                                          "abort",
                                          "exit",
                                          "time",
                                          "clock",
                                          "clock_gettime",
                                          "gettimeofday",
                                          "getenv",
                                          "omp_get_wtime",
                                          "omp_get_wtick",
                                          "omp_get_thread_num",
                                          "omp_get_num_threads",
                                          "omp_get_max_threads",
                                          "omp_in_parallel",
                                          "omp_get_level",
                                          "omp_get_active_level",
                                          "omp_get_num_procs",
                                          "__assert_fail",
                                          "sqrt",
                                          "cbrt",
                                          "sin",
                                          "cos",
                                          "tan",
                                          "asin",
                                          "acos",
                                          "atan",
                                          "atan2",
                                          "sinh",
                                          "cosh",
                                          "tanh",
                                          "asinh",
                                          "acosh",
                                          "atanh",
                                          "exp",
                                          "exp2",
                                          "expm1",
                                          "log",
                                          "log2",
                                          "log10",
                                          "log1p",
                                          "pow",
                                          "hypot",
                                          "fabs",
                                          "floor",
                                          "ceil",
                                          "round",
                                          "trunc",
                                          "rint",
                                          "nearbyint",
                                          "lround",
                                          "llround",
                                          "lrint",
                                          "llrint",
                                          "fmod",
                                          "remainder",
                                          "copysign",
                                          "fmax",
                                          "fmin",
                                          "fma",
                                          "erf",
                                          "erfc",
                                          "tgamma",
                                          "lgamma",
                                          "ldexp",
                                          "frexp",
                                          "modf",
                                          "sincos"};
  if (known.contains(name)) return true;
  if ((name.ends_with("f") || name.ends_with("l")) && known.contains(name.drop_back())) return true;
  return name.starts_with("__builtin_") && !name.starts_with("__builtin_ia32_pause");
}

bool Walk::is_pure(const FunctionDecl* f) {
  if (f->getBuiltinID() && f->getName().starts_with("__sync_")) return false;
  if (f->getBuiltinID() && f->getName().starts_with("__atomic_")) return false;
  const FunctionDecl* body = nullptr;
  if (!f->hasBody(body)) return is_harmless(f->getName());
  if (const auto found = pure_.find(body); found != pure_.end()) return found->second;
  pure_[body] = 1;  // recursion: as the rest says
  Body visitor;
  visitor.TraverseStmt(body->getBody());
  bool pure = visitor.ok;
  for (const FunctionDecl* called : visitor.calls) pure = pure && is_pure(called);
  // What was found while this one was taken for harmless may be wrong.
  if (!pure) pure_.clear();
  pure_[body] = pure;
  return pure;
}

bool Walk::is_bound(const FunctionDecl* f) {
  const FunctionDecl* body = nullptr;
  if (!f->hasBody(body)) {
    const StringRef name = f->getName();
    if (name == "omp_get_thread_num" || name.contains("_lock") || name.starts_with("pthread_")) return true;
    return !f->getBuiltinID() && !is_harmless(name) && !name.starts_with("omp_get_") &&
           !source_.isInSystemHeader(source_.getExpansionLoc(f->getLocation()));
  }
  if (const auto found = bound_.find(body); found != bound_.end()) return found->second;
  bound_[body] = false;  // recursion: as the rest says
  Bound visitor(ast_);
  visitor.TraverseStmt(body->getBody());
  bool bound = visitor.is_bound;
  for (const FunctionDecl* called : visitor.calls) bound = bound || is_bound(called);
  // What was found while this one was taken for free may be wrong.
  if (bound) bound_.clear();
  return bound_[body] = bound;
}

}  // namespace einkorn::compiler
