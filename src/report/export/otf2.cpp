// An OTF2 archive: one location a thread, for Vampir, Scalasca, TAU and otf2-print.
//
// What a thread does is regions entered and left (one a construct), and events of tasks: created, switched to,
// completed. A task's region is open from its first fragment to its end; waits, creations, blocked and idle stretches
// are regions inside it, so that a task's exclusive time in its own region is its execution. Where a task is suspended
// (another one runs inside its wait, or an undeferred one in its place) its regions are left, innermost first, and
// entered again when it goes on: no task's time is inside another's. Shares and the program outside regions are the
// thread's own (implicit) task: their regions stay open while tasks run inside a barrier.
//
// A task is (thread that created it, number among those), as OTF2 has it; number 0 is the thread's own task. The
// attribute "grain" of its creation is its row in the other exports. The switch to it when it starts says where it came
// from: "creator", the location whose queue it was taken from; "creator node" and "node", the memory nodes of both,
// where they are known; and "taken from", the report's classes: local queue, same node, remote.
#include "report/export/export.h"
#include "report/export/output_folder.h"
#ifdef EINKORN_OTF2
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <unordered_map>
#include <vector>
#include <fmt/format.h>
#include <otf2/otf2.h>
#include "report/locality.h"
#include "report/wording.h"

namespace einkorn::report {
namespace {

namespace fs = std::filesystem;
using profile::Grain;
using profile::GrainKind;
using profile::kNone;
using profile::Profile;
using profile::Span;
using profile::SpanKind;
using profile::Timeline;

constexpr const char* kOurName = "einkorn";
constexpr OTF2_CommRef kTeam = 0;
enum Attribute : OTF2_AttributeRef { kGrain, kCreator, kCreatorNode, kNode, kTakenFrom };
constexpr uint32_t kTaskRegion = 64;  // kinds of regions: this, or a SpanKind, or 32 + GrainKind

struct TaskName {
  uint32_t location, number;  // of its creation
};

// Regions and strings, numbered as they are first used. Written at the end.
class Names {
 public:
  uint32_t text(const std::string& s) { return texts_.try_emplace(s, uint32_t(texts_.size())).first->second; }
  uint32_t region(uint32_t kind, uint32_t source) {
    const uint64_t key = uint64_t(source) << 8 | kind;
    auto [it, added] = regions_.try_emplace(key, uint32_t(keys_.size()));
    if (added) keys_.push_back(key);
    return it->second;
  }
  const std::vector<uint64_t>& keys() const { return keys_; }
  const std::map<std::string, uint32_t>& texts() const { return texts_; }

 private:
  std::map<std::string, uint32_t> texts_;
  std::unordered_map<uint64_t, uint32_t> regions_;
  std::vector<uint64_t> keys_;
};

// One thread's events.
class Lane {
 public:
  Lane(const Profile& p, const std::vector<TaskName>& tasks, Names& names, OTF2_EvtWriter* out, uint32_t location)
      : p_(p), tasks_(tasks), names_(names), out_(out), location_(location), attributes_(OTF2_AttributeList_New()) {
    frames_.push_back({kNone, 0, 0, {}});
  }
  ~Lane() { OTF2_AttributeList_Delete(attributes_); }
  void run(const std::vector<Span>& spans) {
    walk(
        spans,
        [&](const Span& s) {
          enter(s);
          ++depth_;
        },
        [&](const Span& s) {
          --depth_;
          leave(s);
        });
    while (frames_.size() > 1) end_task(false);
  }

 private:
  // A task on this thread; the lowest is the thread's own.
  struct Frame {
    uint32_t grain;                 // kNone: the thread's own
    size_t depth;                   // of its spans
    int64_t until;                  // end of what was seen of it last
    std::vector<uint32_t> regions;  // entered by it, outermost first
  };

