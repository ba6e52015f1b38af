// A predicted run as the file that is written of it, loaded again.
#pragma once
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>

#include "../scratch.h"
#include "profile/load.h"
#include "simulate/recording.h"

namespace einkorn::test {

inline profile::Profile written(const profile::Profile& recorded, const simulate::Program& program,
                                const simulate::Setup& setup, const simulate::Outcome& outcome) {
  const std::string path = scratch(".grain");
  {
    std::ofstream file(path, std::ios::binary);
    simulate::write_recording(recorded, program, setup, outcome, "on two", [&](const void* data, size_t bytes) {
      file.write(static_cast<const char*>(data), long(bytes));
    });
  }
  profile::Profile again;
  profile::LoadError wrong;
  EXPECT_TRUE(profile::load(path, {}, again, wrong)) << wrong.message;
  std::remove(path.c_str());
  return again;
}

}  // namespace einkorn::test
