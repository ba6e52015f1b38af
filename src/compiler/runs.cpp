// What there is to be known of runs of tasks with depend: runs.h.
#include "compiler/runs.h"

#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/ADT/SmallPtrSet.h>

#include <algorithm>
#include <set>

#include "compiler/find_runs.h"

namespace einkorn::compiler {

namespace {

using namespace clang;

const VarDecl* run_variable(const Expr* e) {
  const auto* ref = dyn_cast<DeclRefExpr>(e->IgnoreParens());
  return ref ? dyn_cast<VarDecl>(ref->getDecl()) : nullptr;
}

// Of the function's own: each call of it, and each thread, has another one.
bool is_of_function(const VarDecl* v) {
  return v->isLocalVarDeclOrParm() && !v->isStaticLocal() && !v->hasExternalStorage();
}

// A task; or what only decides which tasks there are.
bool has_depend_task(const Stmt* s) {
  if (!s) return false;
  if (const auto* task = dyn_cast<OMPTaskDirective>(s)) return task->hasClausesOfKind<OMPDependClause>();
  if (isa<OMPExecutableDirective, Expr, DeclStmt>(s)) return false;
  const auto inner = s->children();
  return std::any_of(inner.begin(), inner.end(), has_depend_task);
}

// Does nothing that a task could notice: no call, no directive but tasks, nothing atomic or volatile, no jump.
bool is_silent_in_run(const Stmt* s) {
  if (!s || isa<OMPTaskDirective>(s)) return true;
  if (isa<OMPExecutableDirective, CallExpr, AtomicExpr, StmtExpr, GCCAsmStmt, ReturnStmt, GotoStmt, IndirectGotoStmt,
          BreakStmt, ContinueStmt, LabelStmt, SwitchStmt>(s))
    return false;
  if (const auto* e = dyn_cast<Expr>(s); e && (e->getType().isVolatileQualified() || e->getType()->isAtomicType()))
    return false;
  const auto inner = s->children();
  return std::all_of(inner.begin(), inner.end(), is_silent_in_run);
}

class NamedInRun : public RecursiveASTVisitor<NamedInRun> {
 public:
  bool VisitDeclRefExpr(DeclRefExpr* e) {
    if (const auto* v = dyn_cast<VarDecl>(e->getDecl())) variables.insert(v);
    return true;
  }
  bool VisitVarDecl(VarDecl* v) {
    declared.insert(v);
    return true;
  }
  // Its lengths are named where it is declared.
  bool VisitTypedefTypeLoc(TypedefTypeLoc t) {
    varies |= t.getTypedefNameDecl()->getUnderlyingType()->isVariablyModifiedType();
    return true;
  }
  bool VisitOMPExecutableDirective(OMPExecutableDirective* d) {
    if (!isa<OMPAtomicDirective, OMPCriticalDirective, OMPSimdDirective>(d) && !directive) directive = d;
    return true;
  }
  llvm::SmallPtrSet<const VarDecl*, 16> variables, declared;
  const OMPExecutableDirective* directive = nullptr;
  bool varies = false;
};

// A loop that looks at what others change: it may wait for another task.
bool may_wait(const Stmt* s, bool looped) {
  if (!s) return false;
  looped |= isa<WhileStmt, DoStmt, ForStmt, GotoStmt>(s);
  if (const auto* d = dyn_cast<OMPExecutableDirective>(s); d && looped && is_atomic_look(*d)) return true;
  if (const auto* e = dyn_cast<Expr>(s); e && looped && (is_look(*e) || isa<AtomicExpr>(e))) return true;
  const auto inner = s->children();
  return std::any_of(inner.begin(), inner.end(), [&](const Stmt* c) { return may_wait(c, looped); });
}

// What is called when a block is left.
bool has_cleanup(const Stmt* s) {
  const auto* d = dyn_cast<DeclStmt>(s);
  return d && std::any_of(d->decl_begin(), d->decl_end(), [](const Decl* one) { return one->hasAttr<CleanupAttr>(); });
}

// Everywhere in a function: names of a variable that are not in a `for` that sets it first.
class NamedElsewhere : public RecursiveASTVisitor<NamedElsewhere> {
 public:
  NamedElsewhere(const VarDecl* v) : v_(v) {}
  static const VarDecl* set_by(const ForStmt* f) {
    const auto* b = dyn_cast_or_null<BinaryOperator>(f->getInit());
    return b && b->getOpcode() == BO_Assign ? run_variable(b->getLHS()) : nullptr;
  }
  bool TraverseForStmt(ForStmt* f) {
    if (set_by(f) != v_) return RecursiveASTVisitor::TraverseForStmt(f);
    NamedInRun first;
    first.TraverseStmt(cast<BinaryOperator>(f->getInit())->getRHS());
    found |= first.variables.count(v_) != 0;
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* e) {
    found |= e->getDecl() == v_;
    return true;
  }
  bool VisitLabelStmt(LabelStmt*) { return found = true; }  // it may lead into a loop
  bool found = false;

