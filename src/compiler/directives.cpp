// OpenMP's directives, their clauses and loops.
#include <clang/AST/Attr.h>
#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/OpenMPClause.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Lex/Lexer.h>

#include "compiler/reasons.h"
#include "compiler/walk.h"

namespace einkorn::compiler {

using namespace clang;

namespace {

// From '#' to the end of the line, over lines that go on with a backslash and over comments.
uint32_t pragma_end(const std::string& text, uint32_t at) {
  for (; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\\' && text.compare(at + 1, 2, "\r\n") == 0) at += 2;
    else if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] == '\n') ++at;
    else if (text.compare(at, 2, "//") == 0) {
      const size_t end = text.find('\n', at);
      return uint32_t(end == std::string::npos ? text.size() : end);
    } else if (text.compare(at, 2, "/*") == 0) {
      const size_t end = text.find("*/", at + 2);
      if (end == std::string::npos) return uint32_t(text.size());
      at = uint32_t(end) + 1;
    }
  }
  return at > 0 && at <= text.size() && text[at - 1] == '\r' ? at - 1 : at;
}

Directive::Kind kind_of(OpenMPDirectiveKind kind, bool& simd, bool& task) {
  simd = kind == llvm::omp::OMPD_parallel_for_simd || kind == llvm::omp::OMPD_for_simd ||
         kind == llvm::omp::OMPD_teams_distribute_parallel_for_simd;
  task = isOpenMPTaskingDirective(kind) || isOpenMPTaskLoopDirective(kind);
  switch (kind) {
    case llvm::omp::OMPD_parallel:
    case llvm::omp::OMPD_parallel_master:
    case llvm::omp::OMPD_parallel_masked: return Directive::parallel;
    case llvm::omp::OMPD_parallel_loop:
    case llvm::omp::OMPD_parallel_for:
    case llvm::omp::OMPD_teams_distribute_parallel_for:
    case llvm::omp::OMPD_teams_distribute_parallel_for_simd:
    case llvm::omp::OMPD_parallel_for_simd: return Directive::parallel_for;
    case llvm::omp::OMPD_parallel_sections: return Directive::parallel_sections;
    case llvm::omp::OMPD_for:
    case llvm::omp::OMPD_for_simd: return Directive::for_;
    case llvm::omp::OMPD_sections: return Directive::sections;
    case llvm::omp::OMPD_single: return Directive::single;
    case llvm::omp::OMPD_master: return Directive::master;
    case llvm::omp::OMPD_masked: return Directive::masked;
    case llvm::omp::OMPD_barrier: return Directive::barrier;
    default: return Directive::kept;
  }
}

// Left as they are in a codelet.
bool is_known(OpenMPDirectiveKind kind) {
  switch (kind) {
    case llvm::omp::OMPD_critical:
    case llvm::omp::OMPD_atomic:
    case llvm::omp::OMPD_flush:
    case llvm::omp::OMPD_simd:
    case llvm::omp::OMPD_task:
    case llvm::omp::OMPD_taskwait:
    case llvm::omp::OMPD_taskyield:
    case llvm::omp::OMPD_taskgroup:
    case llvm::omp::OMPD_taskloop:
    case llvm::omp::OMPD_taskloop_simd:
    case llvm::omp::OMPD_master_taskloop:
    case llvm::omp::OMPD_master_taskloop_simd:
    case llvm::omp::OMPD_masked_taskloop:
    case llvm::omp::OMPD_masked_taskloop_simd:
    case llvm::omp::OMPD_ordered:
    case llvm::omp::OMPD_scope:
    case llvm::omp::OMPD_depobj:
    case llvm::omp::OMPD_scan:
    case llvm::omp::OMPD_section: return true;
    default: return false;
  }
}

