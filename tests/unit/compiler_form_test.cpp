// What becomes of a region, from descriptions made by hand: no clang.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/body.h"
#include "compiler/form.h"

namespace einkorn::compiler {
namespace {

// void f(...) { #pragma omp parallel \n { BODY } }, with its variables named by where they stand.
class File {
 public:
  explicit File(const std::string& body) {
    unit.text = "void f(int n) {\n#pragma omp parallel\n{" + body + "}\n}\n";
    Function f;
    f.name = "f";
    f.file = "f.c";
    f.whole = {0, uint32_t(unit.text.size()) - 1};
    f.body = {14, f.whole.end};
    f.line = 1;
    f.end_line = 4;
    Directive d;
    d.kind = Directive::parallel;
    d.name = "parallel";
    d.line = 2;
    d.in_list = true;
    d.pragma = {16, 36};
    d.statement = {37, uint32_t(unit.text.size()) - 3};
    f.directives.push_back(d);
    unit.functions.push_back(f);
  }
  Function& function() { return unit.functions[0]; }
  uint32_t at(const std::string& what, size_t from = 0) const { return uint32_t(unit.text.find(what, from)); }
  // Of type int, declared where its scope begins.
  int variable(const std::string& name, Range scope, uint32_t at) {
    Variable v;
    v.name = name;
    v.type = {Type::integer, "int @", "int @", "const int @", "int *@", "", "", "-9", "9"};
    v.scope = v.block = scope;
    v.at = at;
    function().variables.push_back(v);
    return int(function().variables.size()) - 1;
  }
  Use& use(int v, uint32_t at, Use::How how) {
    std::vector<Use>& uses = function().uses;
    const auto behind = std::find_if(uses.begin(), uses.end(), [&](const Use& u) { return u.at > at; });
    return *uses.insert(behind, {at, v, how, false});
  }
  void barrier(const std::string& pragma) {
    Directive d;
    d.kind = Directive::barrier;
    d.name = "barrier";
    d.parent = 0;
    d.in_list = true;
    d.pragma = {at(pragma), at(pragma) + uint32_t(pragma.size())};
    function().directives.push_back(d);
  }
  Plan plan() { return form(unit).at(0); }
  Unit unit;
};

TEST(CompilerForm, SharedIsByValueUntilWritten) {
  File file("g(n);");
  const int n = file.variable("n", file.function().body, 11);
  file.use(n, file.at("n);"), Use::read);
  EXPECT_EQ(file.plan().reach[n], Reach::value);
  EXPECT_TRUE(file.plan().free);
  file.function().variables[n].address_taken = true;
  EXPECT_EQ(file.plan().reach[n], Reach::pointer);
  file.function().variables[n].address_taken = false;
  file.function().uses[0].how = Use::write;
  EXPECT_EQ(file.plan().reach[n], Reach::pointer);
  const Plan plan = file.plan();
  EXPECT_EQ(body(file.unit, plan, Names(file.unit)), "{g((*n));}");
}

TEST(CompilerForm, WhatIsNamedAndNotUnderstoodIsLeft) {
  File file("__typeof__(n) m;");
  file.variable("n", file.function().body, 11);
  EXPECT_EQ(file.plan().why_not, "'n' is named there in a way that is not understood");
}

TEST(CompilerForm, ReasonsKeepTheirLine) {
  File file("\n\nx;");
  file.function().notes.push_back({Note::never, file.at("x;"), "it has x", {}});
  EXPECT_EQ(file.plan().why_not, "it has x");
  EXPECT_EQ(file.plan().why_line, 5u);
  file.function().notes[0].kind = Note::pins;
  EXPECT_EQ(file.plan().why_not, "");
  EXPECT_FALSE(file.plan().free);
}

TEST(CompilerForm, ChangedMacrosAndHalfConditionsAreLeft) {
  File file("x;");
  file.unit.macro_changes.push_back({file.at("x;"), file.at("x;") + 1});
  EXPECT_EQ(file.plan().why_not, "the macro x changes before the end of its function");
  File half("\n#if A\nx;\n");
  EXPECT_EQ(half.plan().why_not, "an #if begins in it and ends outside of it, or the other way");
}

struct Live : testing::Test {
  // `i` is declared, then read behind the barrier.
  File file{"int i = 1;\n#pragma omp barrier\ng(i);"};
  int i = file.variable("i", {file.at("i = 1"), file.function().directives[0].statement.end}, file.at("i = 1"));
  Live() {
    file.function().variables[i].has_init = true;
    file.function().variables[i].init = {file.at("1;"), file.at("1;") + 1};
    file.function().variables[i].declaration = {file.at("int i"), file.at("int i") + 10};
    file.function().variables[i].beside = 1;
    file.barrier("#pragma omp barrier");
    file.use(i, file.at("i);"), Use::read);
  }
};

TEST_F(Live, IsSavedAndThereAgain) {
  const Plan plan = file.plan();
  ASSERT_EQ(plan.syncs.size(), 1u);
  EXPECT_EQ(plan.syncs[0].live, std::vector<int>{i});
  EXPECT_EQ(body(file.unit, plan, Names(file.unit)),
            "{int i = 1;\nI->i = i; EK_YIELD(me, 1, EK_SYNC); c1: i = I->i;\ng(i);}");
}

TEST_F(Live, IsNotWhereNobodyReadsIt) {
  file.function().uses.clear();
  file.function().named.push_back(file.at("i);"));
  EXPECT_TRUE(file.plan().syncs[0].live.empty());
}

TEST_F(Live, StaysInMemoryWhereItsAddressIsTaken) {
  file.function().variables[i].address_taken = true;
  const Plan plan = file.plan();
  EXPECT_TRUE(plan.own[i]);
  EXPECT_TRUE(plan.syncs[0].live.empty());
  EXPECT_NE(body(file.unit, plan, Names(file.unit)).find("g(I->i);"), std::string::npos);
}

// One for each proof of proofs.h: what is taken away from it makes the plan another.

TEST_F(Live, StaysInMemoryWhereAnArrayBecomesAPointer) {
  Use& use = file.use(i, file.at("1;"), Use::decays);
  EXPECT_TRUE(file.plan().own[i]);
  use.how = Use::element;
  EXPECT_FALSE(file.plan().own[i]);
}

TEST_F(Live, StaysInMemoryWhereItIsNoNumber) {
  for (const Type::Kind kind : {Type::array, Type::aggregate, Type::other}) {
    file.function().variables[i].type.kind = kind;
    EXPECT_TRUE(file.plan().own[i]) << int(kind);
  }
}

TEST_F(Live, IsOfOneCodeletWhereNoSyncPointIsInItsBlock) {
  file.function().variables[i].address_taken = true;
  file.function().variables[i].scope.end = file.function().variables[i].block.end = file.at("\n#pragma omp barrier");
  EXPECT_FALSE(file.plan().own[i]);
}

TEST_F(Live, LastsFromTheBlocksBeginWhereAGotoMayLeadBack) {
  // The barrier stands before the declaration, in the same block.
  File back("l:\n#pragma omp barrier\nint i; g(&i); goto l;");
  const Range statement = back.function().directives[0].statement;
  const int i = back.variable("i", {back.at("i; g"), statement.end}, back.at("i; g"));
  back.function().variables[i].block = statement;
  back.function().variables[i].declaration = {back.at("int i"), back.at("int i") + 6};
  back.function().variables[i].beside = 1;
  back.use(i, back.at("i);"), Use::address);
  back.barrier("#pragma omp barrier");
  EXPECT_FALSE(back.plan().own[i]);
  back.function().labels.push_back({back.at("l:"), back.at("l:") + 1});
  EXPECT_TRUE(back.plan().own[i]);
}

TEST_F(Live, IsNotBeforeAnythingSetsIt) {
  file.function().variables[i].has_init = false;
  EXPECT_TRUE(file.plan().syncs[0].live.empty());
  file.use(i, file.at("i = 1"), Use::write);
  EXPECT_EQ(file.plan().syncs[0].live, std::vector<int>{i});
}

TEST_F(Live, IsWhereALoopLeadsBackToAUse) {
  file.function().named.push_back(file.at("i);"));
  file.function().uses[0].at = file.at("i = 1");
  EXPECT_TRUE(file.plan().syncs[0].live.empty());
  // Around both, and the variable is the same in each round.
  file.function().loops.push_back({{file.function().variables[i].scope.begin, file.at("g(i)")}, false});
  EXPECT_EQ(file.plan().syncs[0].live, std::vector<int>{i});
  // Around its declaration: each round has another one.
  file.function().variables[i].scope.end = file.at("g(i)") - 1;
  EXPECT_TRUE(file.plan().syncs[0].live.empty());
}

TEST_F(Live, IsWhereALoopEndsWithTheSyncPoint) {
  file.function().uses[0].at = file.at("1;");
  file.function().named.push_back(file.at("i);"));
  const uint32_t end = file.plan().syncs[0].at;
  file.function().loops.push_back({{file.function().variables[i].scope.begin, end}, false});
  EXPECT_EQ(file.plan().syncs[0].live, std::vector<int>{i});
}

TEST_F(Live, IsWhereAUseFollowsTheSyncPointAtOnce) {
  file.function().named.push_back(file.at("i);"));
  file.function().uses[0].at = file.plan().syncs[0].at;
  EXPECT_EQ(file.plan().syncs[0].live, std::vector<int>{i});
}

TEST_F(Live, StaysInMemoryWhereAnInnerOneHasItsName) {
  const uint32_t pragma = file.at("#pragma omp barrier");
  file.variable("i", {pragma - 1, pragma + 25}, pragma - 1);
  EXPECT_TRUE(file.plan().own[i]);
  file.function().variables.pop_back();
  EXPECT_FALSE(file.plan().own[i]);
  file.unit.macros.push_back("i");
  EXPECT_TRUE(file.plan().own[i]);
}

TEST_F(Live, WhatIsHeldForDeadIsOverwrittenWhereThePlanIsChecked) {
  file.function().uses.clear();
  file.function().named.push_back(file.at("i);"));
  file.unit.overwrites_dead = true;
  EXPECT_NE(body(file.unit, file.plan(), Names(file.unit)).find("__builtin_memset((void *)&i, 0xa5, sizeof i);"),
            std::string::npos);
}

TEST_F(Live, NoSyncPointWhereALengthVaries) {
  file.function().notes.push_back({Note::no_sync, file.at("int i"), "an array", {file.at("int i"), ~0u}});
  EXPECT_EQ(file.plan().why_not, "an array");
}

}  // namespace
}  // namespace einkorn::compiler
