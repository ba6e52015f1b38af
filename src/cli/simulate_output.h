// What `einkorn simulate` prints for a sweep: a table, JSON, a plot.
#pragma once
#include <nlohmann/json.hpp>

#include <string>

#include "cli/simulate_subject.h"
#include "report/page/speedup_plot.h"

namespace einkorn::cli {

// Its name in texts.
const char* name_of(const machine::Machine& m);

// Where the memory part is not known (kWorthARange), `sweep` has treated all of it as compute. `ends`: of the subject's
// ends.
// Were the recording's times not valid, and did --anyway let it in? The second is what the heading says then.
bool from_invalid_times(const Subject&);
std::string not_to_trust(const Subject&);
std::string table(const Subject& subject, const machine::Machine& m, const simulate::Sweep& sweep, const Ends& ends);
nlohmann::json as_json(const Subject& subject, const machine::Machine& m, const simulate::Sweep& sweep,
                       const Ends& ends);
std::string roofline_table(const Subject& subject, const machine::Machine& m, const simulate::Setup& common,
                           const std::vector<int>& threads);
nlohmann::json roofline_json(const Subject& subject, const machine::Machine& m, const simulate::Setup& common,
                             const std::vector<int>& threads);

// By a file's name: 's' (.svg), 'h' (.html), 0: neither.
char plot_form(const std::string& file);
std::string plot(const Subject& subject, const machine::Machine& m, const simulate::Sweep& sweep, const Ends& ends,
                 char form);

}  // namespace einkorn::cli