// What a statement ends with: clang ends a directive at the end of its line.
const Stmt* last_of(const Stmt* s) {
  for (;;) {
    if (const auto* f = dyn_cast<ForStmt>(s)) s = f->getBody();
    else if (const auto* w = dyn_cast<WhileStmt>(s)) s = w->getBody();
    else if (const auto* w = dyn_cast<SwitchStmt>(s)) s = w->getBody();
    else if (const auto* i = dyn_cast<IfStmt>(s)) s = i->getElse() ? i->getElse() : i->getThen();
    else if (const auto* l = dyn_cast<LabelStmt>(s)) s = l->getSubStmt();
    else if (const auto* c = dyn_cast<SwitchCase>(s)) s = c->getSubStmt();
    else if (const auto* a = dyn_cast<AttributedStmt>(s)) s = a->getSubStmt();
    else if (const auto* c = dyn_cast<CapturedStmt>(s)) s = c->getCapturedStmt();
    else if (const auto* c = dyn_cast<OMPCanonicalLoop>(s)) s = c->getLoopStmt();
    else if (const auto* d = dyn_cast<OMPExecutableDirective>(s); d && d->hasAssociatedStmt()) s = d->getRawStmt();
    else return s;
  }
}

bool is_default_allocator(const Expr* e) {
  const auto* ref = dyn_cast<DeclRefExpr>(e->IgnoreParenImpCasts());
  return ref && ref->getDecl()->getName() == "omp_default_mem_alloc";
}

}  // namespace