 private:
  const VarDecl* v_;
};

// What stands around a statement, and where in it.
struct AroundRun {
  const Stmt* s;
  size_t part = 0;  // of a list: first behind the run; `before`: the run's first
  size_t before = 0;
};

class RunFinder {
 public:
  RunFinder(ASTContext& ast, const Walk& walk, const FunctionDecl& f) : ast_(ast), walk_(walk), f_(f) {}
  std::vector<TaskRun> runs() {
    std::vector<TaskRun> found;
    // The graph is the file's own.
    if (f_.isInlineSpecified() && f_.getStorageClass() != SC_Static) return found;
    look_into(f_.getBody(), found);
    return found;
  }

 private:
  using Against = TaskRun::Against;

  void against(Against& which, const std::string& what, SourceLocation at) {
    if (which.what.empty()) which = {what, walk_.line(at)};
  }

  // ---- where runs are
  static bool is_part(const Stmt* s) { return isa<ForStmt, IfStmt, OMPTaskDirective>(s) && has_depend_task(s); }

  void look_into(const Stmt* s, std::vector<TaskRun>& found) {
    if (!s || isa<Expr, DeclStmt>(s)) return;
    if (const auto* list = dyn_cast<CompoundStmt>(s)) {
      const std::vector<const Stmt*> all(list->body_begin(), list->body_end());
      for (size_t i = 0; i < all.size();) {
        size_t end = i;
        while (end < all.size() && is_part(all[end])) ++end;
        around_.push_back({s, std::max(end, i + 1), i});
        if (end > i) found.push_back(run({all.begin() + long(i), all.begin() + long(end)}));
        else look_into(all[i], found);
        around_.pop_back();
        i = std::max(end, i + 1);
      }
      return;
    }
    if (const auto* captured = dyn_cast<CapturedStmt>(s)) return look_into(captured->getCapturedStmt(), found);
    if (const auto* canonical = dyn_cast<OMPCanonicalLoop>(s)) return look_into(canonical->getLoopStmt(), found);
    around_.push_back({s});
    if (const auto* d = dyn_cast<OMPExecutableDirective>(s)) {
      if (d->hasAssociatedStmt()) {
        // A loop that is the directive's own is no loop of one thread.
        const Stmt* body = d->getRawStmt();
        while (const auto* c = dyn_cast<CapturedStmt>(body)) body = c->getCapturedStmt();
        if (const auto* c = dyn_cast<OMPCanonicalLoop>(body)) body = c->getLoopStmt();
        if (isOpenMPLoopDirective(d->getDirectiveKind())) {
          if (const auto* f = dyn_cast<ForStmt>(body)) look_into(f->getBody(), found);
        } else {
          part(body, found);
        }
      }
    } else if (const auto* f = dyn_cast<ForStmt>(s)) part(f->getBody(), found);
    else if (const auto* w = dyn_cast<WhileStmt>(s)) part(w->getBody(), found);
    else if (const auto* w = dyn_cast<DoStmt>(s)) part(w->getBody(), found);
    else if (const auto* i = dyn_cast<IfStmt>(s)) {
      part(i->getThen(), found);
      if (i->getElse()) part(i->getElse(), found);
    } else {
      for (const Stmt* c : s->children()) look_into(c, found);
    }
    around_.pop_back();
  }
  void part(const Stmt* s, std::vector<TaskRun>& found) {
    if (is_part(s)) found.push_back(run({s}));
    else look_into(s, found);
  }

