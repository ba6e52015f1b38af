#include "profile/resolve.h"
#include <map>
#include <tuple>
#include <utility>
#include "profile/accesses.h"
#include "profile/decode.h"
#include "profile/reader.h"

namespace einkorn::profile {

std::vector<uint32_t> resolve_sites(const Recording& rec, Symbolizer* symbolizer,
                                    const std::function<void(double)>& progress, SourceLines* lines, Profile& out) {
  std::vector<uint32_t> source(rec.sites.size(), kNone);
  std::map<std::tuple<std::string, std::string, uint32_t, std::string, std::string, uint64_t>, uint32_t> known;
  size_t kmpc = 0;
  for (const Site& site : rec.sites) kmpc += (site.flags & record::kSiteClang) != 0;
  if (2 * kmpc > rec.sites.size()) out.interface = Interface::kmpc;
  for (uint32_t id = 1; id < rec.sites.size(); ++id) {
    if (progress) progress(double(id) / double(rec.sites.size()));
    const Site& site = rec.sites[id];
    if (site.construct == record::Construct::unknown && !site.function && !site.return_address) continue;
    Source s;
    if (symbolizer) {
      s = symbolizer->resolve(site);
      const auto kept = rec.kept_lines.of_site.find(id);
      if (kept != rec.kept_lines.of_site.end()) choose_source(s, &kept->second, symbolizer->has_recorded_files(site));
    }
    s.construct = construct_name(site.construct);
    if (s.line == 0 && s.address == 0) {
      s.address = site.function ? site.function : site.return_address;
      for (const Module& m : rec.modules) {
        if (s.address < m.begin || s.address >= m.end) continue;
        s.address -= m.base;
        s.module = m.path;
        break;
      }
    }
    if (lines) lines->of_site.emplace(id, s);
    // Without a line, the address distinguishes locations.
    auto key = std::make_tuple(s.construct, s.file, s.line, s.function, s.line ? std::string() : s.module,
                               s.line ? 0 : s.address);
    auto [it, added] = known.try_emplace(std::move(key), uint32_t(out.sources.size()));
    if (added) out.sources.push_back(std::move(s));
    source[id] = it->second;
  }
  return source;
}

Source source_of_access(const Recording& rec, Symbolizer& symbolizer, uint64_t return_address) {
  Source s = symbolizer.resolve_access(return_address);
  const auto kept = rec.kept_lines.of_access.find(return_address);
  if (kept != rec.kept_lines.of_access.end())
    choose_source(s, &kept->second, symbolizer.has_recorded_file(return_address - 1));
  return s;
}

bool load_lines(const std::string& path, const SymbolOptions& symbols, SourceLines& lines, Profile& out,
                LoadError& error) {
  Reader reader;
  if (!reader.open_without_events(path, error)) return false;
  Recording rec;
  decode_places(reader, rec);
  Symbolizer symbolizer(rec.modules, symbols, std::move(rec.code_names));
  resolve_sites(rec, &symbolizer, {}, &lines, out);
  for (const RawInstruction& i : rec.instructions)
    if (!lines.of_access.contains(i.address)) {
      Source s = source_of_access(rec, symbolizer, i.address);
      out.sources.push_back(s);
      lines.of_access.emplace(i.address, std::move(s));
    }
  const std::set<std::string> folders = symbolizer.folders();
  out.source_folders.assign(folders.begin(), folders.end());
  return true;
}

}  // namespace einkorn::profile
