// Statements and expressions: which variables they name, and what they do to them.
#include "compiler/walk.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclOpenMP.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <tuple>

#include "compiler/reasons.h"

namespace einkorn::compiler {

using namespace clang;

uint32_t Walk::offset(SourceLocation at, bool* macro) const {
  if (at.isMacroID()) {
    if (source_.isMacroArgExpansion(at)) {
      const SourceLocation spelling = source_.getSpellingLoc(at);
      // An argument is in the file, unless another macro handed it on.
      if (source_.isInMainFile(spelling) && spelling.isFileID()) return source_.getFileOffset(spelling);
    }
    if (macro) *macro = true;
    return source_.getFileOffset(source_.getExpansionLoc(at));
  }
  return source_.getFileOffset(at);
}

Range Walk::range(SourceRange r) const {
  const CharSourceRange chars =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(r), source_, ast_.getLangOpts());
  if (chars.isInvalid() || !source_.isInMainFile(chars.getBegin())) return {};
  return {source_.getFileOffset(chars.getBegin()), source_.getFileOffset(chars.getEnd())};
}

Range Walk::expanded(SourceRange r) const {
  const SourceLocation begin = source_.getExpansionLoc(r.getBegin());
  const SourceLocation end = source_.getExpansionRange(r.getEnd()).getEnd();
  return {source_.getFileOffset(begin),
          source_.getFileOffset(end) + Lexer::MeasureTokenLength(end, source_, ast_.getLangOpts())};
}

bool Walk::is_in_macro(SourceLocation at, StringRef macro) const {
  return at.isMacroID() && Lexer::getImmediateMacroName(at, source_, ast_.getLangOpts()) == macro;
}

void Walk::note(Note::Kind kind, SourceLocation at, std::string why, Range range) {
  into_.notes.push_back({kind, offset(source_.getExpansionLoc(at)), std::move(why), range});
}

int Walk::variable(const VarDecl* v) {
  const VarDecl* first = v->isLocalVarDeclOrParm() ? v : v->getCanonicalDecl();
  const auto found = variables_.find(first);
  if (found != variables_.end()) return found->second;
  Variable it;
  it.name = v->getName().str();
  it.type = describe(ast_, v->getType());
  it.type.over_aligned =
      !v->getType()->isDependentType() && !v->getType()->isIncompleteType() && ast_.getDeclAlign(v).getQuantity() > 16;
  it.file_scope = !v->isLocalVarDeclOrParm();
  it.is_static = v->isStaticLocal();
  it.is_register = v->getStorageClass() == SC_Register;
  it.thread_local_ = v->getTLSKind() != VarDecl::TLS_None;
  for (const VarDecl* d : v->redecls()) it.thread_local_ |= d->hasAttr<OMPThreadPrivateDeclAttr>();
  it.line = line(v->getLocation());
  if (!it.file_scope) it.at = offset(v->getLocation());
  into_.variables.push_back(std::move(it));
  return variables_[first] = int(into_.variables.size()) - 1;
}

void Walk::name(const DeclRefExpr& e, Use::How how) {
  bool macro = false;
  const uint32_t at = offset(e.getLocation(), &macro);
  if (const auto* v = dyn_cast<VarDecl>(e.getDecl())) {
    // A clause's expression, which clang evaluates ahead.
    if (const auto* captured = dyn_cast<OMPCapturedExprDecl>(v)) return expression(captured->getInit(), how, {});
    if (v->isImplicit()) return;
    const int number = variable(v);
    Variable& it = into_.variables[number];
    it.address_taken |= how == Use::address;
    if (it.thread_local_) note(Note::binds, e.getLocation(), "'" + it.name + "' is each thread's own");
    if (it.thread_local_)
      note(it.file_scope ? Note::pins : Note::never, e.getLocation(), because(Why::thread_local_in, {it.name}));
    into_.uses.push_back({at, number, how, macro});
    return;
  }
  if (!macro) into_.named.push_back(at);
  else if (isa<EnumConstantDecl>(e.getDecl())) into_.constants_in_macros.emplace_back(at, e.getDecl()->getName().str());
}

void Walk::children(const Stmt* s, Use::How how, Place at) {
  for (const Stmt* c : s->children())
    if (c) {
      if (const auto* e = dyn_cast<Expr>(c)) expression(e, how, at);
      else statement(c, at);
    }
}

