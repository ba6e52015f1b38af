// Loading of scripted recordings, for the profile's unit tests.
#pragma once
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>
#include "../golden/describe.h"
#include "../golden/grain_writer.h"
#include "../golden/invariants.h"
#include "../golden/seeds.h"
#include "../scratch.h"
#include "profile/load.h"

namespace einkorn::test {

struct Loaded {
  profile::Profile profile;
  profile::LoadDetails details;
  profile::LoadError error;
  bool ok = false;
  struct Interval {
    profile::State state;
    int64_t begin, end;
  };
  std::map<uint32_t, std::vector<Interval>> intervals;  // by thread
};

using Names = std::set<std::pair<uint64_t, uint64_t>>;
inline Names names_of_tasks(const profile::Profile& p) {
  Names out;
  for (const profile::Grain& g : p.grains)
    if (g.kind == profile::GrainKind::task) out.insert({g.id_high, g.id_low});
  return out;
}

inline Loaded load_bytes(const std::string& bytes) {
  std::string path = scratch(".grain");
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
  Loaded l;
  l.details.intervals = [&](uint32_t thread, profile::State s, int64_t begin, int64_t end) {
    l.intervals[thread].push_back({s, begin, end});
  };
  profile::LoadOptions options;
  options.symbolize = false;
  l.ok = profile::load(path, options, &l.details, l.profile, l.error);
  l.details.intervals = {};  // refers to this frame
  remove(path.c_str());
  if (l.ok) {
    EXPECT_EQ(broken_invariant(l.profile), "");
  }
  return l;
}

inline Loaded load_file(const GrainFile& file) { return load_bytes(file.bytes()); }

inline int64_t time_in(const profile::Thread& t, profile::State s) { return t.times[size_t(s)]; }

}  // namespace einkorn::test
