// Statements that are calls of the program's own functions, returns, and how control goes through a function.
#include "compiler/walk.h"

namespace einkorn::compiler {

using namespace clang;

void Walk::form_of(const Expr* value, Call::Form form, Range where, const Expr* target, const VarDecl* declared) {
  const auto* e = dyn_cast<CallExpr>(value->IgnoreParens());
  const FunctionDecl* f = e ? e->getDirectCallee() : nullptr;
  const auto* callee = f ? dyn_cast<DeclRefExpr>(e->getCallee()->IgnoreParenImpCasts()) : nullptr;
  bool macro = false;
  Call it;
  if (!callee || !f->hasPrototype() || f->isVariadic() || f->isWeak()) return;
  it.form = form;
  it.callee = f->getName().str();
  it.at = offset(callee->getLocation(), &macro);
  it.whole = where;
  it.pure = true;
  for (const Expr* argument : e->arguments()) {
    // As it is written: what the parameter makes of it the field of a frame does, too.
    it.arguments.push_back(range(argument->IgnoreImplicit()->getSourceRange()));
    it.pure &= !argument->HasSideEffects(ast_);
    it.calls_nothing &= !calls(argument);
    macro |= it.arguments.back().empty();
  }
  it.keeps_value = form != Call::plain || f->getReturnType()->isVoidType();
  if (target) {
    it.target = range(target->getSourceRange());
    it.pure &= !target->HasSideEffects(ast_);
    it.calls_nothing &= !calls(target);
    it.keeps_value &= ast_.hasSameType(target->getType(), f->getReturnType()) && !target->refersToBitField();
    macro |= it.target.empty();
    for (const Expr* part = target->IgnoreParens();;) {
      if (const auto* m = dyn_cast<MemberExpr>(part); m && !m->isArrow()) {
        part = m->getBase()->IgnoreParens();
      } else if (const auto* a = dyn_cast<ArraySubscriptExpr>(part)) {
        part = a->getBase()->IgnoreParenImpCasts();
        if (!part->getType()->isArrayType()) break;
      } else {
        if (const auto* ref = dyn_cast<DeclRefExpr>(part))
          if (const auto* v = dyn_cast<VarDecl>(ref->getDecl())) it.variable = variable(v);
        break;
      }
    }
  }
  if (declared) {
    it.variable = variable(declared);
    it.keeps_value &= ast_.hasSameUnqualifiedType(declared->getType(), f->getReturnType());
  }
  if (!macro && text_[where.end - 1] == ';') into_.calls.push_back(std::move(it));
}

void Walk::forms(const Stmt* s) {
  if (!s) return;
  if (const auto* e = dyn_cast<Expr>(s)) {
    const auto* b = dyn_cast<BinaryOperator>(e);
    if (b && b->getOpcode() == BO_Assign) return form_of(b->getRHS(), Call::assigns, whole(s), b->getLHS(), nullptr);
    return form_of(e, Call::plain, whole(s), nullptr, nullptr);
  }
  if (const auto* r = dyn_cast<ReturnStmt>(s)) {
    Return it;
    it.whole = whole(s);
    const Expr* value = r->getRetValue();
    if (value) it.value = range(value->IgnoreImplicit()->getSourceRange());
    it.in_macro = r->getBeginLoc().isMacroID() || (value && it.value.empty()) || text_[it.whole.end - 1] != ';';
    into_.returns.push_back(it);
    if (value) form_of(value, Call::returns, it.whole, nullptr, nullptr);
    return;
  }
  if (const auto* d = dyn_cast<DeclStmt>(s)) {
    const auto* v = d->isSingleDecl() ? dyn_cast<VarDecl>(d->getSingleDecl()) : nullptr;
    if (v && v->hasInit()) form_of(v->getInit(), Call::declares, expanded(s->getSourceRange()), nullptr, v);
    return;
  }
  if (const auto* c = dyn_cast<CompoundStmt>(s))
    for (const Stmt* inner : c->body()) forms(inner);
  else if (const auto* i = dyn_cast<IfStmt>(s)) forms(i->getThen()), forms(i->getElse());
  else if (const auto* l = dyn_cast<ForStmt>(s)) forms(l->getBody());
  else if (const auto* l = dyn_cast<WhileStmt>(s)) forms(l->getBody());
  else if (const auto* l = dyn_cast<DoStmt>(s)) forms(l->getBody());
  else if (const auto* l = dyn_cast<SwitchStmt>(s)) forms(l->getBody());
  else if (const auto* l = dyn_cast<LabelStmt>(s)) forms(l->getSubStmt());
  else if (const auto* l = dyn_cast<SwitchCase>(s)) forms(l->getSubStmt());
  else if (const auto* a = dyn_cast<AttributedStmt>(s)) forms(a->getSubStmt());
  else if (const auto* a = dyn_cast<CapturedStmt>(s)) forms(a->getCapturedStmt());
  else if (const auto* l = dyn_cast<OMPCanonicalLoop>(s)) forms(l->getLoopStmt());
  else if (const auto* d = dyn_cast<OMPExecutableDirective>(s); d && d->hasAssociatedStmt()) forms(d->getRawStmt());
}

Flow Walk::flow(const Stmt* s) const {
  Flow it;
  if (!s) return it;
  if (const auto* a = dyn_cast<AttributedStmt>(s)) return flow(a->getSubStmt());
  if (const auto* c = dyn_cast<CapturedStmt>(s)) return flow(c->getCapturedStmt());
  if (const auto* l = dyn_cast<OMPCanonicalLoop>(s)) return flow(l->getLoopStmt());
  it.at = offset(source_.getExpansionLoc(s->getBeginLoc()));
  const auto with = [&](Flow::Kind kind, std::initializer_list<const Stmt*> parts) {
    it.kind = kind;
    for (const Stmt* part : parts)
      if (part) it.parts.push_back(flow(part));
    return it;
  };
  // Without a condition, or with one that is always true.
  const auto repeats = [&](const Stmt* body, const Expr* condition) {
    bool value = !condition;
    it.is_endless =
        !condition || (!condition->isValueDependent() && condition->EvaluateAsBooleanCondition(value, ast_) && value);
    it.may_skip = !it.is_endless && !isa<DoStmt>(s);
    return with(Flow::loop, {body});
  };
  const auto behind = [&](Flow::Kind kind, StringRef name, const Stmt* rest) {
    Flow place;
    place.kind = kind;
    place.name = name.str();
    it.parts.push_back(std::move(place));
    return with(Flow::list, {rest});
  };
  if (const auto* f = dyn_cast<ForStmt>(s)) return repeats(f->getBody(), f->getCond());
  if (const auto* w = dyn_cast<WhileStmt>(s)) return repeats(w->getBody(), w->getCond());
  if (const auto* d = dyn_cast<DoStmt>(s)) return repeats(d->getBody(), d->getCond());
  if (const auto* c = dyn_cast<CompoundStmt>(s)) {
    for (const Stmt* part : c->body()) it.parts.push_back(flow(part));
    return with(Flow::list, {});
  }
  if (const auto* i = dyn_cast<IfStmt>(s)) {
    it.may_skip = !i->getElse();
    return with(Flow::branch, {i->getThen(), i->getElse()});
  }
  if (const auto* w = dyn_cast<SwitchStmt>(s)) {
    it.may_skip = true;
    for (const SwitchCase* c = w->getSwitchCaseList(); c; c = c->getNextSwitchCase())
      if (isa<DefaultStmt>(c)) it.may_skip = false;
    return with(Flow::select, {w->getBody()});
  }
  if (const auto* c = dyn_cast<SwitchCase>(s)) return behind(Flow::entry, "", c->getSubStmt());
  if (const auto* l = dyn_cast<LabelStmt>(s)) return behind(Flow::label, l->getDecl()->getName(), l->getSubStmt());
  if (const auto* d = dyn_cast<OMPExecutableDirective>(s))
    return with(Flow::directive, {d->hasAssociatedStmt() ? d->getRawStmt() : nullptr});
  if (const auto* g = dyn_cast<GotoStmt>(s)) it.kind = Flow::jump, it.name = g->getLabel()->getName().str();
  if (isa<ContinueStmt>(s)) it.kind = Flow::next;
  if (isa<BreakStmt>(s)) it.kind = Flow::out;
  if (isa<ReturnStmt>(s)) it.kind = Flow::back;
  return it;
}
}  // namespace einkorn::compiler