Clause Walk::clause(const OMPClause& c, Place at) {
  Clause it;
  it.name = llvm::omp::getOpenMPClauseName(c.getClauseKind()).str();
  it.text = expanded(SourceRange(c.getBeginLoc(), c.getEndLoc()));
  if (c.getBeginLoc().isMacroID() || c.getEndLoc().isMacroID() || it.text.begin > it.text.end) it.text = {};
  const auto names = [&](auto* list) {
    for (const Expr* e : list->varlists()) {
      e = e->IgnoreParenImpCasts();
      const auto* ref = dyn_cast<DeclRefExpr>(e);
      if (ref && isa<VarDecl>(ref->getDecl())) {
        name(*ref, Use::clause);
        it.variables.push_back(variable(cast<VarDecl>(ref->getDecl())));
      } else {
        expression(e, Use::clause, at);
        it.kind = Clause::other;
      }
    }
  };
  const auto value = [&](const Expr* e) {
    if (!e) return;
    const Expr* const loaded = e;  // with the load, by which a variable is known to be read
    e = e->IgnoreImplicit();
    // What clang evaluates ahead of teams.
    while (const auto* ref = dyn_cast<DeclRefExpr>(e)) {
      const auto* captured = dyn_cast<OMPCapturedExprDecl>(ref->getDecl());
      if (!captured) break;
      e = captured->getInit()->IgnoreImplicit();
    }
    it.argument = range(e->getSourceRange());
    expression(loaded, Use::address, at);
    if (it.argument.empty()) note(Note::macro, c.getBeginLoc(), because(Why::one_clause_by_macro, {it.name}));
  };
  if (const auto* x = dyn_cast<OMPIfClause>(&c)) {
    it.kind = x->getNameModifier() == llvm::omp::OMPD_simd ? Clause::simd : Clause::if_;
    value(x->getCondition());
  } else if (const auto* x = dyn_cast<OMPNumThreadsClause>(&c))
    it.kind = Clause::num_threads, value(x->getNumThreads());
  else if (const auto* x = dyn_cast<OMPFilterClause>(&c)) it.kind = Clause::filter, value(x->getThreadID());
  else if (const auto* x = dyn_cast<OMPDefaultClause>(&c)) {
    it.kind = Clause::default_;
    it.op = x->getDefaultKind() == llvm::omp::OMP_DEFAULT_none     ? "none"
            : x->getDefaultKind() == llvm::omp::OMP_DEFAULT_shared ? "shared"
                                                                   : "private";
  } else if (const auto* x = dyn_cast<OMPSharedClause>(&c)) it.kind = Clause::shared, names(x);
  else if (const auto* x = dyn_cast<OMPPrivateClause>(&c)) it.kind = Clause::private_, names(x);
  else if (const auto* x = dyn_cast<OMPFirstprivateClause>(&c)) it.kind = Clause::firstprivate, names(x);
  else if (const auto* x = dyn_cast<OMPLastprivateClause>(&c)) {
    it.kind = x->getKind() == OMPC_LASTPRIVATE_unknown ? Clause::lastprivate : Clause::conditional;
    names(x);
  } else if (const auto* x = dyn_cast<OMPCopyprivateClause>(&c)) it.kind = Clause::copyprivate, names(x);
  else if (const auto* x = dyn_cast<OMPTaskReductionClause>(&c)) it.kind = Clause::task_reduction, names(x);
  else if (const auto* x = dyn_cast<OMPInReductionClause>(&c)) it.kind = Clause::in_reduction, names(x);
  else if (const auto* x = dyn_cast<OMPReductionClause>(&c)) {
    it.kind = x->getModifier() == OMPC_REDUCTION_inscan ? Clause::inscan : Clause::reduction;
    it.number = x->getModifier() == OMPC_REDUCTION_task;
    const DeclarationName op = x->getNameInfo().getName();
    it.op = op.getNameKind() == DeclarationName::CXXOperatorName ? getOperatorSpelling(op.getCXXOverloadedOperator())
                                                                 : op.getAsString();
    auto combine = x->reduction_ops().begin();
    for (const Expr* e : x->varlists()) reduced(it, e, *combine++, at);
  } else if (const auto* x = dyn_cast<OMPScheduleClause>(&c)) {
    it.kind = Clause::schedule;
    it.op = getOpenMPSimpleClauseTypeName(llvm::omp::OMPC_schedule, x->getScheduleKind());
    if (x->getScheduleKind() == OMPC_SCHEDULE_unknown) it.kind = Clause::other;
    it.number = x->getChunkSize() != nullptr;
    if (it.number) expression(x->getChunkSize(), Use::address, at);
  } else if (const auto* x = dyn_cast<OMPCollapseClause>(&c)) {
    it.kind = Clause::collapse;
    Expr::EvalResult result;
    if (x->getNumForLoops()->EvaluateAsInt(result, ast_)) it.number = int(result.Val.getInt().getExtValue());
  } else if (const auto* x = dyn_cast<OMPLinearClause>(&c)) {
    it.kind = x->getModifier() == OMPC_LINEAR_val ? Clause::linear : Clause::other;
    names(x);
    // A step that nobody wrote has no place.
    if (const Expr* step = x->getStep(); step && x->getColonLoc().isValid()) value(step);
  } else if (const auto* x = dyn_cast<OMPCopyinClause>(&c)) it.kind = Clause::copyin, names(x);
  else if (isa<OMPNowaitClause>(&c)) it.kind = Clause::nowait;
  else {
    if (isa<OMPProcBindClause>(&c)) it.kind = Clause::proc_bind;
    if (const auto* x = dyn_cast<OMPOrderedClause>(&c)) {
      it.kind = Clause::ordered;
      Expr::EvalResult result;
      if (!x->getNumForLoops()) it.text.end = it.text.begin + uint32_t(it.name.size());
      else if (x->getNumForLoops()->EvaluateAsInt(result, ast_)) it.number = int(result.Val.getInt().getExtValue());
    }
    if (isa<OMPSafelenClause, OMPSimdlenClause, OMPAlignedClause, OMPNontemporalClause>(&c)) it.kind = Clause::simd;
    if (isa<OMPOrderClause, OMPBindClause, OMPDistScheduleClause>(&c)) it.kind = Clause::hint;
    // One team is no more than that.
    if (const auto* x = dyn_cast<OMPNumTeamsClause>(&c); x && !x->getNumTeams()->HasSideEffects(ast_))
      it.kind = Clause::hint;
    // Memory as any other, which is what codelets have their own in.
    if (const auto* x = dyn_cast<OMPAllocateClause>(&c))
      if (const Expr* allocator = x->getAllocator(); !allocator || is_default_allocator(allocator))
        it.kind = Clause::hint;
    for (const Stmt* s : const_cast<OMPClause&>(c).children())
      if (const auto* e = dyn_cast_or_null<Expr>(s))
        expression(e, isa<OMPDetachClause, OMPDepobjClause>(&c) ? Use::write : Use::clause, at);
  }
  return it;
}