  static uint64_t time(int64_t t) { return uint64_t(std::max<int64_t>(0, t)); }
  bool is_task(uint32_t grain) const { return grain < p_.grains.size() && p_.grains[grain].kind == GrainKind::task; }
  void enter(const Span& s);
  void leave(const Span& s);
  void start_task(const Span& s);
  void end_task(bool complete);
  void enter_region(uint32_t r, int64_t t) { OTF2_EvtWriter_Enter(out_, nullptr, time(t), r); }
  void leave_region(uint32_t r, int64_t t) { OTF2_EvtWriter_Leave(out_, nullptr, time(t), r); }
  uint32_t region_of(const Span& s);

  const Profile& p_;
  const std::vector<TaskName>& tasks_;
  Names& names_;
  OTF2_EvtWriter* out_;
  uint32_t location_;
  OTF2_AttributeList* attributes_;
  size_t depth_ = 0;  // spans around the one that is entered or left: Span::depth ends at kDeepest
  std::vector<Frame> frames_;
};

uint32_t Lane::region_of(const Span& s) {
  uint32_t kind = uint32_t(s.kind);
  if (s.kind == SpanKind::fragment && s.grain < p_.grains.size()) kind = 32 + uint32_t(p_.grains[s.grain].kind);
  return names_.region(kind, s.source);
}

void Lane::start_task(const Span& s) {
  if (Frame& below = frames_.back(); below.grain != kNone)
    for (size_t i = below.regions.size(); i-- > 0;) leave_region(below.regions[i], s.begin);
  const TaskName& name = tasks_[s.grain];
  const Grain& g = p_.grains[s.grain];
  if (const auto from = nearness(g); from && s.first && g.creator < p_.threads.size()) {
    OTF2_AttributeList_AddLocationRef(attributes_, kCreator, name.location);
    if (g.creator_node != kNoNode) OTF2_AttributeList_AddUint32(attributes_, kCreatorNode, g.creator_node);
    if (g.node != kNoNode) OTF2_AttributeList_AddUint32(attributes_, kNode, g.node);
    OTF2_AttributeList_AddStringRef(attributes_, kTakenFrom, names_.text(kNearnessNames[size_t(*from)]));
  }
  OTF2_EvtWriter_ThreadTaskSwitch(out_, attributes_, time(s.begin), kTeam, name.location, name.number);
  const uint32_t region = names_.region(kTaskRegion, s.source);
  enter_region(region, s.begin);
  frames_.push_back({s.grain, depth_, s.begin, {region}});
}

// The uppermost task ends, or leaves this thread; the one below goes on.
void Lane::end_task(bool complete) {
  const Frame f = std::move(frames_.back());
  frames_.pop_back();
  for (size_t i = f.regions.size(); i-- > 0;) leave_region(f.regions[i], f.until);
  if (complete) {
    const TaskName& name = tasks_[f.grain];
    OTF2_EvtWriter_ThreadTaskComplete(out_, nullptr, time(f.until), kTeam, name.location, name.number);
  }
  Frame& below = frames_.back();
  if (below.grain == kNone) {
    OTF2_EvtWriter_ThreadTaskSwitch(out_, nullptr, time(f.until), kTeam, location_, 0);
    return;
  }
  const TaskName& name = tasks_[below.grain];
  OTF2_EvtWriter_ThreadTaskSwitch(out_, nullptr, time(f.until), kTeam, name.location, name.number);
  for (uint32_t r : below.regions) enter_region(r, f.until);
}

void Lane::enter(const Span& s) {
  const bool task = s.kind == SpanKind::fragment && is_task(s.grain);
  // A fragment of another task beside the uppermost one's: that one is over here.
  if (task && frames_.size() > 1 && frames_.back().depth == depth_ && frames_.back().grain != s.grain) end_task(false);
  if (task) {
    if (frames_.size() == 1 || frames_.back().grain != s.grain || frames_.back().depth != depth_) start_task(s);
    return;
  }
  if (s.kind == SpanKind::create && is_task(s.grain)) {
    OTF2_AttributeList_AddUint32(attributes_, kGrain, s.grain);
    const TaskName& name = tasks_[s.grain];
    OTF2_EvtWriter_ThreadTaskCreate(out_, attributes_, time(s.begin), kTeam, name.location, name.number);
  }
  if (s.kind == SpanKind::region)
    OTF2_EvtWriter_ThreadFork(out_, nullptr, time(s.begin), OTF2_PARADIGM_OPENMP, uint32_t(p_.threads.size()));
  const uint32_t region = region_of(s);
  enter_region(region, s.begin);
  frames_.back().regions.push_back(region);
}

void Lane::leave(const Span& s) {
  // Tasks inside this span end with it at the latest.
  while (frames_.size() > 1 && frames_.back().depth > depth_) end_task(false);
  Frame& f = frames_.back();
  f.until = s.end;
  if (s.kind == SpanKind::fragment && is_task(s.grain)) {
    if (s.leaves) end_task(s.last);
    return;
  }
  leave_region(f.regions.back(), s.end);
  f.regions.pop_back();
  if (s.kind == SpanKind::region) OTF2_EvtWriter_ThreadJoin(out_, nullptr, time(s.end), OTF2_PARADIGM_OPENMP);
}

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

class OtfWriter {
 public:
  OtfWriter(const Profile& p, const Timeline& t, ExportOptions& o) : p_(p), timeline_(t), options_(o), places_(p) {}
  std::string run(const std::string& folder);