  TaskRun run(const std::vector<const Stmt*>& parts) {
    TaskRun it;
    const Range first = walk_.whole(parts.front()), last = walk_.whole(parts.back());
    it.statements = {first.begin, last.end};
    it.line = walk_.line(parts.front()->getBeginLoc());
    it.function = f_.getNameAsString();
    it.file = ast_.getSourceManager().getPresumedLoc(f_.getBeginLoc()).getFilename();
    it.name = it.function + "_" + std::to_string(it.line) + "_tasks";
    run_ = &it;
    seen_.clear();
    counters_.clear();
    for (const Stmt* s : parts) content(s);
    if (it.goes_on.what.empty()) wait();
    if (parts.size() == 1)
      if (const auto* f = dyn_cast<ForStmt>(parts.front())) it.repeats = !is_counter_named(*f);
    for (const Stmt* s : parts)
      if (!isa<OMPTaskDirective>(s)) look_into(s, it.inner);
    return it;
  }

  // Beside its header.
  bool is_counter_named(const ForStmt& f) {
    const VarDecl* v = counter(f);
    NamedInRun names;
    names.TraverseStmt(const_cast<Stmt*>(f.getBody()));
    // What tasks take over without being told is in their bodies.
    return !v || names.variables.count(v) != 0;
  }

  // ---- what is in one
  void content(const Stmt* s) {
    if (!s || isa<NullStmt>(s)) return;
    if (s->getBeginLoc().isMacroID()) return against(run_->beside, "a macro", s->getBeginLoc());
    if (const auto* list = dyn_cast<CompoundStmt>(s)) {
      for (const Stmt* one : list->body()) content(one);
    } else if (const auto* f = dyn_cast<ForStmt>(s)) {
      ++run_->loops;
      header(*f);
      content(f->getBody());
    } else if (const auto* i = dyn_cast<IfStmt>(s); i && !i->getInit() && !i->hasVarStorage()) {
      steer(i->getCond());
      content(i->getThen());
      content(i->getElse());
    } else if (const auto* task = dyn_cast<OMPTaskDirective>(s)) {
      ++run_->tasks;
      this->task(*task);
    } else {
      against(run_->beside, isa<Expr, DeclStmt>(s) ? "a statement" : "another construct", s->getBeginLoc());
      if (const auto* e = dyn_cast<Expr>(s); e && !is_silent_in_run(e)) return;
      // What a task may be given by it.
      NamedInRun names;
      names.TraverseStmt(const_cast<Stmt*>(s));
      for (const VarDecl* v : names.declared) counters_.insert(v);
    }
  }

  static const VarDecl* counter(const ForStmt& f) {
    if (const auto* d = dyn_cast_or_null<DeclStmt>(f.getInit()); d && d->isSingleDecl())
      return dyn_cast<VarDecl>(d->getSingleDecl());
    return NamedElsewhere::set_by(&f);
  }

  void header(const ForStmt& f) {
    const VarDecl* v = counter(f);
    if (!v || f.getConditionVariable() || !f.getCond() || !f.getInc() || !is_of_function(v) ||
        v->getType().isVolatileQualified() ||
        !(v->getType()->isIntegralOrEnumerationType() || v->getType()->isPointerType()))
      return against(run_->steering, "a loop that does not count by a variable of the function", f.getBeginLoc());
    if (isa<DeclStmt>(f.getInit())) {
      if (v->getInit()) steer(v->getInit());
      else against(run_->steering, "a counter without a first value", f.getBeginLoc());
    } else {
      steer(cast<BinaryOperator>(f.getInit())->getRHS());
      NamedElsewhere elsewhere(v);
      elsewhere.TraverseStmt(f_.getBody());
      if (elsewhere.found) against(run_->counter, v->getNameAsString(), f.getBeginLoc());
    }
    counters_.insert(v);
    steer(f.getCond());
    const Expr* step = f.getInc()->IgnoreParens();
    if (const auto* u = dyn_cast<UnaryOperator>(step);
        u && u->isIncrementDecrementOp() && run_variable(u->getSubExpr()) == v)
      return;
    if (const auto* b = dyn_cast<BinaryOperator>(step); b && b->isAssignmentOp() && run_variable(b->getLHS()) == v)
      return steer(b->getRHS());
    against(run_->steering, "a loop that does not count by a variable of the function", f.getBeginLoc());
  }

