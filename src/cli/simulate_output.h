// What `einkorn simulate` says of a sweep: a table, JSON, a plot.
#pragma once
#include <nlohmann/json.hpp>

#include <functional>
#include <memory>
#include <string>

#include "profile/profile.h"
#include "report/speedup_plot.h"
#include "simulate/sweep.h"

namespace einkorn::cli {

// What is to be run: teams of any size of it.
struct Subject {
  std::string name;
  std::function<simulate::Program(int)> with;
  double recorded = -1;  // ns of wall time
  uint32_t recorded_threads = 0;
  std::shared_ptr<profile::Profile> profile;  // of a recording
  double unknown = 0;  // of its work, the part whose time in memory nobody knows
};

// As texts call it.
const char* name_of(const machine::Machine& m);

// Where the memory part is not known (kWorthARange): `sweep` has taken all of it for compute, `memory` for memory; else nullptr.
std::string table(const Subject& subject, const machine::Machine& m, const simulate::Sweep& sweep, const simulate::Sweep* memory);
nlohmann::json as_json(const Subject& subject, const machine::Machine& m, const simulate::Sweep& sweep, const simulate::Sweep* memory);
std::string roofline_table(const Subject& subject, const machine::Machine& m, const simulate::Setup& common, const std::vector<int>& threads);
nlohmann::json roofline_json(const Subject& subject, const machine::Machine& m, const simulate::Setup& common, const std::vector<int>& threads);

// By a file's name: 's' (.svg), 'h' (.html), 0: neither.
char plot_form(const std::string& file);
std::string plot(const Subject& subject, const machine::Machine& m, const simulate::Sweep& sweep, const simulate::Sweep* memory, char form);

}  // namespace einkorn::cli