// An item of a reduction, and how two of it become one.
void Walk::reduced(Clause& it, const Expr* item, const Expr* combine, Place at) {
  Reduced how;
  const Expr* base = item->IgnoreParenImpCasts();
  if (const auto* section = dyn_cast<ArraySectionExpr>(base)) {
    how.plain = false;
    how.section = true;
    base = section->getBase()->IgnoreParenImpCasts();
    if (section->getStride()) it.kind = Clause::other;
    for (const auto& [e, range_of] :
         {std::pair(section->getLowerBound(), &how.lower), {section->getLength(), &how.length}}) {
      if (!e) continue;
      expression(e, Use::address, at);
      *range_of = range(e->IgnoreImplicit()->getSourceRange());
      if (range_of->empty()) it.kind = Clause::other;
    }
    if (how.length.empty()) it.kind = Clause::other;
  }
  const auto* ref = dyn_cast<DeclRefExpr>(base);
  const auto* v = ref ? dyn_cast<VarDecl>(ref->getDecl()) : nullptr;
  if (!v) {
    expression(item, Use::clause, at);
    it.kind = Clause::other;
    return;
  }
  name(*ref, Use::clause);
  it.variables.push_back(variable(v));
  if (v->getType()->isArrayType()) how.plain = false;
  // One that the program declares is a call of something that is not there.
  if (const auto* call = dyn_cast_or_null<CallExpr>(combine)) {
    const auto* opaque = dyn_cast<OpaqueValueExpr>(call->getCallee()->IgnoreImpCasts());
    const auto* called = opaque ? dyn_cast<DeclRefExpr>(opaque->getSourceExpr()->IgnoreParenImpCasts()) : nullptr;
    const auto* declared = called ? dyn_cast<OMPDeclareReductionDecl>(called->getDecl()) : nullptr;
    if (!declared || !declared->getCombiner()) {
      it.kind = Clause::other;
      return;
    }
    how.plain = false;
    how.by_user = true;
    how.combiner = range(declared->getCombiner()->getSourceRange());
    if (const Expr* initial = declared->getInitializer()) {
      how.initial = range(initial->getSourceRange());
      how.initial_calls = declared->getInitializerKind() == OMPDeclareReductionInitKind::Call;
      if (how.initial.empty()) it.kind = Clause::other;
    }
    if (how.combiner.empty()) it.kind = Clause::other;
  }
  it.reduced.push_back(how);
}

Range Walk::whole(const Stmt* s) const {
  const Stmt* last = last_of(s);
  Range it{expanded(s->getSourceRange()).begin, expanded(last->getSourceRange()).end};
  if (isa<OMPExecutableDirective>(last)) {
    it.end = pragma_end(text_, offset(source_.getExpansionLoc(last->getBeginLoc())));
  } else if (!isa<CompoundStmt, DeclStmt, NullStmt>(last)) {
    // Its semicolon is not the expression's.
    const size_t end = text_.find_first_not_of(" \t\r\n", it.end);
    if (text_[it.end - 1] != ';' && end != std::string::npos && text_[end] == ';') it.end = uint32_t(end) + 1;
  }
  return it;
}

