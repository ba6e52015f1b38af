// What becomes of a region, from descriptions made by hand: no clang.
#include <gtest/gtest.h>

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
    v.type = {Type::integer, "int @", "int @", "const int @", "int *@", "", "", "0", "1"};
    v.scope = scope;
    v.at = at;
    function().variables.push_back(v);
    return int(function().variables.size()) - 1;
  }
  void use(int v, uint32_t at, Use::How how) { function().uses.push_back({at, v, how, false}); }
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

TEST_F(Live, NoSyncPointWhereALengthVaries) {
  file.function().notes.push_back({Note::no_sync, file.at("int i"), "an array", {file.at("int i"), ~0u}});
  EXPECT_EQ(file.plan().why_not, "an array");
}

}  // namespace
}  // namespace einkorn::compiler
