// Shapes of the abstract machine: their text, which worker is on which CPU, which is in which cluster.
#include <gtest/gtest.h>

#include "machine/load.h"
#include "schedule/shape.h"
#include "schedule/text.h"

using namespace einkorn::schedule;
namespace machine = einkorn::machine;

namespace {

Shape parsed(const char* text) {
  Shape s;
  std::string why;
  EXPECT_TRUE(parse_shape(text, &s, &why)) << text << ": " << why;
  return s;
}

std::string error_of(const char* text) {
  Shape s;
  std::string why;
  EXPECT_FALSE(parse_shape(text, &s, &why)) << text;
  return why;
}

machine::Machine made(const char* text) {
  machine::Machine m;
  std::string why;
  EXPECT_TRUE(machine::load(text, &m, &why)) << why;
  return m;
}

std::vector<int> placed(const char* shape, const machine::Machine& m) {
  std::vector<int> pus;
  std::string why;
  EXPECT_TRUE(place_shape(parsed(shape), m, &pus, &why)) << shape << ": " << why;
  return pus;
}

std::string refusal(const char* shape, const machine::Machine& m) {
  std::vector<int> pus;
  std::string why;
  EXPECT_FALSE(place_shape(parsed(shape), m, &pus, &why)) << shape;
  return why;
}

using Pus = std::vector<int>;

}  // namespace

TEST(Shape, TextAndBack) {
  for (const char* text : {"1x1", "2x10", "20x1", "2x10,spread", "2x2,0-3", "1x3,8 2,0", "2x2,0-6:2"}) {
    const Shape s = parsed(text);
    EXPECT_EQ(shape_text(s), text);
    EXPECT_EQ(s.workers(), s.clusters * s.units);
  }
  EXPECT_EQ(shape_text(parsed("4x5,compact")), "4x5");
  EXPECT_EQ(shape_text(parsed("4X5")), "4x5");
  EXPECT_EQ(shape_text(parsed(" 4x5\t")), "4x5");
  EXPECT_EQ(shape_text(parsed(" 4x5 , spread ")), "4x5,spread");
  EXPECT_EQ(shape_text(parsed("2x2, 0 1,2-3 ")), "2x2,0 1,2-3");
}

TEST(Shape, MistakesAreExplained) {
  for (const char* text : {"", "x", "2", "2x", "x2", "2*10", "-1x2", "2x10x2", "2x10 2", "99999999999x1", "a"})
    EXPECT_NE(error_of(text).find("4x5,spread"), std::string::npos) << text;
  for (const char* text : {"0x4", "4x0", "0x0"}) EXPECT_NE(error_of(text).find("1x1"), std::string::npos) << text;
  EXPECT_NE(error_of("65536x65536").find("65536"), std::string::npos);
  for (const char* text : {"2x2,", "2x2,scatter", "2x2,0-", "2x2,3-1", "2x2,0-3:0", "2x2,0,1,2,", "2x2,0;1"})
    EXPECT_NE(error_of(text).find("compact"), std::string::npos) << text;
  EXPECT_NE(error_of("2x2,0-2").find("3 CPUs for 4"), std::string::npos);
  EXPECT_NE(error_of("2x2,0-2,1").find("CPU 1 twice"), std::string::npos);
}

TEST(Shape, SeveralInAList) {
  std::vector<Shape> shapes;
  std::string why, back;
  ASSERT_TRUE(parse_shapes("1x20, 2x10, spread,2x2,0-1,4 5, 20x1", &shapes, &why)) << why;
  for (const Shape& s : shapes) back += shape_text(s) + "|";
  EXPECT_EQ(back, "1x20|2x10,spread|2x2,0-1,4 5|20x1|");
  for (const char* text : {"", ",", "1x2,", "spread", "2x2,oops,1x1", "1x2,,2x1"})
    EXPECT_FALSE(parse_shapes(text, &shapes, &why)) << text;
}

