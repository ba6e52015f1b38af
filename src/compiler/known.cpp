// Which functions neither wait for other threads nor know on which one they run.
#include <clang/AST/Attr.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/ADT/StringSet.h>

#include "compiler/walk.h"

namespace einkorn::compiler {

using namespace clang;

namespace {

// clang's walk through the tree. What is asked of it is virtual: a walk for each question, as clang means it, would be
// compiled anew each time, which takes the compiler five seconds.
class Visitor : public RecursiveASTVisitor<Visitor> {
 public:
  virtual ~Visitor() = default;
  virtual bool TraverseForStmt(ForStmt* s) { return RecursiveASTVisitor::TraverseForStmt(s); }
  virtual bool TraverseWhileStmt(WhileStmt* s) { return RecursiveASTVisitor::TraverseWhileStmt(s); }
  virtual bool TraverseDoStmt(DoStmt* s) { return RecursiveASTVisitor::TraverseDoStmt(s); }
  virtual bool TraverseSwitchStmt(SwitchStmt* s) { return RecursiveASTVisitor::TraverseSwitchStmt(s); }
  virtual bool VisitLabelStmt(LabelStmt*) { return true; }
  virtual bool VisitReturnStmt(ReturnStmt*) { return true; }
  virtual bool VisitGotoStmt(GotoStmt*) { return true; }
  virtual bool VisitIndirectGotoStmt(IndirectGotoStmt*) { return true; }
  virtual bool VisitBreakStmt(BreakStmt*) { return true; }
  virtual bool VisitGCCAsmStmt(GCCAsmStmt*) { return true; }
  virtual bool VisitOMPExecutableDirective(OMPExecutableDirective*) { return true; }
  virtual bool VisitExpr(Expr*) { return true; }
  virtual bool VisitUnaryOperator(UnaryOperator*) { return true; }
  virtual bool VisitBinaryOperator(BinaryOperator*) { return true; }
  virtual bool VisitCompoundAssignOperator(CompoundAssignOperator*) { return true; }
  virtual bool VisitDeclRefExpr(DeclRefExpr*) { return true; }
  virtual bool VisitCallExpr(CallExpr*) { return true; }
  virtual bool VisitAtomicExpr(AtomicExpr*) { return true; }
};

// Is that variable changed, or its address taken? by: of changes, what is none.
class Changes : public Visitor {
 public:
  explicit Changes(const VarDecl* v, const Expr* by = nullptr) : v_(v), by_(by) {}
  bool changed = false, address_taken = false;
  bool VisitUnaryOperator(UnaryOperator* u) override {
    if (u->isIncrementDecrementOp() && u != by_) changed |= is_it(u->getSubExpr());
    if (u->getOpcode() == UO_AddrOf) address_taken |= is_it(u->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* b) override {
    if (b->isAssignmentOp() && b != by_) changed |= is_it(b->getLHS());
    return true;
  }

 private:
  bool is_it(const Expr* e) const {
    const auto* ref = dyn_cast<DeclRefExpr>(e->IgnoreParens());
    return ref && ref->getDecl() == v_;
  }
  const VarDecl* v_;
  const Expr* by_;
};

// Is there a way out of a loop's body but its end?
class Exits : public Visitor {
 public:
  bool any = false;
  bool VisitReturnStmt(ReturnStmt*) override { return !(any = true); }
  bool VisitGotoStmt(GotoStmt*) override { return !(any = true); }
  bool VisitIndirectGotoStmt(IndirectGotoStmt*) override { return !(any = true); }
  bool VisitBreakStmt(BreakStmt*) override { return !(any |= inner_ == 0); }
  bool TraverseForStmt(ForStmt* s) override {
    return in_inner([&] { return Visitor::TraverseForStmt(s); });
  }
  bool TraverseWhileStmt(WhileStmt* s) override {
    return in_inner([&] { return Visitor::TraverseWhileStmt(s); });
  }
  bool TraverseDoStmt(DoStmt* s) override {
    return in_inner([&] { return Visitor::TraverseDoStmt(s); });
  }
  bool TraverseSwitchStmt(SwitchStmt* s) override {
    return in_inner([&] { return Visitor::TraverseSwitchStmt(s); });
  }