  // Is the value of an expression made of numbers and pointers of the program alone? These are compared then.
  void steer(const Expr* e) {
    e = e->IgnoreParens();
    if (isa<IntegerLiteral, CharacterLiteral, FloatingLiteral>(e)) return;
    if (const auto* u = dyn_cast<UnaryExprOrTypeTraitExpr>(e); u && u->isEvaluatable(ast_)) return;
    if (const auto* ref = dyn_cast<DeclRefExpr>(e); ref && isa<EnumConstantDecl>(ref->getDecl())) return;
    if (const auto* c = dyn_cast<CastExpr>(e)) {
      if (c->getCastKind() != CK_LValueToRValue && c->getCastKind() != CK_ArrayToPointerDecay)
        return steer(c->getSubExpr());
      if (c->getCastKind() == CK_ArrayToPointerDecay) return address(c->getSubExpr());
      if (const VarDecl* v = run_variable(c->getSubExpr())) return value(v, RunValue::steers, e->getBeginLoc());
    } else if (const auto* u = dyn_cast<UnaryOperator>(e)) {
      if (u->getOpcode() == UO_Plus || u->getOpcode() == UO_Minus || u->getOpcode() == UO_Not ||
          u->getOpcode() == UO_LNot)
        return steer(u->getSubExpr());
      if (u->getOpcode() == UO_AddrOf) return address(u->getSubExpr());
    } else if (const auto* b = dyn_cast<BinaryOperator>(e); b && !b->isAssignmentOp() && b->getOpcode() != BO_Comma) {
      steer(b->getLHS());
      return steer(b->getRHS());
    } else if (const auto* c = dyn_cast<ConditionalOperator>(e)) {
      steer(c->getCond());
      steer(c->getTrueExpr());
      return steer(c->getFalseExpr());
    }
    against(run_->steering, "what is in memory, or called, decides", e->getBeginLoc());
  }

  // Of an object, without a look at what is in it.
  void address(const Expr* e) {
    e = e->IgnoreParens();
    if (const VarDecl* v = run_variable(e)) {
      if (counters_.count(v)) against(run_->steering, "the address of a counter", e->getBeginLoc());
      sizes(v->getType(), v->getNameAsString(), e->getBeginLoc());
      if (is_of_function(v)) shared(v, RunValue::steers);
      else if (v->getTLSKind() != VarDecl::TLS_None || v->hasAttr<OMPThreadPrivateDeclAttr>())
        against(run_->steering, "the address of what each thread has its own of", e->getBeginLoc());
      return;
    }
    if (const auto* a = dyn_cast<ArraySubscriptExpr>(e)) {
      steer(a->getBase());
      return steer(a->getIdx());
    }
    if (const auto* a = dyn_cast<ArraySectionExpr>(e); a && !a->getStride()) {
      const Expr* base = a->getBase();
      if (base->isGLValue() && !base->getType()->isPointerType()) address(base);
      else if (const VarDecl* v = run_variable(base->IgnoreParenImpCasts()); v && v->getType()->isPointerType())
        value(v, RunValue::steers, e->getBeginLoc());
      else steer(base);
      if (a->getLowerBound()) steer(a->getLowerBound());
      if (a->getLength()) steer(a->getLength());
      return;
    }
    if (const auto* m = dyn_cast<MemberExpr>(e)) return m->isArrow() ? steer(m->getBase()) : address(m->getBase());
    if (const auto* u = dyn_cast<UnaryOperator>(e); u && u->getOpcode() == UO_Deref) return steer(u->getSubExpr());
    if (const auto* c = dyn_cast<ImplicitCastExpr>(e); c && c->getCastKind() == CK_ArrayToPointerDecay)
      return address(c->getSubExpr());
    against(run_->steering, "what is in memory, or called, decides", e->getBeginLoc());
  }