TEST(Shape, CompactFillsTheMachineInItsOrder) {
  const machine::Machine m = made("2x4");
  EXPECT_EQ(placed("2x2", m), (Pus{0, 1, 2, 3}));
  EXPECT_EQ(placed("1x8", m), (Pus{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(placed("2x2", m), placed("4x1", m));
}

TEST(Shape, SpreadIsOverAllOfIt) {
  const machine::Machine m = made("2x4");
  EXPECT_EQ(placed("2x1,spread", m), (Pus{0, 4}));
  EXPECT_EQ(placed("2x2,spread", m), (Pus{0, 2, 4, 6}));
  EXPECT_EQ(placed("1x3,spread", m), (Pus{0, 2, 5}));
  EXPECT_EQ(placed("2x4,spread", m), placed("2x4", m));
}

TEST(Shape, ACoreHasOneWorkerBeforeAnyHasTwo) {
  const machine::Machine m = made("2x2x2");  // PUs 0 and 1 are a core's
  EXPECT_EQ(placed("2x2", m), (Pus{0, 2, 4, 6}));
  EXPECT_EQ(placed("1x3", m), (Pus{0, 2, 4}));
  EXPECT_EQ(placed("2x4", m), (Pus{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(placed("1x5,spread", m), (Pus{0, 1, 2, 4, 6}));
  EXPECT_EQ(placed("1x6,spread", m), (Pus{0, 1, 2, 4, 5, 6}));
  EXPECT_EQ(placed("1x5", m), (Pus{0, 1, 2, 4, 6}));
  EXPECT_EQ(placed("1x7", m), (Pus{0, 1, 2, 3, 4, 5, 6}));
}

// Cores of two threads and of one: each has a worker, however few are left over.
TEST(Shape, CoresNeedNotBeEqual) {
  machine::Machine m = made("4x2");
  m.cores = 6;
  const int core[] = {0, 0, 1, 1, 2, 3, 4, 5};
  for (size_t i = 0; i < 8; ++i) m.pus[i].core = core[i];
  for (const char* shape : {"1x7", "1x7,spread"}) EXPECT_EQ(placed(shape, m), (Pus{0, 1, 2, 4, 5, 6, 7})) << shape;
}

TEST(Shape, TeamsOfOtherSizes) {
  const machine::Machine m = made("2x4"), twice = made("2x2x2");
  EXPECT_EQ(pus_of(parsed("2x2"), m, 3), (Pus{0, 1, 2}));
  EXPECT_EQ(pus_of(parsed("2x2"), m, 7), (Pus{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(pus_of(parsed("2x2,7,0,3,5"), m, 6), (Pus{7, 0, 3, 5, 1, 2}));
  EXPECT_EQ(pus_of(parsed("1x2"), twice, 5), (Pus{0, 2, 4, 6, 1}));
  EXPECT_EQ(pus_of(parsed("1x2,3,2"), twice, 6), (Pus{3, 2, 0, 4, 6, 1}));
  EXPECT_EQ(pus_of({}, twice, 6), (Pus{0, 2, 4, 6, 1, 3}));
  EXPECT_EQ(pus_of(parsed("9x1"), m, 2), (Pus{0, 1}));  // does not fit
  EXPECT_EQ(pus_of(parsed("1x2"), made("1x2"), 3), (Pus{0, 1, 0}));
}

TEST(Shape, AListIsByTheSystemsNumbers) {
  machine::Machine m = made("2x2");
  for (size_t i = 0; i < m.pus.size(); ++i) m.pus[i].os = int(10 - i);
  EXPECT_EQ(placed("2x2,7-10", m), (Pus{3, 2, 1, 0}));
  EXPECT_NE(refusal("1x2,10,6", m).find("CPU 6"), std::string::npos);
}

TEST(Shape, LargerThanTheMachineIsRefused) {
  const machine::Machine m = made("2x4");
  for (const char* shape : {"1x9", "3x3", "9x1,spread", "9x1,0-8"}) {
    const std::string why = refusal(shape, m);
    EXPECT_NE(why.find("wants 9 CPUs, and there are 8"), std::string::npos) << why;
    EXPECT_NE(why.find("1x8"), std::string::npos) << why;
  }
}

TEST(Shape, ClustersGoByTheCpuOrByTheNumber) {
  const machine::Machine m = made("2x4");
  const Shape two = parsed("2x2,spread");  // on 0, 2 and 4, 6
  EXPECT_EQ(clusters_of(two, m, {0, 2, 4, 6}), (Pus{0, 0, 1, 1}));
  EXPECT_EQ(clusters_of(two, m, {6, 4, 2, 0}), (Pus{1, 1, 0, 0}));
  EXPECT_EQ(clusters_of(two, m, {4}), (Pus{1}));                                // a team of fewer
  EXPECT_EQ(clusters_of(two, m, {1, 3, 5, 7, 1, 3}), (Pus{0, 0, 1, 1, 0, 0}));  // bound elsewhere, and more of them
  // One that is elsewhere, or two on one: all by number.
  const Shape four = parsed("4x1");
  EXPECT_EQ(clusters_of(four, m, {0, 2, 4, 6}), (Pus{0, 1, 2, 3}));
  EXPECT_EQ(clusters_of(four, m, {3, 2, 1, 0}), (Pus{3, 2, 1, 0}));
  EXPECT_EQ(clusters_of(four, m, {3, 2, 1, 3}), (Pus{0, 1, 2, 3}));
  EXPECT_EQ(clusters_of(two, m, pus_of(two, m, 7)), (Pus{0, 0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(clusters_of({}, m, {0, 1, 4, 7}), (Pus{0, 0, 1, 1}));  // no shape: by node
  EXPECT_EQ(clusters_of(parsed("9x1"), m, {0, 7}), (Pus{0, 1}));   // nor one that does not fit
}

TEST(Shape, OfASchedule) {
  Schedule s;
  std::string why;
  for (const char* text : {"codelets,amm=2x4,take=3", "codelets,amm=2x4,spread,take=3",
                           "codelets,take=3,amm=2x2,0-1,4,5", "places=cluster,amm=2x10,compact"}) {
    ASSERT_TRUE(parse_schedule(text, &s, &why)) << why;
    Schedule again;
    ASSERT_TRUE(parse_schedule(axes_text(s).c_str(), &again, &why)) << axes_text(s) << ": " << why;
    EXPECT_EQ(axes_text(again), axes_text(s));
    EXPECT_EQ(shape_text(again.shape), shape_text(s.shape));
  }
  EXPECT_EQ(shape_text(s.shape), "2x10");
  ASSERT_TRUE(parse_schedule("codelets,amm=2x2,0-1,4,5,take=3", &s, &why)) << why;
  EXPECT_EQ(shape_text(s.shape), "2x2,0-1,4,5");
  EXPECT_EQ(s.take_number, 3);
  for (const char* text : {"codelets,amm=", "codelets,amm=0x2", "codelets,amm=2x4,tight", "codelets,spread,amm=2x4"})
    EXPECT_FALSE(parse_schedule(text, &s, &why)) << text;
}