 private:
  template <class Traverse>
  bool in_inner(Traverse traverse) {
    ++inner_;
    const bool more = traverse();
    --inner_;
    return more;
  }
  int inner_ = 0;
};

const VarDecl* variable_of(const Expr* e) {
  const auto* ref = e ? dyn_cast<DeclRefExpr>(e->IgnoreParenImpCasts()) : nullptr;
  return ref ? dyn_cast<VarDecl>(ref->getDecl()) : nullptr;
}

// Of a loop's increment: the variable, and how much it adds, a constant; nullptr: it is no such increment.
const VarDecl* counter_of(const Expr* inc, const ASTContext& ast, int64_t& step) {
  inc = inc ? inc->IgnoreParenImpCasts() : nullptr;
  if (const auto* u = dyn_cast_or_null<UnaryOperator>(inc); u && u->isIncrementDecrementOp()) {
    step = u->isIncrementOp() ? 1 : -1;
    return variable_of(u->getSubExpr());
  }
  const auto* b = dyn_cast_or_null<CompoundAssignOperator>(inc);
  if (!b || (b->getOpcode() != BO_AddAssign && b->getOpcode() != BO_SubAssign)) return nullptr;
  Expr::EvalResult by;
  if (!b->getRHS()->EvaluateAsInt(by, ast) || !by.Val.getInt().isRepresentableByInt64()) return nullptr;
  step = by.Val.getInt().getExtValue() * (b->getOpcode() == BO_AddAssign ? 1 : -1);
  return step == 0 ? nullptr : variable_of(b->getLHS());
}

// Does counting by that step make the comparison false?
bool is_left(const Expr* condition, const VarDecl* v, int64_t step, const ASTContext& ast) {
  const auto* b = condition ? dyn_cast<BinaryOperator>(condition->IgnoreParenImpCasts()) : nullptr;
  if (!b || !b->isComparisonOp()) return false;
  const bool at_left = variable_of(b->getLHS()) == v;
  if (!at_left && variable_of(b->getRHS()) != v) return false;
  const Expr* bound = (at_left ? b->getRHS() : b->getLHS())->IgnoreParenImpCasts();
  const QualType type = v->getType();
  if (!type->isPointerType()) {
    if (!type->isIntegerType() || type->isBooleanType() || ast.getIntWidth(type) < ast.getIntWidth(ast.IntTy))
      return false;
    // What wraps before it is there.
    if (!bound->getType()->isIntegerType()) return false;
    if (type->isUnsignedIntegerType() && ast.getIntWidth(bound->getType()) > ast.getIntWidth(type)) return false;
  }
  BinaryOperatorKind kind = at_left ? b->getOpcode() : BinaryOperator::reverseComparisonOp(b->getOpcode());
  if (kind == BO_NE) return step == 1 || step == -1;
  if (type->isUnsignedIntegerType() && (kind == BO_GE || kind == BO_LE)) return false;
  return step > 0 ? kind == BO_LT || kind == BO_LE : kind == BO_GT || kind == BO_GE;
}

// What may wait for another thread, in a function: directives but the harmless, loops that look again and again at what
// others change, a thread's own variable. Functions that it calls are collected.
class Body : public Visitor {
 public:
  explicit Body(const ASTContext& ast) : ast_(ast) {}
  bool ok = true;
  bool looks = false;  // at what others change, outside of such loops
  bool labels = false;
  std::vector<std::pair<const FunctionDecl*, bool>> calls;  // is it in a loop that may wait?
  bool TraverseForStmt(ForStmt* f) override {
    return is_counted(f, ast_) ? Visitor::TraverseForStmt(f) : in_loop([&] { return Visitor::TraverseForStmt(f); });
  }
  bool TraverseWhileStmt(WhileStmt* s) override {
    return in_loop([&] { return Visitor::TraverseWhileStmt(s); });
  }
  bool TraverseDoStmt(DoStmt* s) override {
    return in_loop([&] { return Visitor::TraverseDoStmt(s); });
  }
  bool VisitLabelStmt(LabelStmt*) override { return labels = true; }
  bool VisitOMPExecutableDirective(OMPExecutableDirective* d) override {
    const OpenMPDirectiveKind kind = d->getDirectiveKind();
    if (kind == llvm::omp::OMPD_critical || is_atomic_look(*d)) return look();
    return ok &= kind == llvm::omp::OMPD_atomic || kind == llvm::omp::OMPD_simd;
  }
  bool VisitAtomicExpr(AtomicExpr*) override { return look(); }
  bool VisitGCCAsmStmt(GCCAsmStmt*) override { return ok = false; }
  bool VisitExpr(Expr* e) override { return !is_look(*e) || look(); }
  bool VisitDeclRefExpr(DeclRefExpr* e) override {
    if (const auto* v = dyn_cast<VarDecl>(e->getDecl())) {
      bool own = v->getTLSKind() != VarDecl::TLS_None;
      for (const VarDecl* r : v->redecls()) own |= r->hasAttr<OMPThreadPrivateDeclAttr>();
      if (own) ok = false;
    }
    return ok;
  }
  bool VisitCallExpr(CallExpr* e) override {
    const FunctionDecl* f = e->getDirectCallee();
    if (!f) return ok = false;
    calls.emplace_back(f, loops_ > 0);
    for (const FunctionDecl* called : callbacks(*e, ast_)) {
      if (!called) return ok = false;
      calls.emplace_back(called, true);
    }
    return true;
  }