  void task(const OMPTaskDirective& d) {
    llvm::SmallPtrSet<const VarDecl*, 8> mine, copied;
    for (const OMPClause* c : d.clauses()) {
      if (!c) continue;
      const auto each = [&](auto* list, auto&& set) {
        for (const Expr* e : list->varlists())
          if (const VarDecl* v = run_variable(e->IgnoreParenImpCasts())) set.insert(v);
      };
      if (const auto* x = dyn_cast<OMPFirstprivateClause>(c)) each(x, copied);
      else if (const auto* x = dyn_cast<OMPPrivateClause>(c)) each(x, mine);
      else if (const auto* x = dyn_cast<OMPDependClause>(c)) depend(*x);
      else if (!isa<OMPSharedClause, OMPDefaultClause, OMPUntiedClause, OMPMergeableClause>(c))
        against(run_->clause, llvm::omp::getOpenMPClauseName(c->getClauseKind()).str(), c->getBeginLoc());
    }
    NamedInRun names;
    const Stmt* body = d.getRawStmt();
    while (const auto* captured = dyn_cast<CapturedStmt>(body)) body = captured->getCapturedStmt();
    names.TraverseStmt(const_cast<Stmt*>(body));
    if (names.directive)
      against(run_->inside, llvm::omp::getOpenMPDirectiveName(names.directive->getDirectiveKind()).str(),
              names.directive->getBeginLoc());
    if (may_wait(body, false)) against(run_->inside, "a loop that looks at what others change", body->getBeginLoc());
    // Whose lengths compilers take from where these are known, be it a frame that is no more when it is replayed.
    for (const VarDecl* v : names.variables)
      names.varies |= is_of_function(v) && v->getType()->isVariablyModifiedType();
    if (names.varies) against(run_->data, "a type of variable length", d.getBeginLoc());
    for (const VarDecl* v : copied) value(v, RunValue::saved, d.getBeginLoc());
    for (const VarDecl* v : names.variables) {
      if (!is_of_function(v) || copied.count(v) || mine.count(v) || names.declared.count(v)) continue;
      if (counters_.count(v)) against(run_->counter, v->getNameAsString(), d.getBeginLoc());
      else {
        shared(v, RunValue::shared);
        sizes(v->getType(), v->getNameAsString(), d.getBeginLoc());
        // A compiler may copy it instead, where nobody writes it.
      }
    }
  }

  void depend(const OMPDependClause& c) {
    const OpenMPDependClauseKind kind = c.getDependencyKind();
    if (c.getModifier() || (kind != OMPC_DEPEND_in && kind != OMPC_DEPEND_out && kind != OMPC_DEPEND_inout))
      return against(run_->clause, c.getModifier() ? "depend with an iterator" : "depend of another kind",
                     c.getBeginLoc());
    for (const Expr* e : c.varlists()) address(e);
  }

  // ---- what is compared
  bool is_number(QualType t) const {
    if (const auto* b = t->getAs<BuiltinType>(); b && b->isFloatingPoint())
      return b->getKind() == BuiltinType::Float || b->getKind() == BuiltinType::Double;
    return (t->isIntegralOrEnumerationType() && ast_.getTypeSize(t) <= 64) || t->isPointerType();
  }

