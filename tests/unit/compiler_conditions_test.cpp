// Which branch of an #if the compiler behind takes, and what becomes of the text.
#include <gtest/gtest.h>

#include "compiler/conditions.h"

namespace einkorn::compiler {
namespace {

std::string settled(const std::string& text, const std::vector<std::string>& flags = {},
                    const std::string& compiler = "gcc") {
  return with_settled_conditions("/* omp */ " + text, "a.c", {compiler, flags}).substr(10);
}

TEST(CompilerConditions, LeavesWhatIsTakenOnItsLine) {
  EXPECT_EQ(settled("void f(void) {\n#ifdef A\n  a();\n#else\n  b();\n#endif\n}\n", {"-DA"}),
            "void f(void) {\n\n  a();\n\n\n\n}\n");
  EXPECT_EQ(settled("void f(void) {\n#ifdef A\n  a();\n#else\n  b();\n#endif\n}\n"),
            "void f(void) {\n\n\n\n  b();\n\n}\n");
  EXPECT_EQ(settled("void f(void) {\n#if A\n a();\n#elif B > 1\n b();\n#elif C\n c();\n#endif\n}", {"-DB=2", "-DC"}),
            "void f(void) {\n\n\n\n b();\n\n\n\n}");
}

TEST(CompilerConditions, LeavesOutWhatIsInWhatIsNotTaken) {
  EXPECT_EQ(settled("void f(void) {\n#if 0\n#if 1\n a();\n#endif\n#endif\n}"), "void f(void) {\n\n\n\n\n\n}");
  EXPECT_EQ(settled("void f(void) {\n#if 1\n#if 0\n a();\n#endif\n b();\n#endif\n}"),
            "void f(void) {\n\n\n\n\n b();\n\n}");
  EXPECT_EQ(settled("void f(void) {\n# if 0 /* of\n two lines */ \\\n\n it's\n#endif\n}"),
            "void f(void) {\n\n\n\n\n\n}");
}

TEST(CompilerConditions, LeavesThoseOutsideOfFunctions) {
  const std::string text = "#ifdef A\n#include <a.h>\n#endif\nint x[] = {1};\n#if 1\nvoid f(void) {\n}\n#endif\n";
  EXPECT_EQ(settled(text), text);
  // But not across the edges of one.
  EXPECT_EQ(settled("#if 1\nvoid f(void) {\n#else\nvoid g(void) {\n#endif\n}"), "\nvoid f(void) {\n\n\n\n}");
}

TEST(CompilerConditions, AsksTheCompiler) {
  const std::string text = "void f(void) {\n#ifdef __clang__\n a();\n#endif\n}";
  EXPECT_EQ(settled(text), "void f(void) {\n\n\n\n}");
  EXPECT_EQ(
      settled("#define B(x) x\nint a = B(\n#if __has_include(<stdio.h>)\n1\n#endif\n); void f() {\n#if 0\n#endif\n}"),
      "#define B(x) x\nint a = B(\n#if __has_include(<stdio.h>)\n1\n#endif\n); void f() {\n\n\n}");
}

TEST(CompilerConditions, LeavesAllWithoutAnAnswer) {
  const std::string text = "void f(void) {\n#if 1\n a();\n#endif\n}";
  EXPECT_EQ(settled(text, {}, ""), text);
  EXPECT_EQ(settled(text, {}, "no-such-compiler"), text);
  EXPECT_EQ(settled("#include <no/such/file.h>\n" + text), "#include <no/such/file.h>\n" + text);
  EXPECT_EQ(settled("#endif\n" + text), "#endif\n" + text);
  const std::string by_line = "void f(void) {\n#if __LINE__ == 2\n a();\n#endif\n}";
  EXPECT_EQ(settled(by_line), by_line);
  // Of two of them the one that a macro leaves out, or has twice.
  EXPECT_EQ(settled("#define N(x)\nvoid f(void) {\nN(\n#if 0\n a\n#endif\n)\n#if 0\n b();\n#endif\n}"),
            "#define N(x)\nvoid f(void) {\nN(\n#if 0\n a\n#endif\n)\n\n\n\n}");
  EXPECT_EQ(settled("#define T(x) x x\nvoid f(void) {\nT(\n#if 0\n a\n#endif\n)\n#if 0\n b();\n#endif\n}"),
            "#define T(x) x x\nvoid f(void) {\nT(\n#if 0\n a\n#endif\n)\n\n\n\n}");
}

}  // namespace
}  // namespace einkorn::compiler
