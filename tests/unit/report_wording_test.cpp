// Names must not control a terminal or a spreadsheet.
#include <gtest/gtest.h>
#include <fstream>
#include <iterator>
#include "../scratch.h"
#include "machine/text.h"
#include "report/export/export.h"
#include "report/wording.h"
#include "report_profiles.h"

namespace einkorn {
namespace {

using namespace report;

TEST(Printable, LeavesLetters) {
  for (const char* text : {"", "sort.c", "Größe.c", "並列.f90", "a b\u00a0c", "100 % \U0001f33e", "\ufffd"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, TakesWhatTerminalsObey) {
  EXPECT_EQ(printable("\x1b[2J"), "?[2J");
  EXPECT_EQ(printable(std::string("a\0\n\r\t\x7f", 6)), "a?????");
  EXPECT_EQ(printable("\u009b31m\u0085"), "?31m?");  // the second set of control characters
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\ufffd"
            "31m");  // the same where a terminal is not set to UTF-8
  EXPECT_EQ(printable("\u202eemoc\u2066x\u2069\u200f\u061c"), "?emoc?x???");
  EXPECT_EQ(printable("a\u200bb\ufeff\u2028\u00ad"), "a?b???");
  EXPECT_EQ(printable("\U000e0041"), "?");
}

TEST(Printable, TakesWhatIsNoUtf8) {
  EXPECT_EQ(printable("\xff"), "\ufffd");
  EXPECT_EQ(printable("a\xc3"), "a\ufffd");
  EXPECT_EQ(printable("\xc0\x9b"), "\ufffd\ufffd");            // two bytes for ESC
  EXPECT_EQ(printable("\xe0\x82\x9b"), "\ufffd\ufffd\ufffd");  // three for U+009B
  EXPECT_EQ(printable("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");  // half of a pair
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "\ufffd\ufffd\ufffd\ufffd");
}

TEST(Printable, ReportsKeepTheirLinesAndColours) {
  EXPECT_EQ(terminal_text("\x1b[1mtitle\x1b[0m\n\x1b[32mx\x1b[0m\n"), "\x1b[1mtitle\x1b[0m\n\x1b[32mx\x1b[0m\n");
  EXPECT_EQ(terminal_text("\x1b]0;title\a\n\x1b[2J\x1b[1;1H\x1b"), "?]0;title?\n?[2J?[1;1H?");
  EXPECT_EQ(terminal_text("\x1b[999m\x1b[12345m\x1b["), "?[999m?[12345m?[");
  EXPECT_EQ(terminal_text("\u009b\r"), "??");
}

TEST(Printable, TextInPlaceIsCleanedAsInAString) {
  const auto cleaned = [](std::string text, bool lines = false) {
    text.resize(make_printable(text.data(), text.size(), lines));
    return text;
  };
  EXPECT_EQ(cleaned("grün \u65e5"), "grün \u65e5");
  EXPECT_EQ(cleaned("a\x1b[31m\u009b\u202e\xff\xc3"), "a?[31m????");
  EXPECT_EQ(cleaned("a\nb"), "a?b");
  EXPECT_EQ(cleaned("a\nb\r", true), "a\nb?");
  EXPECT_EQ(cleaned(""), "");
}

TEST(Printable, NoCharacterThatXmlRefuses) {
  EXPECT_EQ(printable("\uffff\ufffe\U0001ffff"), "???");
  EXPECT_EQ(printable("\ufffd"), "\ufffd");
}

TEST(Printable, MarkupHasNoCharacterThatXmlRefuses) {
  EXPECT_EQ(einkorn::machine::markup("a\x1b<b>\n\t\x01&\""), "a?&lt;b&gt;\n\t?&amp;&quot;");
  EXPECT_EQ(einkorn::machine::markup(""), "");
  EXPECT_EQ(einkorn::machine::markup("end\n"), "end\n");
}

TEST(Csv, TextsAreNoFormulas) {
  report_test::Builder b(1'000'000, 2);
  std::vector<uint32_t> sources;
  for (const char* name : {"=cmd|'/C calc'!A0", "+1", "-1", "@SUM(1)", "\tx", "\rx", "\nx", "f=1", "=a,\"b\""})
    b.grain(profile::GrainKind::task, 0, b.source("/a/b.c", 1, "task", name), 1000);
  ExportOptions options;
  options.out = test::scratch(".csv");
  ASSERT_EQ(export_csv(b.p, options), "");
  std::ifstream in(options.out, std::ios::binary);
  const std::string csv((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  for (const char* cell : {",'=cmd|'/C calc'!A0,", ",'+1,", ",'-1,", ",'@SUM(1),", ",'\tx,", ",\"'\rx\",", ",\"'\nx\",",
                           ",f=1,", ",\"'=a,\"\"b\"\"\","})
    EXPECT_NE(csv.find(cell), std::string::npos) << cell << " in\n" << csv;
}

}  // namespace
}  // namespace einkorn