void Walk::directive(const OMPExecutableDirective& d, Place at) {
  Directive it;
  const OpenMPDirectiveKind kind = d.getDirectiveKind();
  it.kind = kind_of(kind, it.simd, it.task);
  it.name = llvm::omp::getOpenMPDirectiveName(kind).str();
  it.line = line(d.getBeginLoc());
  it.parent = at.directive;
  it.in_list = at.list;
  if (at.list) it.list = at.scope;
  it.teams = isOpenMPTeamsDirective(kind);
  it.primary = kind == llvm::omp::OMPD_parallel_master || kind == llvm::omp::OMPD_parallel_masked;
  // A taskloop of one thread.
  for (const char* prefix : {"master taskloop", "masked taskloop"})
    if (it.name.rfind(prefix, 0) == 0) it.primary = true, it.name = it.name.substr(7);
  // The threads of the region share it, too.
  if (kind == llvm::omp::OMPD_loop && at.directive >= 0 && into_.directives[at.directive].kind == Directive::parallel)
    it.kind = Directive::for_;
  const uint32_t begin = offset(source_.getExpansionLoc(d.getBeginLoc()));
  if (d.getBeginLoc().isMacroID() || text_[begin] != '#') {
    it.pragma = {begin, begin};
    note(Note::macro, d.getBeginLoc(), because(Why::directive_by_macro, {it.name}));
  } else {
    it.pragma = {begin, pragma_end(text_, begin)};
  }
  if (it.kind == Directive::kept && !is_known(kind) && kind != llvm::omp::OMPD_single)
    note(Note::never, d.getBeginLoc(), because(Why::directive, {it.name}));
  const int self = int(into_.directives.size());
  into_.directives.push_back(it);
  std::vector<Clause> clauses;
  for (const OMPClause* c : d.clauses()) {
    if (!c || c->getBeginLoc().isInvalid()) {
      if (const auto* first = dyn_cast_or_null<OMPFirstprivateClause>(c))
        for (const Expr* e : first->varlists())
          if (const auto* ref = dyn_cast<DeclRefExpr>(e->IgnoreParenImpCasts()))
            if (const auto* v = dyn_cast<VarDecl>(ref->getDecl())) it.firstprivate.push_back(variable(v));
      continue;
    }
    clauses.push_back(clause(*c, at));
    if (clauses.back().kind == Clause::nowait) it.nowait = true;
    if (clauses.back().text.empty() && c->getBeginLoc().isFileID()) clauses.back().text = it.pragma;
    if (clauses.back().text.empty()) note(Note::macro, d.getBeginLoc(), because(Why::clause_by_macro, {it.name}));
  }
  it.clauses = std::move(clauses);
  if (it.kind == Directive::single && d.hasClausesOfKind<OMPCopyprivateClause>()) {
    it.kind = Directive::kept;
    note(Note::pins, d.getBeginLoc(), "a single has copyprivate");
  }
  if (const auto* loops = dyn_cast<OMPLoopDirective>(&d))
    for (const Expr* e : loops->counters())
      if (const auto* ref = dyn_cast_or_null<DeclRefExpr>(e))
        if (const auto* v = dyn_cast<VarDecl>(ref->getDecl()))
          if (!v->isLocalVarDecl() || offset(v->getLocation()) < begin) it.counters.push_back(variable(v));
  if (d.hasAssociatedStmt()) {
    const Stmt* s = d.getRawStmt();
    while (const auto* captured = dyn_cast<CapturedStmt>(s)) s = captured->getCapturedStmt();
    if (const auto* canonical = dyn_cast<OMPCanonicalLoop>(s)) s = canonical->getLoopStmt();
    it.statement = whole(s);
    Place inside = at;
    inside.directive = self;
    inside.list = false;
    inside.loop = false;
    if (const auto* f = dyn_cast<ForStmt>(s); f && isOpenMPLoopDirective(kind)) {
      loop(*f, it.loop);
      unsigned loops_together = cast<OMPLoopDirective>(&d)->getLoopsNumber();
      for (const Clause& c : it.clauses)
        if (c.kind == Clause::ordered) loops_together = std::max(loops_together, unsigned(c.number));
      inner_loops(f->getBody(), loops_together, it);
      // A loop that threads share is not one that somebody waits in.
      const size_t loops = into_.loops.size();
      statement(f, inside);
      if (it.kind != Directive::kept && loops < into_.loops.size())
        into_.loops.erase(into_.loops.begin() + long(loops));
    } else {
      statement(s, inside);
    }
  }
  into_.directives[self] = std::move(it);
  if (kind == llvm::omp::OMPD_scope) note(Note::pins, d.getBeginLoc(), "it has a 'scope'");
  if (kind == llvm::omp::OMPD_flush)
    note(Note::pins, d.getBeginLoc(), "it has a flush, by which threads may wait for each other");
  if (is_atomic_look(d))
    note(Note::looks, d.getBeginLoc(), "it reads atomically in a loop, and may wait for others so");
  if (kind == llvm::omp::OMPD_taskgroup)
    note(Note::no_sync, d.getBeginLoc(), because(Why::sync_taskgroup), into_.directives[self].statement);
}