 private:
  void name_tasks();
  void events();
  void definitions();
  struct Region {
    uint32_t name, file, function, line;
    OTF2_RegionRole role;
  };
  Region region(uint64_t key);
  void check(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && wrong_.empty()) wrong_ = OTF2_Error_GetDescription(code);
  }

  const Profile& p_;
  const Timeline& timeline_;
  ExportOptions& options_;
  Places places_;
  OTF2_Archive* archive_ = nullptr;
  Names names_;
  std::vector<uint32_t> threads_;  // by location: threads of which something is known
  std::vector<TaskName> tasks_;
  std::vector<uint64_t> counts_;  // events by location
  std::string wrong_;
};

void OtfWriter::name_tasks() {
  const size_t threads = timeline_.threads.size();
  std::vector<uint32_t> location(threads, kNone), created;
  for (uint32_t t = 0; t < threads; ++t) {
    // A damaged recording names threads up to the 65,536th, and each location is two files.
    if (timeline_.threads[t].empty() && t > 0) continue;
    location[t] = uint32_t(threads_.size());
    threads_.push_back(t);
  }
  created.assign(threads_.size(), 0);
  tasks_.assign(p_.grains.size(), {0, 0});
  for (size_t g = 0; g < p_.grains.size(); ++g) {
    if (p_.grains[g].kind != GrainKind::task) continue;
    const Grain& grain = p_.grains[g];
    uint32_t by = grain.creator < threads ? grain.creator : grain.thread;  // whose creation was lost
    by = by < threads && location[by] != kNone ? location[by] : 0;
    tasks_[g] = {by, ++created[by]};
  }
}

void OtfWriter::events() {
  check(OTF2_Archive_OpenEvtFiles(archive_));
  for (uint32_t location = 0; location < threads_.size(); ++location) {
    OTF2_EvtWriter* out = OTF2_Archive_GetEvtWriter(archive_, location);
    if (!out) {
      wrong_ = "the library gives no writer";
      return;
    }
    Lane(p_, tasks_, names_, out, location).run(timeline_.threads[threads_[location]]);
    uint64_t n = 0;
    check(OTF2_EvtWriter_GetNumberOfEvents(out, &n));
    counts_.push_back(n);
    check(OTF2_Archive_CloseEvtWriter(archive_, out));
    if (options_.progress) options_.progress(double(location + 1) / double(threads_.size()));
  }
  check(OTF2_Archive_CloseEvtFiles(archive_));
  check(OTF2_Archive_OpenDefFiles(archive_));
  for (uint32_t location = 0; location < threads_.size(); ++location)
    check(OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, location)));
  check(OTF2_Archive_CloseDefFiles(archive_));
}