  void value(const VarDecl* v, RunValue::Kind kind, SourceLocation at) {
    if (counters_.count(v)) return;  // follows from the rest
    const QualType t = v->getType();
    if (!is_number(t) || t.isVolatileQualified() || t->isAtomicType()) {
      if (kind == RunValue::steers)
        against(run_->steering, "a variable that is no plain number or pointer decides", at);
      else against(run_->data, v->getNameAsString(), at);
      return;
    }
    if (v->getTLSKind() != VarDecl::TLS_None || v->hasAttr<OMPThreadPrivateDeclAttr>())
      return against(run_->steering, "what each thread has its own of decides", at);
    const std::string name = v->getNameAsString();
    add(kind, t->isPointerType()        ? "(int64_t)(intptr_t)" + name
              : t->isRealFloatingType() ? "ek_bits((double)" + name + ")"
                                        : "(int64_t)" + name);
    sizes(t, name, at);
  }
  void shared(const VarDecl* v, RunValue::Kind kind) {
    if (v->getStorageClass() == SC_Register) against(run_->data, v->getNameAsString(), v->getLocation());
    if (!counters_.count(v)) add(kind, "(int64_t)(intptr_t)&" + v->getNameAsString());
  }
  // The lengths of what a pointer or array is of.
  void sizes(QualType t, const std::string& name, SourceLocation at) {
    if (!t->isVariablyModifiedType()) return;
    if (const auto* p = t->getAs<clang::PointerType>();
        p && p->getPointeeType()->isVariableArrayType() &&
        !ast_.getAsVariableArrayType(p->getPointeeType())->getElementType()->isVariablyModifiedType())
      return add(RunValue::steers, "(int64_t)sizeof(*" + name + ")");
    against(run_->data, name, at);
  }
  void add(RunValue::Kind kind, const std::string& expression) {
    if (seen_.emplace(std::make_pair(int(kind), expression)).second) run_->values.push_back({kind, expression});
  }

  // ---- what comes behind it
  void wait() {
    for (auto at = around_.rbegin(); at != around_.rend(); ++at) {
      if (const auto* list = dyn_cast<CompoundStmt>(at->s)) {
        const std::vector<const Stmt*> all(list->body_begin(), list->body_end());
        for (const Stmt* one : all)
          if (has_cleanup(one)) return against(run_->goes_on, "goes on", one->getBeginLoc());
        for (size_t i = at->part; i < all.size(); ++i) {
          if (is_wait(all[i])) return;
          if (!is_silent_in_run(all[i])) return against(run_->goes_on, "goes on", all[i]->getBeginLoc());
        }
        // Where it comes back to, if a loop is around.
        const bool looped = at + 1 != around_.rend() && isa<ForStmt, WhileStmt, DoStmt>((at + 1)->s);
        for (size_t i = 0; looped && i < at->before; ++i)
          if (!is_silent_in_run(all[i])) return against(run_->goes_on, "goes on", all[i]->getBeginLoc());
      } else if (isa<ForStmt, WhileStmt, DoStmt>(at->s)) {
        for (const Stmt* c : at->s->children())
          if (c && isa<Expr>(c) && !is_silent_in_run(c)) return against(run_->goes_on, "goes on", c->getBeginLoc());
      } else if (const auto* d = dyn_cast<OMPExecutableDirective>(at->s)) {
        const OpenMPDirectiveKind kind = d->getDirectiveKind();
        const bool nowait = d->hasClausesOfKind<OMPNowaitClause>();
        if (kind == llvm::omp::OMPD_taskgroup || kind == llvm::omp::OMPD_parallel ||
            kind == llvm::omp::OMPD_parallel_master || kind == llvm::omp::OMPD_parallel_masked ||
            (kind == llvm::omp::OMPD_single && !nowait))
          return;
        if (kind != llvm::omp::OMPD_single && kind != llvm::omp::OMPD_master && kind != llvm::omp::OMPD_masked)
          return against(run_->goes_on, "goes on", d->getBeginLoc());
      } else if (!isa<IfStmt>(at->s)) {
        return against(run_->goes_on, "goes on", at->s->getBeginLoc());
      }
    }
    against(run_->goes_on, "goes on", f_.getBodyRBrace());
  }
  static bool is_wait(const Stmt* s) {
    if (const auto* w = dyn_cast<OMPTaskwaitDirective>(s)) return w->getNumClauses() == 0;
    return isa<OMPBarrierDirective>(s);
  }

  ASTContext& ast_;
  const Walk& walk_;
  const FunctionDecl& f_;
  std::vector<AroundRun> around_;
  TaskRun* run_ = nullptr;
  llvm::SmallPtrSet<const VarDecl*, 8> counters_;
  std::set<std::pair<int, std::string>> seen_;
};

}  // namespace

std::vector<TaskRun> find_runs(ASTContext& ast, const Walk& walk, const FunctionDecl& f) {
  return RunFinder(ast, walk, f).runs();
}

}  // namespace einkorn::compiler