void Walk::inner_loops(const Stmt* body, unsigned count, Directive& d) {
  while (d.inner.size() + 1 < count) {
    if (const auto* c = dyn_cast<CompoundStmt>(body)) {
      if (c->size() != 1) return;
      body = c->body_front();
    } else if (const auto* l = dyn_cast<OMPCanonicalLoop>(body)) {
      body = l->getLoopStmt();
    } else if (const auto* f = dyn_cast<ForStmt>(body)) {
      loop(*f, d.inner.emplace_back());
      body = f->getBody();
    } else {
      return;
    }
  }
}

// What `for (first; i < bound; step)` is; left as not plain where anything is not understood.
void Walk::loop(const ForStmt& f, Loop& it) {
  it.header = {offset(f.getLParenLoc()) + 1, offset(f.getRParenLoc())};
  it.body = whole(f.getBody());
  const VarDecl* v = nullptr;
  const Expr* first = nullptr;
  if (const auto* d = dyn_cast_or_null<DeclStmt>(f.getInit()); d && d->isSingleDecl()) {
    v = dyn_cast<VarDecl>(d->getSingleDecl());
    it.declares = true;
    first = v ? v->getInit() : nullptr;
  } else if (const auto* b = dyn_cast_or_null<BinaryOperator>(f.getInit()); b && b->getOpcode() == BO_Assign) {
    if (const auto* ref = dyn_cast<DeclRefExpr>(b->getLHS()->IgnoreParens())) v = dyn_cast<VarDecl>(ref->getDecl());
    first = b->getRHS();
  }
  if (!v || !first) return;
  it.variable = variable(v);
  it.first = range(first->getSourceRange());
  const auto is_it = [&](const Expr* e) {
    const auto* ref = dyn_cast<DeclRefExpr>(e->IgnoreParenImpCasts());
    return ref && ref->getDecl() == v;
  };
  const auto* c = dyn_cast_or_null<BinaryOperator>(f.getCond() ? f.getCond()->IgnoreParenImpCasts() : nullptr);
  if (!c || !c->isRelationalOp()) return;
  const bool left = is_it(c->getLHS());
  if (!left && !is_it(c->getRHS())) return;
  const Expr* bound = left ? c->getRHS() : c->getLHS();
  it.bound = range(bound->getSourceRange());
  BinaryOperatorKind op = c->getOpcode();
  if (!left) op = BinaryOperator::reverseComparisonOp(op);
  it.up = op == BO_LT || op == BO_LE;
  it.inclusive = op == BO_LE || op == BO_GE;
  const Expr* inc = f.getInc() ? f.getInc()->IgnoreParens() : nullptr;
  const Expr* step = nullptr;
  bool down = false;
  if (const auto* u = dyn_cast_or_null<UnaryOperator>(inc)) {
    if (!u->isIncrementDecrementOp() || !is_it(u->getSubExpr()) || u->isIncrementOp() != it.up) return;
  } else if (const auto* b = dyn_cast_or_null<BinaryOperator>(inc)) {
    if (!is_it(b->getLHS())) return;
    if (b->getOpcode() == BO_AddAssign || b->getOpcode() == BO_SubAssign) {
      step = b->getRHS();
      down = b->getOpcode() == BO_SubAssign;
    } else if (b->getOpcode() == BO_Assign) {
      const auto* sum = dyn_cast<BinaryOperator>(b->getRHS()->IgnoreParenImpCasts());
      if (!sum || !sum->isAdditiveOp()) return;
      down = sum->getOpcode() == BO_Sub;
      if (is_it(sum->getLHS())) step = sum->getRHS();
      else if (!down && is_it(sum->getRHS())) step = sum->getLHS();
      else return;
    } else {
      return;
    }
    it.negated = down == it.up;
    it.step = range(step->getSourceRange());
    if (it.step.empty()) return;
  } else {
    return;
  }
  it.by_pointer = v->getType()->isPointerType();
  const auto narrow = [&](const Expr* e) {
    return ast_.getTypeSize(e->getType()) <= 64 && e->getType()->isIntegralOrEnumerationType();
  };
  if (!it.by_pointer && (!narrow(first) || !narrow(bound))) return;
  it.plain = !it.first.empty() && !it.bound.empty() && it.header.begin < it.header.end;
}

}  // namespace einkorn::compiler
