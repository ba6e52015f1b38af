// What runs take by the kernel's counters of energy: which of them count, and what is said where there are none.
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/energy.h"

namespace einkorn::cli {
namespace {

class Energy : public testing::Test {
 protected:
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("einkorn energy " + std::to_string(getpid()));
  EnergyMeter meter;

  void SetUp() override { std::filesystem::create_directory(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void write(const std::string& zone, const std::string& file, const std::string& text) const {
    std::filesystem::create_directory(folder / zone);
    std::ofstream(folder / zone / file) << text << "\n";
  }
  void zone(const std::string& name, const std::string& what, uint64_t now, uint64_t range = 1'000'000'000) const {
    write(name, "name", what);
    write(name, "energy_uj", std::to_string(now));
    write(name, "max_energy_range_uj", std::to_string(range));
  }
  std::string open() { return meter.open(folder); }
};

TEST_F(Energy, IsThatOfPackagesAndTheirMemory) {
  zone("intel-rapl:0", "package-0", 1'000'000);
  zone("intel-rapl:0:0", "core", 500);
  zone("intel-rapl:0:1", "dram", 2'000'000);
  zone("intel-rapl:1", "package-1", 0);
  zone("intel-rapl:2", "psys", 0);
  zone("intel-rapl:2:0", "dram", 0);
  zone("intel-rapl-mmio:0", "package-0", 0);
  EXPECT_EQ(open(), "");
  meter.start();
  zone("intel-rapl:0", "package-0", 4'000'000);
  zone("intel-rapl:0:0", "core", 900'000);
  zone("intel-rapl:0:1", "dram", 2'500'000);
  zone("intel-rapl:1", "package-1", 250'000);
  zone("intel-rapl:2", "psys", 100'000'000);
  zone("intel-rapl:2:0", "dram", 100'000'000);
  zone("intel-rapl-mmio:0", "package-0", 100'000'000);
  meter.look();
  EXPECT_DOUBLE_EQ(meter.joules(), 3.75);
  meter.start();
  meter.look();
  EXPECT_EQ(meter.joules(), 0);
}

TEST_F(Energy, GoesOnWhereACounterBeginsAnew) {
  zone("intel-rapl:0", "package-0", 9'000'000, 10'000'000);
  EXPECT_EQ(open(), "");
  meter.start();
  zone("intel-rapl:0", "package-0", 2'000'000, 10'000'000);
  meter.look();
  EXPECT_DOUBLE_EQ(meter.joules(), 3);
  zone("intel-rapl:0", "package-0", 1'000'000, 10'000'000);
  meter.look();
  EXPECT_DOUBLE_EQ(meter.joules(), 12);
}

TEST_F(Energy, IsNotKnownWhereACounterIsGone) {
  zone("intel-rapl:0", "package-0", 1);
  EXPECT_EQ(open(), "");
  meter.start();
  std::filesystem::remove(folder / "intel-rapl:0" / "energy_uj");
  meter.look();
  EXPECT_NE(meter.trouble().find("energy_uj cannot be read"), std::string::npos) << meter.trouble();
  zone("intel-rapl:0", "package-0", 5'000'001);
  meter.start();
  EXPECT_EQ(meter.trouble(), "");
  std::filesystem::remove(folder / "intel-rapl:0" / "max_energy_range_uj");
  EXPECT_EQ(open(), "");
  meter.start();
  zone("intel-rapl:0", "package-0", 1, 0);
  meter.look();
  EXPECT_NE(meter.trouble().find("began anew"), std::string::npos) << meter.trouble();
}

TEST_F(Energy, WhereThereAreNoCountersIsSaid) {
  EXPECT_NE(open().find("does not tell what energy it takes"), std::string::npos) << open();
  zone("intel-rapl:0", "psys", 1);
  EXPECT_NE(open().find("there is no processor"), std::string::npos) << open();
  EXPECT_NE(meter.open(folder / "none").find("does not tell"), std::string::npos);
  zone("intel-rapl:1", "package-0", 1);
  write("intel-rapl:1", "energy_uj", "many");
  EXPECT_NE(open().find("energy_uj cannot be read"), std::string::npos) << open();
  chmod((folder / "intel-rapl:1" / "energy_uj").c_str(), 0);
  if (geteuid() == 0) setfsuid(65534);  // root may read anything
  const std::string told = open();
  if (geteuid() == 0) setfsuid(0);
  EXPECT_NE(told.find("not for everybody to read"), std::string::npos) << told;
}

}  // namespace
}  // namespace einkorn::cli
