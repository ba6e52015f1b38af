// Words, preprocessor lines and changes of a text, as the compiler of codelets sees them.
#include <gtest/gtest.h>

#include "compiler/marks.h"
#include "compiler/taskgraph.h"
#include "compiler/text.h"

namespace einkorn::compiler {
namespace {

std::string spelled(const std::string& text) {
  std::string out;
  for (const Word& w : words(text, {0, uint32_t(text.size())}))
    out += (out.empty() ? "" : " ") + std::string(w.member ? "." : "") +
           (w.pragma         ? "!"
            : w.preprocessor ? "#"
                             : "") +
           text.substr(w.at.begin, w.at.end - w.at.begin);
  return out;
}

TEST(CompilerWords, LeavesOutCommentsLiteralsAndNumbers) {
  EXPECT_EQ(spelled("a /* b */ + \"c\\\" d\" 'e' // f\n0x1fp-3f + 1e+5 g"), "a g");
}

TEST(CompilerWords, KnowsMembers) { EXPECT_EQ(spelled("s.x + p->y - .5 + f(a, ...) b"), "s .x p .y f a b"); }

TEST(CompilerWords, KnowsLinesOfThePreprocessor) {
  EXPECT_EQ(spelled("x\n  #pragma omp for \\\n private(i)\n#if A\ny"), "x !pragma !omp !for !private !i #if #A y");
}

TEST(CompilerText, BalanceOfConditions) {
  const auto balanced = [](const std::string& text) {
    bool any = false;
    return is_balanced(text, {0, uint32_t(text.size())}, &any);
  };
  EXPECT_TRUE(balanced("#if A\nx\n#else\ny\n#endif\n"));
  EXPECT_TRUE(balanced("#pragma omp if\n#define else\n"));
  EXPECT_FALSE(balanced("#if A\nx\n"));
  EXPECT_FALSE(balanced("x\n#else\ny\n"));
  EXPECT_FALSE(balanced("#endif\n#if A\n"));
}

TEST(CompilerText, LinesAfterWhatSaysTheLine) {
  const std::string text = "a\nb\n#line 7\nc\nd";
  EXPECT_EQ(line_at(text, 0, 1, uint32_t(text.find('b'))), 2u);
  EXPECT_EQ(line_at(text, 0, 1, uint32_t(text.find('c'))), 7u);
  EXPECT_EQ(line_at(text, 0, 1, uint32_t(text.find('d'))), 8u);
}

TEST(CompilerText, BlanksHaveLines) {
  const auto blank = [](const std::string& text) { return is_blank(text, {0, uint32_t(text.size())}); };
  EXPECT_TRUE(blank(" \n#line 3\n /* x */ // y\n"));
  EXPECT_TRUE(blank("\n#line 3"));
  EXPECT_FALSE(blank("\n#line 3\nx"));
  EXPECT_FALSE(blank("\n#if A\n"));
}

TEST(CompilerText, ConditionsThatCompilersAnswerDifferently) {
  const auto asked = [](const std::string& text) {
    std::string out;
    for (const Condition& c : compilers_conditions(text, {0, uint32_t(text.size())}))
      out += c.asks_for + ":" + std::to_string(newlines(text.substr(c.part.begin, c.part.end - c.part.begin))) + " ";
    return out;
  };
  EXPECT_EQ(asked("#ifdef _OPENMP\n#endif\n#if defined(__GNUC__) && A\n#endif\n"), "");
  EXPECT_EQ(asked("#if A\n#if _OPENMP > 201511\nx\n#endif\n#endif\n"), "_OPENMP:4 ");
  EXPECT_EQ(asked("#ifndef __clang__\n#endif\ny\n#if A\n#elif __GNUC__ > 4\nx"), "__clang__:1 __GNUC__:2 ");
  EXPECT_EQ(asked("int __clang__;\n#pragma omp flush(__GNUC__)\n"), "");
}

TEST(CompilerTaskgraph, BecomesCalls) {
  EXPECT_EQ(
      with_taskgraphs(
          "#include <a.h>\nvoid f(int i) {\n  #pragma omp taskgraph \\\n    graph_id(i + g(1))  // why\n  h();\n}\n",
          "d/a.c"),
      "#include <a.h>\n#include <einkorn/taskgraph.h>\nstatic ompx_taskgraph ek_taskgraph_3 = OMPX_TASKGRAPH_NAMED(\"a.c:3\");\n"
      "#line 2\nvoid f(int i) {\n  OMPX_TASKGRAPH(&ek_taskgraph_3, i + g(1), 0)\n// why\n  h();\n}\n");
  const std::string all = with_taskgraphs("#pragma omp taskgraph if(taskgraph: a), graph_reset(b) nogroup\n", "a.c");
  EXPECT_NE(all.find("((b) ? OMPX_TASKGRAPH_RESET : 0) | (( a) ? 0 : OMPX_TASKGRAPH_OFF) | OMPX_TASKGRAPH_NOGROUP"),
            std::string::npos);
  for (const char* same : {"#pragma omp taskgroup\n", "// #pragma omp taskgraph\n", "#pragma omp taskgraph colour(1)\n",
                           "int taskgraph;\n"})
    EXPECT_EQ(with_taskgraphs(same, "a.c"), same);
}

TEST(CompilerEdits, KeepLinesAndTheOuterOne) {
  const std::string text = "one\ntwo\nthree";
  Edits edits(text);
  edits.replace({4, 7}, "2");
  edits.replace({0, 7}, "both");  // a line is missing: it is added
  edits.insert(8, "<");
  edits.insert(8, ">");
  EXPECT_EQ(edits.apply({0, uint32_t(text.size())}), "both\n\n<>three");
  EXPECT_EQ(edits.apply({4, 7}), "2");
}

TEST(CompilerEdits, SayTheLineAgainWhereOneWasSaid) {
  const std::string text = "a(\n#line 7\nb,\nc); d";
  Edits edits(text);
  edits.replace({0, uint32_t(text.find(" d"))}, "e;");
  EXPECT_EQ(edits.apply({0, uint32_t(text.size())}), "e;\n#line 8\n d");
}

TEST(CompilerMarks, AreTakenOut) {
  const auto without = [](std::string text, size_t number) {
    const size_t bytes = text.size();
    EXPECT_EQ(take_marks(text).size(), number);
    EXPECT_EQ(text.size(), bytes);
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
  };
  EXPECT_EQ(without("#pragma omp for codelet", 1), "#pragma omp for");
  EXPECT_EQ(without("#pragma omp single nowait, codelet", 1), "#pragma omp single nowait");
  EXPECT_EQ(without("#pragma omp for codelet,nowait", 1), "#pragma omp for         nowait");
  EXPECT_EQ(without("#pragma omp for \\\n  codelet \\\n  , nowait", 1), "#pragma omp for \\\n          \\\n    nowait");
  EXPECT_EQ(without("  #  pragma ompx codelet /* why */\nx", 1), "                         /* why */\nx");
  for (const char* other : {"#pragma omp critical (codelet)", "#pragma omp for private(codelet)", "#pragma omp codelet",
                            "#pragma ompx codelet of mine", "int codelet;", "// #pragma ompx codelet",
                            "#define codelet x", "#pragma codelet"})
    EXPECT_EQ(without(other, 0), other);
}

TEST(CompilerMarks, AreMeantForWhatFollows) {
  std::string text =
      "\n#pragma ompx codelet\n// # of them\n\n#pragma omp for codelet\nx\n#pragma ompx codelet\nx = 1;\n#pragma omp for\n";
  const std::vector<Mark> marks = take_marks(text);
  ASSERT_EQ(marks.size(), 3u);
  EXPECT_EQ(marks[0].line, 2u);
  EXPECT_EQ(marks[0].of, 5u);
  EXPECT_EQ(marks[1].line, 5u);
  EXPECT_EQ(marks[1].of, 5u);
  EXPECT_EQ(marks[2].of, 0u);
}

}  // namespace
}  // namespace einkorn::compiler
