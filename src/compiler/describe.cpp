// A type of clang's, as text; and what a function begins with.
#include <clang/AST/Attr.h>
#include <clang/AST/RecordLayout.h>

#include "compiler/text.h"
#include "compiler/walk.h"

namespace einkorn::compiler {

using namespace clang;

namespace {

std::string declare(const ASTContext& ast, QualType type, const std::string& name = "@") {
  PrintingPolicy policy(ast.getLangOpts());
  policy.SuppressTagKeyword = false;
  policy.Bool = false;
  policy.AnonymousTagLocations = true;
  std::string text = name;
  type.getAsStringInternal(text, policy);
  return text;
}

// Does it name what only the function knows?
bool is_local(QualType type) {
  for (;;) {
    const clang::Type* t = type.getTypePtr();
    if (const auto* e = dyn_cast<ElaboratedType>(t)) {
      type = e->getNamedType();
    } else if (const auto* d = dyn_cast<TypedefType>(t)) {
      return d->getDecl()->getParentFunctionOrMethod() != nullptr;
    } else if (const auto* g = dyn_cast<TagType>(t)) {
      return g->getDecl()->getParentFunctionOrMethod() != nullptr || g->getDecl()->getName().empty() ||
             !g->getDecl()->getDeclContext()->isTranslationUnit();
    } else if (const auto* p = dyn_cast<PointerType>(t)) {
      type = p->getPointeeType();
    } else if (const auto* p = dyn_cast<ParenType>(t)) {
      type = p->getInnerType();
    } else if (const auto* a = dyn_cast<ArrayType>(t)) {
      type = a->getElementType();
    } else if (const auto* a = dyn_cast<AtomicType>(t)) {
      type = a->getValueType();
    } else if (const auto* a = dyn_cast<AdjustedType>(t)) {
      type = a->getOriginalType();
    } else if (const auto* a = dyn_cast<AttributedType>(t)) {
      type = a->getModifiedType();
    } else if (isa<TypeOfType, TypeOfExprType, AutoType>(t)) {
      type = t->getLocallyUnqualifiedSingleStepDesugaredType();
    } else if (const auto* f = dyn_cast<FunctionType>(t)) {
      if (const auto* proto = dyn_cast<FunctionProtoType>(f))
        for (const QualType parameter : proto->param_types())
          if (is_local(parameter)) return true;
      type = f->getReturnType();
    } else {
      return false;
    }
  }
}

// 'typeof(x) y' names x, which need not be there.
QualType without_typeof(const ASTContext& ast, QualType type) {
  const Qualifiers q = type.getLocalQualifiers();
  const clang::Type* t = type.getTypePtr();
  if (isa<TypeOfType, TypeOfExprType, AutoType>(t))
    return ast.getQualifiedType(without_typeof(ast, t->getLocallyUnqualifiedSingleStepDesugaredType()), q);
  return type;
}

bool holds_const(const ASTContext& ast, QualType type) {
  const auto* record = ast.getBaseElementType(type)->getAs<RecordType>();
  if (!record || !record->getDecl()->isCompleteDefinition()) return false;
  const auto fields = record->getDecl()->fields();
  return std::any_of(fields.begin(), fields.end(), [&](const FieldDecl* field) {
    return ast.getBaseElementType(field->getType()).isConstQualified() || holds_const(ast, field->getType());
  });
}

// How the lengths of an array, or of one that is pointed to, are found.
void describe_lengths(const ASTContext& ast, QualType type, einkorn::compiler::Type& it) {
  std::string declarator = "@", object = "@";
  if (const auto* pointer = type->getAs<PointerType>()) {
    declarator = "(*@)", object = "@[0]";
    type = pointer->getPointeeType();
  }
  std::vector<std::string> lengths;
  for (; type->isArrayType(); object += "[0]") {
    const ArrayType* array = ast.getAsArrayType(type);
    if (const auto* constant = dyn_cast<ConstantArrayType>(array)) {
      declarator += "[" + std::to_string(constant->getSize().getZExtValue()) + "]";
    } else if (isa<VariableArrayType>(array)) {
      declarator += "[#" + std::to_string(lengths.size()) + "]";
      lengths.push_back("sizeof(" + object + ") / sizeof(" + object + "[0])");
    } else {
      return;
    }
    type = array->getElementType();
  }
  if (lengths.size() > 9 || type->isVariablyModifiedType() || type.isVolatileQualified() || type->isAtomicType())
    return;
  it.sized = declare(ast, type, declarator);
  it.lengths = std::move(lengths);
  it.flat = declare(ast, ast.getPointerType(type));
}

}  // namespace

einkorn::compiler::Type describe(const ASTContext& ast, QualType type) {
  einkorn::compiler::Type it;
  type = without_typeof(ast, type);
  if (const auto* adjusted = dyn_cast<AdjustedType>(type.getTypePtr()))
    type = ast.getQualifiedType(adjusted->getAdjustedType(), type.getLocalQualifiers());
  const QualType canonical = type.getCanonicalType();
  it.text = declare(ast, type);
  it.is_const = type.isConstQualified();
  QualType plain = type;
  if (it.is_const) {
    plain.removeLocalConst();
    if (plain.isConstQualified())
      plain = ast.getQualifiedType(canonical.getUnqualifiedType(),
                                   canonical.getLocalQualifiers() - Qualifiers::fromCVRMask(Qualifiers::Const));
  }
  it.plain = declare(ast, plain);
  it.constant = declare(ast, type.withConst());
  it.to = declare(ast, ast.getPointerType(type));
  it.is_volatile = type.isVolatileQualified() || canonical->isAtomicType();
  it.varies = type->isVariablyModifiedType();
  it.local = is_local(type);
  it.holds_const = holds_const(ast, type);
  if (it.varies && !it.is_volatile) describe_lengths(ast, type, it);
  if (!type->isIncompleteType() && !type->isFunctionType() && !it.varies)
    it.bytes = uint64_t(ast.getTypeSizeInChars(type).getQuantity());
  if (type->isArrayType()) {
    it.kind = einkorn::compiler::Type::array;
    it.is_const = canonical.isConstQualified() || ast.getBaseElementType(type).isConstQualified();
    if (const auto* array = ast.getAsArrayType(type))
      it.element = declare(ast, ast.getPointerType(array->getElementType()));
    it.base = declare(ast, ast.getBaseElementType(type).getUnqualifiedType());
  } else if (type->isRecordType()) {
    it.kind = einkorn::compiler::Type::aggregate;
    if (type->castAs<RecordType>()->getDecl()->hasFlexibleArrayMember()) it.local = true;
    for (const FieldDecl* field : type->castAs<RecordType>()->getDecl()->fields())
      it.is_const |= field->getType().isConstQualified();
  } else if (type->isAnyPointerType()) {
    it.kind = einkorn::compiler::Type::pointer;
    it.base = declare(ast, type->getPointeeType().getUnqualifiedType());
  } else if (type->isRealFloatingType()) {
    it.kind = einkorn::compiler::Type::floating;
    it.least = "-__builtin_huge_val()";
    it.most = "__builtin_huge_val()";
  } else if (type->isAnyComplexType()) {
    it.kind = einkorn::compiler::Type::complex;
  } else if (type->isIntegralOrEnumerationType()) {
    it.kind = einkorn::compiler::Type::integer;
    const bool is_signed = type->isSignedIntegerOrEnumerationType();
    const auto width = ast.getTypeSize(type);
    if (type->isBooleanType()) {
      it.least = "0", it.most = "1";
    } else if (!is_signed) {
      it.least = "0", it.most = "(" + declare(ast, plain, "") + ")-1";
    } else {
      const char* most = width == 8    ? "__SCHAR_MAX__"
                         : width == 16 ? "__SHRT_MAX__"
                         : width == 32 ? "__INT_MAX__"
                         : width == 64 ? "__LONG_LONG_MAX__"
                                       : "";
      it.most = most;
      if (*most) it.least = "-" + it.most + " - 1";
    }
  }
  return it;
}

bool calls(const Stmt* s) {
  if (isa<StmtExpr>(s)) return true;
  if (const auto* call = dyn_cast<CallExpr>(s)) {
    const FunctionDecl* f = call->getDirectCallee();
    if (!f || !f->getBuiltinID() || !f->getName().starts_with("__builtin_")) return true;
  }
  return std::any_of(s->child_begin(), s->child_end(), [](const Stmt* child) { return child && calls(child); });
}

// A string that a macro makes of its argument stands in no file.
void Walk::literal(const StringLiteral& s) {
  if (!s.isOrdinary()) return;
  for (unsigned token = 0; token < s.getNumConcatenated(); ++token)
    if (source_.isWrittenInScratchSpace(source_.getSpellingLoc(s.getStrTokenLoc(token))))
      return into_.strings.emplace_back(offset(source_.getExpansionLoc(s.getBeginLoc())), s.getString().str()), void();
}

std::string Walk::attributes(const FunctionDecl& f) const {
  std::string out;
  if (const auto* target = f.getAttr<TargetAttr>())
    out += "__attribute__((__target__(\"" + target->getFeaturesStr().str() + "\"))) ";
  if (const auto* none = f.getAttr<NoSanitizeAttr>())
    for (const StringRef sanitizer : none->sanitizers())
      out += "__attribute__((__no_sanitize__(\"" + sanitizer.str() + "\"))) ";
  if (f.hasAttr<NoInstrumentFunctionAttr>()) out += "__attribute__((__no_instrument_function__)) ";
  // clang knows nothing of gcc's optimize(): as it is written.
  const size_t before = text_.find_last_of(";}", into_.whole.begin == 0 ? 0 : into_.whole.begin - 1);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  for (const Word& w : words(text_, {uint32_t(begin), into_.body.begin})) {
    const std::string name = text_.substr(w.at.begin, w.at.end - w.at.begin);
    const size_t open = text_.find('(', w.at.end);
    const size_t close = open == std::string::npos ? open : text_.find(')', open);
    if ((name == "optimize" || name == "__optimize__") && close != std::string::npos && close < into_.body.begin)
      out += "__attribute__((__optimize__" + text_.substr(open, close + 1 - open) + ")) ";
  }
  return out;
}

EarlyEnd Walk::early_end(const Stmt* body) const {
  const auto* all = dyn_cast<CompoundStmt>(body);
  const auto* first = all && !all->body_empty() ? dyn_cast<IfStmt>(all->body_front()) : nullptr;
  if (!first || first->getElse() || first->getInit() || first->getConditionVariable()) return {};
  const Stmt* then = first->getThen();
  if (const auto* block = dyn_cast<CompoundStmt>(then)) then = block->size() == 1 ? block->body_front() : nullptr;
  const auto* back = dyn_cast_or_null<ReturnStmt>(then);
  const auto is_idle = [&](const Expr* e) { return !e->HasSideEffects(ast_) && !calls(e); };
  if (!back || !is_idle(first->getCond())) return {};
  const Expr* value = back->getRetValue();
  if (value && (!is_idle(value) || value->getType()->isVoidType())) return {};
  EarlyEnd it{range(first->getCond()->getSourceRange()), {}};
  if (value) it.value = range(value->getSourceRange());
  if (value && it.value.empty()) return {};
  // An #if in it would be torn apart.
  for (const Range& r : {it.condition, it.value})
    if (text_.substr(r.begin, r.end - r.begin).find('#') != std::string::npos) return {};
  return it;
}

}  // namespace einkorn::compiler
