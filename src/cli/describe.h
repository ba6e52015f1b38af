// All verbs and options as JSON: what manual pages and the shells' completions are made of (packaging/manual.py).
#pragma once
#include <string>

namespace CLI {
class App;
}

namespace einkorn::cli {

// {"version", "about", "footer", "schedules": the presets' names, "verbs": [{"name", "about", "footer", "options":
// [{"names", "value", "about", "repeats", "needed", "choices"}], "arguments": the same}]}. value: what --help calls it,
// "" for a flag; choices: words, where it takes one of some. Hidden options are left out.
std::string describe(const CLI::App& app);

}  // namespace einkorn::cli