void Walk::call(const CallExpr& e, Place at) {
  const FunctionDecl* f = e.getDirectCallee();
  const Expr* callee = e.getCallee()->IgnoreParenImpCasts();
  if (!f) {
    note(Note::calls, e.getBeginLoc(), "it calls through a pointer");
    note(Note::binds, e.getBeginLoc(), "it calls through a pointer");
    expression(e.getCallee(), Use::address, at);
  } else {
    if (const auto* ref = dyn_cast<DeclRefExpr>(callee)) name(*ref, Use::read);
    const StringRef called = f->getName();
    if (called == "setjmp" || called == "_setjmp" || called == "sigsetjmp" || called == "__sigsetjmp" ||
        called == "longjmp" || called == "_longjmp" || called == "siglongjmp" || called == "__builtin_setjmp" ||
        called == "__builtin_longjmp" || f->hasAttr<ReturnsTwiceAttr>())
      note(Note::never, e.getBeginLoc(), because(Why::long_jump, {called.str()}));
    else if (called == "__builtin_va_start" || called == "__builtin_va_arg_pack" || called == "__builtin_apply_args")
      note(Note::never, e.getBeginLoc(), because(Why::arguments, {called.str()}));
    else if (called == "__builtin_frame_address" || called == "__builtin_return_address")
      // A region is a function of its own in OpenMP, too.
      note(Note::pins, e.getBeginLoc(), "it looks at its stack (" + called.str() + ")");
    else if (called == "alloca" || called == "__builtin_alloca" || called == "__builtin_alloca_with_align")
      note(Note::no_sync, e.getBeginLoc(), because(Why::sync_alloca), {0, ~0u});
    if (called == "ompx_taskgraph_begin" && !is_in_macro(e.getBeginLoc(), "OMPX_TASKGRAPH"))
      into_.taskgraphs.push_back({0, ~0u});
    if (is_bound(f)) note(Note::binds, e.getBeginLoc(), called.str() + "() may ask on which thread it runs");
    if (asks_for_team(f)) note(Note::team, e.getBeginLoc(), called.str() + "() may ask for its team");
    if (const Waits its = waits(f); its == Waits::in_loops)
      note(Note::looks, e.getBeginLoc(), called.str() + "(), in a loop, may wait for others");
    else if (its != Waits::no)
      note(Note::calls, e.getBeginLoc(), called.str() + "() may wait for others, or is not known");
    for (const FunctionDecl* c : callbacks(e, ast_)) {
      const std::string why = called.str() + "() calls " + (c ? c->getName().str() + "(), which " : "what ");
      if (!c || waits(c) != Waits::no) note(Note::calls, e.getBeginLoc(), why + "may wait for others, or is not known");
      if (!c || is_bound(c)) note(Note::binds, e.getBeginLoc(), why + "may ask on which thread it runs");
      if (!c || asks_for_team(c)) note(Note::team, e.getBeginLoc(), why + "may ask for its team");
    }
  }
  for (const Expr* argument : e.arguments()) expression(argument, Use::address, at);
}

// The object behind a pointer is read, written or has its address taken, by a subscript or by '*'. Where the pointer is
// an array that has just become one, that array is the object.
void Walk::array(const Expr* pointer, Use::How how, Place at) {
  const auto* decay = dyn_cast<ImplicitCastExpr>(pointer->IgnoreParens());
  if (!decay || decay->getCastKind() != CK_ArrayToPointerDecay) return expression(pointer, Use::address, at);
  const Expr* object = decay->getSubExpr();
  const bool stays = how == Use::read || how == Use::write || how == Use::whole;
  if (!isa<DeclRefExpr>(object->IgnoreParens())) return expression(object, stays ? how : Use::address, at);
  expression(object, how == Use::whole ? how : stays ? Use::element : Use::decays, at);
}