OtfWriter::Region OtfWriter::region(uint64_t key) {
  const uint32_t kind = key & 0xff, source = uint32_t(key >> 8);
  const profile::Source none, &s = source < p_.sources.size() ? p_.sources[source] : none;
  std::string what = kind == kTaskRegion ? "task"
                     : kind >= 32        ? profile::kGrainKindNames[kind - 32]
                                         : profile::kSpanKindNames[kind];
  OTF2_RegionRole role = OTF2_REGION_ROLE_CODE;
  if (kind == kTaskRegion) role = OTF2_REGION_ROLE_TASK;
  else if (kind == 32 + uint32_t(GrainKind::initial)) what = "program";
  else if (kind == uint32_t(SpanKind::chunk)) role = OTF2_REGION_ROLE_LOOP;
  else if (kind == uint32_t(SpanKind::create)) role = OTF2_REGION_ROLE_TASK_CREATE, what = "create task";
  else if (kind == uint32_t(SpanKind::region)) role = OTF2_REGION_ROLE_PARALLEL, what = "parallel";
  else if (kind == uint32_t(SpanKind::wait)) {
    if (!s.construct.empty()) what = s.construct;
    role = what.find("implicit") != std::string::npos  ? OTF2_REGION_ROLE_IMPLICIT_BARRIER
           : what.find("barrier") != std::string::npos ? OTF2_REGION_ROLE_BARRIER
                                                       : OTF2_REGION_ROLE_TASK_WAIT;
  } else if (kind >= uint32_t(SpanKind::blocked) && kind < 32) {
    role = OTF2_REGION_ROLE_ARTIFICIAL;
  }
  if (source < p_.sources.size()) what = fmt::format("{} {}", what, places_(source));
  auto text = [&](const std::string& t) { return names_.text(printable(t)); };
  return {text(what), text(s.file), text(s.function), s.line, role};
}

