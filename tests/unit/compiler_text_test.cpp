// Words, preprocessor lines and changes of a text, as the compiler of codelets sees them.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace einkorn::compiler