void Walk::expression(const Expr* e, Use::How how, Place at) {
  if (!e) return;
  if (is_look(*e))
    note(Note::looks, e->getBeginLoc(), "it reads what is volatile or atomic in a loop, and may wait for others so");
  switch (e->getStmtClass()) {
    case Stmt::DeclRefExprClass: return name(*cast<DeclRefExpr>(e), how);
    case Stmt::ParenExprClass: return expression(cast<ParenExpr>(e)->getSubExpr(), how, at);
    case Stmt::ImplicitCastExprClass: {
      const auto* c = cast<ImplicitCastExpr>(e);
      if (c->getCastKind() == CK_LValueToRValue) return expression(c->getSubExpr(), Use::read, at);
      if (c->getCastKind() == CK_ArrayToPointerDecay) {
        const Expr* sub = c->getSubExpr();
        return expression(sub, isa<DeclRefExpr>(sub) ? Use::decays : Use::address, at);
      }
      return expression(c->getSubExpr(), how == Use::whole || how == Use::read ? how : Use::address, at);
    }
    case Stmt::CStyleCastExprClass: {
      // (void)x loads nothing.
      const auto* c = cast<CStyleCastExpr>(e);
      return expression(c->getSubExpr(), c->getCastKind() == CK_ToVoid ? Use::whole : Use::address, at);
    }
    case Stmt::MemberExprClass: {
      const auto* m = cast<MemberExpr>(e);
      if (m->isArrow()) return array(m->getBase(), how, at);
      return expression(m->getBase(), how, at);
    }
    case Stmt::ArraySubscriptExprClass: {
      const auto* s = cast<ArraySubscriptExpr>(e);
      if (s->getBase()->getType()->isVectorType())
        expression(s->getBase(), how == Use::read || how == Use::whole ? how : Use::address, at);
      else array(s->getBase(), how, at);
      return expression(s->getIdx(), Use::address, at);
    }
    case Stmt::CompoundLiteralExprClass:
      // An object without a name, which lasts as long as its block: it would be on the stack of one codelet.
      if (how != Use::read && how != Use::whole)
        note(Note::no_sync, e->getBeginLoc(), because(Why::sync_literal), at.scope);
      return children(e, Use::address, at);
    case Stmt::UnaryOperatorClass: {
      const auto* u = cast<UnaryOperator>(e);
      if (u->getOpcode() == UO_Deref) return array(u->getSubExpr(), how, at);
      Use::How inner = Use::address;
      if (u->getOpcode() == UO_AddrOf) inner = Use::address;
      else if (u->isIncrementDecrementOp()) inner = Use::write;
      else if (u->getOpcode() == UO_Real || u->getOpcode() == UO_Imag || u->getOpcode() == UO_Extension) inner = how;
      return expression(u->getSubExpr(), inner, at);
    }
    case Stmt::CompoundAssignOperatorClass:
    case Stmt::BinaryOperatorClass: {
      const auto* b = cast<BinaryOperator>(e);
      expression(b->getLHS(), b->isAssignmentOp() ? Use::write : Use::address, at);
      return expression(b->getRHS(), Use::address, at);
    }
    case Stmt::UnaryExprOrTypeTraitExprClass: {
      const auto* u = cast<UnaryExprOrTypeTraitExpr>(e);
      if (!u->isArgumentType()) return expression(u->getArgumentExpr(), Use::whole, at);
      return children(e, Use::address, at);
    }
    case Stmt::CallExprClass: return call(*cast<CallExpr>(e), at);
    case Stmt::AtomicExprClass:
      note(Note::looks, e->getBeginLoc(), "it has atomics in a loop, and may wait for others so");
      return children(e, Use::address, at);
    case Stmt::VAArgExprClass: return children(e, Use::address, at);
    case Stmt::StmtExprClass: {
      const auto* s = cast<StmtExpr>(e);
      note(Note::no_sync, e->getBeginLoc(), because(Why::sync_expression), expanded(e->getSourceRange()));
      return statement(s->getSubStmt(), at);
    }
    case Stmt::AddrLabelExprClass: {
      const uint32_t label = offset(cast<AddrLabelExpr>(e)->getLabel()->getStmt()->getIdentLoc());
      return note(Note::label, e->getBeginLoc(), because(Why::label_outside), {label, label + 1});
    }
    case Stmt::BlockExprClass: return note(Note::never, e->getBeginLoc(), because(Why::block));
    case Stmt::PredefinedExprClass: into_.pretty_name = pretty_name_; return;
    case Stmt::StringLiteralClass: return literal(*cast<StringLiteral>(e));
    case Stmt::OpaqueValueExprClass: return expression(cast<OpaqueValueExpr>(e)->getSourceExpr(), how, at);
    case Stmt::ArraySectionExprClass:
    case Stmt::OMPArrayShapingExprClass:
    case Stmt::OMPIteratorExprClass: return children(e, Use::clause, at);
    default: return children(e, how == Use::read || how == Use::whole ? how : Use::address, at);
  }
}