void OtfWriter::definitions() {
  OTF2_GlobalDefWriter* out = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (!out) {
    wrong_ = "the library gives no writer for definitions";
    return;
  }
  const uint32_t host = names_.text(printable(p_.host.empty() ? "host" : p_.host)), node = names_.text("node");
  const uint32_t program = names_.text(printable(p_.program.empty() ? "program" : p_.program));
  const uint32_t team = names_.text("OpenMP threads");
  struct Definition {
    uint32_t name, text;
    OTF2_Type type;
  };
  const Definition attributes[] = {
      // by enum Attribute
      {names_.text("grain"), names_.text("row in the table of grains"), OTF2_TYPE_UINT32},
      {names_.text("creator"), names_.text("location that created the task: what it was taken from"),
       OTF2_TYPE_LOCATION},
      {names_.text("creator node"), names_.text("memory node where the task was created"), OTF2_TYPE_UINT32},
      {names_.text("node"), names_.text("memory node where the task runs"), OTF2_TYPE_UINT32},
      {names_.text("taken from"), names_.text("local queue, same node, or remote"), OTF2_TYPE_STRING}};
  std::vector<uint32_t> threads;
  for (const uint32_t t : threads_) threads.push_back(names_.text(fmt::format("thread {}", t)));
  std::vector<uint64_t> members;
  for (uint64_t location = 0; location < threads_.size(); ++location) members.push_back(location);
  std::vector<Region> regions;
  for (uint64_t key : names_.keys()) regions.push_back(region(key));
  const uint32_t openmp = names_.text("OpenMP");
  // Everything refers to what was written before it.
  for (const auto& [text, number] : names_.texts()) check(OTF2_GlobalDefWriter_WriteString(out, number, text.c_str()));
  check(OTF2_GlobalDefWriter_WriteClockProperties(out, 1'000'000'000, 0, uint64_t(std::max<int64_t>(p_.wall_ns, 1)),
                                                  OTF2_UNDEFINED_TIMESTAMP));
  check(OTF2_GlobalDefWriter_WriteParadigm(out, OTF2_PARADIGM_OPENMP, openmp, OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN));
  for (uint32_t a = 0; a < std::size(attributes); ++a)
    check(OTF2_GlobalDefWriter_WriteAttribute(out, a, attributes[a].name, attributes[a].text, attributes[a].type));
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, host, node, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  check(OTF2_GlobalDefWriter_WriteLocationGroup(out, 0, program, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP));
  for (uint32_t r = 0; r < regions.size(); ++r)
    check(OTF2_GlobalDefWriter_WriteRegion(out, r, regions[r].name, regions[r].name, regions[r].function,
                                           regions[r].role, OTF2_PARADIGM_OPENMP, OTF2_REGION_FLAG_NONE,
                                           regions[r].file, regions[r].line, regions[r].line));
  for (uint32_t l = 0; l < threads.size(); ++l)
    check(OTF2_GlobalDefWriter_WriteLocation(out, l, threads[l], OTF2_LOCATION_TYPE_CPU_THREAD, counts_[l], 0));
  check(OTF2_GlobalDefWriter_WriteGroup(out, 0, team, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP,
                                        OTF2_GROUP_FLAG_NONE, uint32_t(members.size()), members.data()));
  check(OTF2_GlobalDefWriter_WriteGroup(out, 1, team, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
                                        OTF2_GROUP_FLAG_NONE, uint32_t(members.size()), members.data()));
  check(OTF2_GlobalDefWriter_WriteComm(out, kTeam, team, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
  check(OTF2_Archive_CloseGlobalDefWriter(archive_, out));
}

std::string OtfWriter::run(const std::string& folder) {
  archive_ = OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20, OTF2_SUBSTRATE_POSIX,
                               OTF2_COMPRESSION_NONE);
  if (!archive_) return "the OTF2 library cannot make an archive there";
  static const OTF2_FlushCallbacks callbacks = {flush, nullptr};
  check(OTF2_Archive_SetFlushCallbacks(archive_, &callbacks, nullptr));
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
  check(OTF2_Archive_SetCreator(archive_, kOurName));
  name_tasks();
  if (wrong_.empty()) events();
  if (wrong_.empty()) definitions();
  check(OTF2_Archive_Close(archive_));
  return wrong_;
}

// An archive's parts: traces.otf2, traces.def, traces/12.evt, traces/12.def.
bool is_part(const fs::path& path, bool folder) {
  if (folder) return path == "traces";
  if (path == "traces.otf2" || path == "traces.def") return true;
  const std::string number = path.stem().string(), kind = path.extension().string();
  return path.parent_path() == "traces" && (kind == ".evt" || kind == ".def") &&
         number.find_first_not_of("0123456789") == std::string::npos;
}

// The archive's first file says who made it, among its first texts, which end with a zero each. (The library would say
// on stderr what it thinks of one that is no such file.)
bool is_ours(const fs::path& folder) {
  std::ifstream in(folder / "traces.otf2", std::ios::binary);
  std::string begin(256, ' ');
  in.read(begin.data(), std::streamsize(begin.size()));
  begin.resize(size_t(in.gcount()));
  const std::string creator = kOurName + std::string(1, '\0');
  return begin.find("OTF2") < 8 && begin.find(creator) != std::string::npos;
}

}  // namespace

std::string export_otf2(const Profile& p, const Timeline& t, ExportOptions& options) {
  if (t.threads.empty())
    return "the recording has no threads, and an OTF2 archive without one cannot be opened: there is nothing to export";
  OutputFolder folder;
  if (!folder.open(options.out, {is_part, is_ours})) return folder.error();
  if (std::string wrong = OtfWriter(p, t, options).run(folder.path()); !wrong.empty())
    return fmt::format("cannot write {}: {}", options.out, wrong);
  folder.commit();
  return folder.error();
}

}  // namespace einkorn::report

#else

namespace einkorn::report {

std::string export_otf2(const profile::Profile&, const profile::Timeline&, ExportOptions&) {
  return "this einkorn was built without OTF2: install libopen-trace-format2-dev and build it again";
}

}  // namespace einkorn::report

#endif