 private:
  template <class Traverse>
  bool in_loop(Traverse traverse) {
    ++loops_;
    const bool more = traverse();
    --loops_;
    return more;
  }
  bool look() {
    looks = true;
    return ok &= loops_ == 0;
  }
  const ASTContext& ast_;
  int loops_ = 0;
};

// Does it ask on which thread it runs, hold locks, or read what is each thread's own? What only adds to that does not:
// all threads' together are the same wherever it runs.
class Bound : public Visitor {
 public:
  explicit Bound(ASTContext& ast) : ast_(ast) {}
  bool is_bound = false;
  std::vector<const FunctionDecl*> calls;
  bool VisitCompoundAssignOperator(CompoundAssignOperator* b) override { return adds_to(b->getLHS(), b); }
  bool VisitUnaryOperator(UnaryOperator* u) override {
    return !u->isIncrementDecrementOp() || adds_to(u->getSubExpr(), u);
  }
  bool VisitGCCAsmStmt(GCCAsmStmt*) override { return !(is_bound = true); }
  bool VisitDeclRefExpr(DeclRefExpr* e) override {
    const auto* v = dyn_cast<VarDecl>(e->getDecl());
    if (!v || e == added_) return true;
    is_bound |= v->getTLSKind() != VarDecl::TLS_None;
    for (const VarDecl* r : v->redecls()) is_bound |= r->hasAttr<OMPThreadPrivateDeclAttr>();
    return !is_bound;
  }
  bool VisitCallExpr(CallExpr* e) override {
    if (const FunctionDecl* f = e->getDirectCallee()) calls.push_back(f);
    else is_bound = true;
    for (const FunctionDecl* called : callbacks(*e, ast_)) {
      if (called) calls.push_back(called);
      else is_bound = true;
    }
    return !is_bound;
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

// Is it the library's, as its name says? A program may have one of such a name in another file; but not of those that
// ISO C has, which are clang's builtins.
bool is_library(const FunctionDecl* f, const SourceManager& source) {
  if (f->getBuiltinID() || f->getName().starts_with("omp_")) return true;  // omp.h need not be a system header
  for (const FunctionDecl* d : f->redecls())
    if (source.isInSystemHeader(source.getExpansionLoc(d->getLocation()))) return true;
  return false;
}

// Of libc and libm, and of OpenMP: what computes, copies, prints and allocates. What they are given to call is looked
// at where they are called.
bool is_harmless(StringRef name) {
  static const llvm::StringSet<> others = {"abs",
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
                                           "qsort",
                                           "qsort_r",
                                           "bsearch",
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
                                           "_exit",
                                           "_Exit",
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
                                           "__assert_fail"};
  static const llvm::StringSet<> maths = {
      "sqrt",      "cbrt",   "sin",     "cos",    "tan",    "asin",  "acos",      "atan",     "atan2", "sinh",
      "cosh",      "tanh",   "asinh",   "acosh",  "atanh",  "exp",   "exp2",      "expm1",    "log",   "log2",
      "log10",     "log1p",  "pow",     "hypot",  "fabs",   "floor", "ceil",      "round",    "trunc", "rint",
      "nearbyint", "lround", "llround", "lrint",  "llrint", "fmod",  "remainder", "copysign", "fmax",  "fmin",
      "fma",       "erf",    "erfc",    "tgamma", "lgamma", "ldexp", "frexp",     "modf",     "sincos"};
  if (others.contains(name) || maths.contains(name)) return true;
  if ((name.ends_with("f") || name.ends_with("l")) && maths.contains(name.drop_back())) return true;
  return name.starts_with("__builtin_") && !name.starts_with("__builtin_ia32_pause");
}

// Its body, where that says what it does: headers of libc have some, too, that call what they are given (callbacks()).
const FunctionDecl* body_of(const FunctionDecl* f, const ASTContext& ast) {
  const FunctionDecl* body = nullptr;
  if (!f->hasBody(body)) return nullptr;
  const SourceManager& source = ast.getSourceManager();
  const bool libcs = source.isInSystemHeader(source.getExpansionLoc(body->getLocation()));
  return libcs && is_harmless(f->getName()) ? nullptr : body;
}

// Of libc and OpenMP: what answers by the thread that calls it, and what holds something for that.
bool asks_for_thread(StringRef name) {
  static const llvm::StringSet<> known = {"omp_get_thread_num",
                                          "omp_get_ancestor_thread_num",
                                          "omp_get_place_num",
                                          "gettid",
                                          "getcpu",
                                          "sched_getcpu",
                                          "syscall",
                                          "flockfile",
                                          "ftrylockfile",
                                          "funlockfile",
                                          "thrd_current",
                                          "tss_get",
                                          "tss_set"};
  return known.contains(name) || name.contains("_lock") || name.starts_with("pthread_") || name.starts_with("mtx_");
}

}  // namespace

std::vector<const FunctionDecl*> callbacks(const CallExpr& e, const ASTContext& ast) {
  std::vector<const FunctionDecl*> found;
  if (!e.getDirectCallee() || body_of(e.getDirectCallee(), ast)) return found;
  for (const Expr* argument : e.arguments()) {
    if (!argument->getType()->isFunctionPointerType()) continue;
    argument = argument->IgnoreParenCasts();
    if (const auto* u = dyn_cast<UnaryOperator>(argument); u && u->getOpcode() == UO_AddrOf)
      argument = u->getSubExpr()->IgnoreParenCasts();
    const auto* ref = dyn_cast<DeclRefExpr>(argument);
    const auto* f = ref ? dyn_cast<FunctionDecl>(ref->getDecl()) : nullptr;
    if (!f && argument->isNullPointerConstant(const_cast<ASTContext&>(ast), Expr::NPC_ValueDependentIsNull)) continue;
    found.push_back(f);
  }
  return found;
}

bool is_counted(const ForStmt* f, const ASTContext& ast) {
  int64_t step = 0;
  const VarDecl* v = counter_of(f->getInc(), ast, step);
  if (!v || !v->hasLocalStorage() || v->getType().isVolatileQualified() || v->getType()->isAtomicType()) return false;
  if (!is_left(f->getCond(), v, step, ast)) return false;
  Changes changes(v, f->getInc()->IgnoreParenImpCasts());
  changes.TraverseStmt(const_cast<ForStmt*>(f)->getCond());
  changes.TraverseStmt(const_cast<ForStmt*>(f)->getInc());
  changes.TraverseStmt(const_cast<ForStmt*>(f)->getBody());
  if (changes.changed) return false;
  // Who has its address may change it.
  const DeclContext* around = v->getDeclContext();
  while (around && !isa<FunctionDecl>(around)) around = around->getParent();  // that of a directive's statement, say
  const auto* function = cast_or_null<FunctionDecl>(around);
  if (!function || !function->getBody()) return false;
  Changes anywhere(v);
  anywhere.TraverseStmt(function->getBody());
  // One that may be left before is a wait that gives up.
  Exits exits;
  exits.TraverseStmt(const_cast<ForStmt*>(f)->getBody());
  return !anywhere.address_taken && !exits.any;
}

bool is_atomic_look(const OMPExecutableDirective& d) {
  return d.getDirectiveKind() == llvm::omp::OMPD_atomic &&
         (d.hasClausesOfKind<OMPReadClause>() || d.hasClausesOfKind<OMPCaptureClause>() ||
          d.hasClausesOfKind<OMPCompareClause>());
}

bool is_look(const Expr& e) {
  const Expr* at = nullptr;
  if (const auto* c = dyn_cast<CastExpr>(&e); c && c->getCastKind() == CK_LValueToRValue) at = c->getSubExpr();
  if (const auto* u = dyn_cast<UnaryOperator>(&e); u && u->isIncrementDecrementOp()) at = u->getSubExpr();
  if (const auto* b = dyn_cast<CompoundAssignOperator>(&e)) at = b->getLHS();
  return at && (at->getType().isVolatileQualified() || at->getType()->isAtomicType());
}

Waits Walk::waits(const FunctionDecl* f) {
  const StringRef name = f->getName();
  if (f->getBuiltinID() && name.starts_with("__sync_lock_")) return Waits::maybe;
  if (f->getBuiltinID() && (name.starts_with("__sync_") || name.starts_with("__atomic_"))) return Waits::in_loops;
  const FunctionDecl* body = body_of(f, ast_);
  if (!body) return is_harmless(name) && is_library(f, source_) ? Waits::no : Waits::maybe;
  if (f->isWeak()) return Waits::maybe;  // another file may have another one
  if (const auto found = waits_.find(body); found != waits_.end()) {
    recurs_ |= found->second == Waits::asked;
    return found->second;
  }
  waits_[body] = Waits::asked;  // a recursion: as the rest says, but a loop
  const bool outer = std::exchange(recurs_, false);
  Body visitor(ast_);
  visitor.TraverseStmt(body->getBody());
  Waits all = !visitor.ok ? Waits::maybe : visitor.looks ? Waits::in_loops : Waits::no;
  for (const auto& [called, in_loop] : visitor.calls) {
    if (all == Waits::maybe) break;
    const Waits its = waits(called);
    if (its == Waits::maybe || (its == Waits::in_loops && in_loop)) all = Waits::maybe;
    else if (its == Waits::in_loops) all = Waits::in_loops;
  }
  if (all == Waits::in_loops && (recurs_ || visitor.labels)) all = Waits::maybe;
  // What was found while this one was taken for harmless may be wrong.
  if (all != Waits::no && recurs_) {
    std::vector<const FunctionDecl*> perhaps;
    for (const auto& [function, its] : waits_)
      if (its == Waits::no || its == Waits::in_loops) perhaps.push_back(function);
    for (const FunctionDecl* function : perhaps) waits_.erase(function);
  }
  recurs_ |= outer;
  return waits_[body] = all;
}

bool Walk::is_bound(const FunctionDecl* f) {
  const FunctionDecl* body = body_of(f, ast_);
  if (!body) return asks_for_thread(f->getName()) || !is_library(f, source_);
  if (f->isWeak()) return true;  // another file may have another one
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

bool Walk::asks_for_team(const FunctionDecl* f) {
  const FunctionDecl* body = body_of(f, ast_);
  const StringRef name = f->getName();
  if (!body) return name.starts_with("omp_") && name != "omp_get_wtime" && name != "omp_get_wtick";
  if (const auto found = asks_for_team_.find(body); found != asks_for_team_.end()) return found->second;
  asks_for_team_[body] = false;  // recursion: as the rest says
  Bound visitor(ast_);
  visitor.TraverseStmt(body->getBody());
  bool asks = visitor.is_bound;
  for (const FunctionDecl* called : visitor.calls) asks = asks || asks_for_team(called);
  // What was found while this one was taken for no such function may be wrong.
  if (asks) asks_for_team_.clear();
  return asks_for_team_[body] = asks;
}

}  // namespace einkorn::compiler