// Are all its bytes zero? But for some that are: nothing is wrong if that is not seen.
static bool is_zero(const Expr* e) {
  if (const auto* list = dyn_cast<InitListExpr>(e))
    return std::all_of(list->begin(), list->end(), [](const Stmt* s) { return is_zero(cast<Expr>(s)); }) &&
           (!list->hasArrayFiller() || is_zero(list->getArrayFiller()));
  e = e->IgnoreParenCasts();
  if (const auto* number = dyn_cast<IntegerLiteral>(e)) return number->getValue() == 0;
  if (const auto* real = dyn_cast<FloatingLiteral>(e)) return real->getValue().isPosZero();
  return isa<ImplicitValueInitExpr>(e);
}

void Walk::declarations(const DeclStmt& s, Place at) {
  const Range where = expanded(s.getSourceRange());
  int count = 0;
  for (const Decl* d : s.decls()) count += isa<VarDecl>(d);
  for (const Decl* d : s.decls()) {
    if (const auto* v = dyn_cast<VarDecl>(d)) {
      Variable& it = into_.variables[variable(v)];
      const Type type = it.type;
      if (!it.file_scope) it.scope = {offset(v->getLocation()), at.scope.end}, it.block = at.scope;
      it.declaration = where;
      it.beside = uint16_t(count);
      it.in_for = at.loop && !at.list;
      it.has_init = v->hasInit();
      it.is_zeroed = v->hasInit() && isa<InitListExpr>(v->getInit()) && is_zero(v->getInit());
      if (v->hasInit()) {
        it.is_listed = isa<InitListExpr>(v->getInit()) || type.kind == einkorn::compiler::Type::array;
        it.init = range(v->getInit()->IgnoreImplicit()->getSourceRange());
      }
      it.is_static |= v->isStaticLocal();
      it.in_macro = v->getLocation().isMacroID() && !source_.isMacroArgExpansion(v->getLocation());
      if (v->isStaticLocal() || v->hasExternalStorage()) {
        note(Note::never, v->getLocation(), because(v->isStaticLocal() ? Why::static_in : Why::extern_in, {it.name}));
      }
      if (v->hasAttr<AsmLabelAttr>()) note(Note::never, v->getLocation(), because(Why::by_name_in_register, {it.name}));
      if (v->hasAttr<CleanupAttr>()) note(Note::never, v->getLocation(), because(Why::cleanup, {it.name}));
      if (type.varies)
        note(Note::no_sync, v->getLocation(), because(Why::sync_array, {it.name}), {where.begin, at.scope.end});
    } else if (const auto* f = dyn_cast<FunctionDecl>(d)) {
      into_.named.push_back(offset(f->getLocation()));
      into_.types.push_back(f->getName().str());
      into_.type_scopes.push_back({where.begin, at.scope.end});
    } else if (const auto* t = dyn_cast<TypeDecl>(d)) {
      if (const auto* alias = dyn_cast<TypedefNameDecl>(t);
          alias && alias->getUnderlyingType()->isVariablyModifiedType())
        note(Note::no_sync, t->getLocation(), because(Why::sync_type, {t->getName().str()}),
             {where.begin, at.scope.end});
      if (!t->getName().empty()) {
        into_.types.push_back(t->getName().str());
        into_.type_scopes.push_back({where.begin, at.scope.end});
      }
      if (const auto* e = dyn_cast<EnumDecl>(t))
        for (const auto* constant : e->enumerators()) {
          const std::string called = constant->getName().str();
          const llvm::APSInt value = constant->getInitVal();
          const bool is_int = value.isRepresentableByInt64() && value.getExtValue() == int32_t(value.getExtValue());
          into_.named.push_back(offset(constant->getLocation()));
          into_.types.push_back(called);
          into_.type_scopes.push_back({where.begin, at.scope.end});
          into_.type_values.resize(into_.types.size());
          if (is_int) into_.type_values.back() = std::to_string(value.getExtValue());
        }
    }
  }
  children(&s, Use::address, at);
}

