// Memory accesses: from stretches of threads to grains, and from one recording to another.
#include "../golden/seeds.h"
#include "profile/accesses.h"
#include "profile_support.h"

namespace einkorn {
namespace {

using namespace test;
using profile::Accesses;
using profile::GrainKind;

const Accesses* of_task(const profile::Profile& p, uint32_t ordinal, uint32_t depth) {
  for (size_t i = 0; i < p.grains.size(); ++i)
    if (p.grains[i].kind == GrainKind::task && p.grains[i].ordinal == ordinal && p.grains[i].depth == depth)
      return &p.accesses[i];
  return nullptr;
}

TEST(Accesses, BelongToTheGrainThatRan) {
  Loaded l = load_file(accesses_recording());
  ASSERT_TRUE(l.ok);
  const profile::Profile& p = l.profile;
  ASSERT_EQ(p.accesses.size(), p.grains.size());
  EXPECT_FALSE(p.times_valid);
  EXPECT_EQ(p.accesses[0].loads, 7u);
  EXPECT_EQ(p.accesses[0].lines, 2u);
  uint64_t shares = 0;
  for (size_t i = 0; i < p.grains.size(); ++i)
    if (p.grains[i].kind == GrainKind::share) shares += p.accesses[i].loads;
  EXPECT_EQ(shares, 5u);
  const Accesses* first = of_task(p, 0, 0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->loads, 320u);
  EXPECT_EQ(first->stores, 400u);
  EXPECT_EQ(first->read, 8u * 320);
  EXPECT_EQ(first->lines, 16u);  // 1000 to 1014 and 2000: what both stretches have counts once
  EXPECT_FALSE(first->estimated);
  const Accesses* second = of_task(p, 1, 0);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->estimated);
  EXPECT_NEAR(double(second->lines), 20000, 0.07 * 20000);  // three standard errors
  const Accesses* child = of_task(p, 0, 1);
  ASSERT_TRUE(child);
  EXPECT_EQ(child->loads, 0u);
}

TEST(Accesses, OfInstructionsAddUpByConstruct) {
  Loaded l = load_file(accesses_recording());
  ASSERT_TRUE(l.ok);
  ASSERT_EQ(l.profile.access_uses.size(), 2u);
  const profile::AccessUse& load = l.profile.access_uses[0];
  EXPECT_EQ(load.count, 320u);
  EXPECT_EQ(load.grains, 1u);
  EXPECT_EQ(load.stride, 5120);
  EXPECT_EQ(load.strides, 290u);
  EXPECT_EQ(load.fetched, 283u);
  EXPECT_EQ(load.left, 270u);
  EXPECT_EQ(load.used, 540u * 4);
  EXPECT_TRUE(l.profile.access_uses[1].store);
}

TEST(Accesses, GoToTheSameGrainsOfAnotherRecording) {
  Loaded counts = load_file(accesses_recording());
  GrainFile plain = accesses_recording();
  plain.meta = GrainFile().meta;
  plain.accesses.clear();
  Loaded times = load_file(plain);
  ASSERT_TRUE(counts.ok && times.ok);
  EXPECT_TRUE(times.profile.accesses.empty());
  EXPECT_EQ(profile::borrow_accesses(counts.profile, times.profile), 1.0);
  EXPECT_TRUE(times.profile.times_valid);
  EXPECT_EQ(of_task(times.profile, 0, 0)->lines, 16u);
  GrainFile serial;
  serial.end_tick = 1000;
  serial.thread(Script::kInitial).at(900).thread_end();
  Loaded other = load_file(serial);
  ASSERT_TRUE(other.ok);
  EXPECT_LT(profile::borrow_accesses(counts.profile, other.profile), 0.95);
  EXPECT_TRUE(other.profile.accesses.empty());
}

// Whatever a payload says: what can be read of it is kept, the rest is damage.
TEST(Accesses, DamagedPayloads) {
  const std::string good = Stretch(110, 5, 1).runs({{100, 1}}).instructions({}).bytes();
  for (const std::string& bad :
       {std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), std::string("\x80"),
        Stretch(1, 1, 1).runs({{5, 0}}).bytes(), Stretch(1, 1, 1).runs({{5, 9000}}).bytes(),
        Stretch(1, 1, 1).runs({{5, 5000}, {20000, 5000}}).bytes(), Stretch(1, 1, 1).runs({}).bytes(),
        Stretch(1, 1, 1).bytes() + '\1' + std::string(100, '\0'), Stretch(1, 1, 1).runs({}).bytes() + "\xff\x7f"}) {
    GrainFile file = accesses_recording();
    file.accesses = {{0, good + bad}};
    Loaded l = load_file(file);
    ASSERT_TRUE(l.ok);
    EXPECT_EQ(l.profile.totals.damaged_blocks, 1u);
    uint64_t loads = 0;
    for (const Accesses& a : l.profile.accesses) loads += a.loads;
    EXPECT_EQ(loads, 5u);
  }
  GrainFile file = accesses_recording();
  file.accesses = {{77, good}};  // of no thread
  EXPECT_TRUE(load_file(file).ok);
}

}  // namespace
}  // namespace einkorn