void Walk::statement(const Stmt* s, Place at) {
  if (!s) return;
  if (const auto* e = dyn_cast<Expr>(s)) return expression(e, Use::address, at);
  Place inside = at;
  inside.list = false;
  switch (s->getStmtClass()) {
    case Stmt::CompoundStmtClass:
      inside.scope = expanded(s->getSourceRange());
      inside.list = true;
      inside.loop = false;
      break;
    case Stmt::DeclStmtClass: return declarations(*cast<DeclStmt>(s), at);
    case Stmt::ForStmtClass:
      inside.scope = whole(s);
      if (const SourceLocation at_for = cast<ForStmt>(s)->getForLoc();
          is_in_macro(at_for, "OMPX_TASKGRAPH") || is_in_macro(at_for, "EK_TASKS"))
        into_.taskgraphs.push_back(whole(s));
      [[fallthrough]];
    case Stmt::WhileStmtClass:
    case Stmt::DoStmtClass:
      inside.loop = true;
      into_.loops.push_back({whole(s), isa<ForStmt>(s) && is_counted(cast<ForStmt>(s), ast_)});
      break;
    case Stmt::LabelStmtClass: {
      const auto* l = cast<LabelStmt>(s);
      const uint32_t begin = offset(l->getIdentLoc());
      into_.labels.push_back({begin, begin + uint32_t(l->getDecl()->getName().size())});
      return statement(l->getSubStmt(), at);
    }
    case Stmt::IndirectGotoStmtClass: return note(Note::never, s->getBeginLoc(), because(Why::computed_goto));
    case Stmt::GCCAsmStmtClass: {
      const auto* a = cast<GCCAsmStmt>(s);
      if (a->isAsmGoto()) note(Note::never, s->getBeginLoc(), because(Why::asm_goto));
      note(Note::pins, s->getBeginLoc(), "it has inline assembly");
      return children(s, Use::address, inside);
    }
    case Stmt::ReturnStmtClass:
    case Stmt::AttributedStmtClass: break;
    case Stmt::CapturedStmtClass: return statement(cast<CapturedStmt>(s)->getCapturedStmt(), at);
    default:
      if (const auto* d = dyn_cast<OMPExecutableDirective>(s)) return directive(*d, at);
      if (const auto* c = dyn_cast<OMPCanonicalLoop>(s)) return statement(c->getLoopStmt(), at);
      break;
  }
  children(s, Use::address, inside);
}

Function Walk::function(const FunctionDecl& f) {
  into_ = {};
  variables_.clear();
  into_.name = f.getName().str();
  pretty_name_ = PredefinedExpr::ComputeName(PredefinedIdentKind::PrettyFunction, &f);
  const Stmt* body = f.getBody();
  into_.body = expanded(body->getSourceRange());
  into_.whole = {source_.getFileOffset(source_.getExpansionLoc(f.getBeginLoc())), into_.body.end};
  const PresumedLoc begin = source_.getPresumedLoc(source_.getExpansionLoc(f.getBeginLoc()));
  const PresumedLoc end = source_.getPresumedLoc(source_.getExpansionLoc(f.getBodyRBrace()));
  into_.file = begin.getFilename();
  into_.line = begin.getLine();
  into_.end_line = end.getLine();
  if (into_.file != end.getFilename()) into_.why_not = because(Why::two_files);
  into_.by_macro = f.getBodyRBrace().isMacroID() || body->getBeginLoc().isMacroID();
  if (into_.by_macro) into_.why_not = because(Why::function_by_macro);
  if (f.isInlineSpecified() && f.getStorageClass() != SC_Static) into_.why_not = because(Why::inline_function);
  if (f.hasAttr<OMPDeclareSimdDeclAttr>()) into_.why_not = because(Why::declare_simd);
  into_.attributes = attributes(f);
  into_.has_prototype = f.hasPrototype() && !f.isVariadic();
  for (const ParmVarDecl* p : f.parameters()) {
    Variable& it = into_.variables[variable(p)];
    it.scope = into_.body;
    it.has_init = true;
    into_.has_prototype &= !it.name.empty();
    into_.parameters.push_back(variable(p));
  }
  if (!f.getReturnType()->isVoidType()) into_.result = describe(ast_, f.getReturnType());
  Place at;
  at.scope = into_.body;
  statement(body, at);
  forms(body);
  into_.early = early_end(body);
  into_.flow = flow(body);
  std::sort(into_.uses.begin(), into_.uses.end(), [](const Use& a, const Use& b) {
    return std::tie(a.at, a.variable, a.in_macro, a.how) < std::tie(b.at, b.variable, b.in_macro, b.how);
  });
  into_.type_values.resize(into_.types.size());
  std::sort(into_.named.begin(), into_.named.end());
  return std::move(into_);
}

}  // namespace einkorn::compiler
