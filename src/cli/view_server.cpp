#include "cli/view_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <strings.h>
#include <sys/random.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <list>
#include <mutex>
#include <optional>

#include "cli/view_connections.h"
#include "machine/text.h"
#include "report/page/page.h"
#include "report/page/data.h"
#include "report/page/find.h"
#include "report/page/metrics.h"
#include "report/page/source.h"
#include "report/wording.h"

namespace einkorn::cli {

namespace {

constexpr size_t kPagesKept = 6;  // kept besides the whole graph's page, so that going back is quick

std::string new_token() {
  uint64_t bits[2];
  if (getrandom(bits, sizeof bits, 0) != ssize_t(sizeof bits))
    throw std::runtime_error("no random numbers from the kernel");
  return fmt::format("{:016x}{:016x}", bits[0], bits[1]);
}

// The sources of a search: numbers separated by commas.
bool marked(const std::string& text, std::vector<uint8_t>& sources) {
  const char *at = text.data(), *end = at + text.size();
  while (at != end) {
    uint32_t source = 0;
    const auto [next, error] = std::from_chars(at, end, source);
    if (error != std::errc() || source >= sources.size()) return false;
    sources[source] = 1;
    if (next == end) return true;
    if (*next != ',' || next + 1 == end) return false;
    at = next + 1;
  }
  return true;
}

bool is_name(const std::string& digits) {
  return digits.size() <= 32 && digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

// A whole number and nothing else.
bool number_of(const httplib::Request& request, const char* name, uint32_t& value) {
  const std::string text = request.get_param_value(name);
  const char *begin = text.data(), *end = begin + text.size();
  const auto [at, error] = std::from_chars(begin, end, value);
  return error == std::errc() && at == end && begin != end;
}

// A foreign page whose host name resolves to this computer must not read what we send. The port is not checked: it may
// be another one at the other end of a tunnel, and browsers omit port 80.
bool is_for_us(const httplib::Request& request) {
  const auto [first, last] = request.headers.equal_range("Host");
  if (first == last) return false;
  // Every line: of several, a proxy in between and we might each believe another one.
  return std::all_of(first, last, [](const auto& line) {
    const std::string& host = line.second;
    const size_t name = host.rfind('[', 0) == 0 ? host.find(']') + 1 : std::min(host.find(':'), host.size());
    for (const char* ours : {"127.0.0.1", "localhost", "[::1]"})
      if (name == strlen(ours) && strncasecmp(host.c_str(), ours, name) == 0)
        return host.find_first_not_of("0123456789", name + 1) == host.npos &&
               (name == host.size() || host[name] == ':');
    return false;
  });
}

void refuse(httplib::Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(why + "\n", "text/plain; charset=utf-8");
}

// Sent as it is: the library would compress text by brotli at its slowest, 15 s for a page of 9 MB, whose data is
// compressed already.
void send(std::shared_ptr<const std::string> text, httplib::Response& response) {
  const size_t size = text->size();
  response.set_content_provider(size, "text/html; charset=utf-8",
                                [text = std::move(text)](size_t from, size_t bytes, httplib::DataSink& sink) {
                                  return sink.write(text->data() + from, bytes);
                                });
}

std::string source_page(const profile::Profile& profile, const profile::Source& s,
                        const report::SourceOptions& options) {
  const report::Excerpt file = report::whole_source(profile, s, options);
  std::string out = fmt::format(
      "<!doctype html><meta charset=utf-8><meta name=color-scheme content=\"light dark\"><title>{0}</title>"
      "<style>body{{font:13px/1.5 ui-monospace,monospace;margin:0}}h1{{font:600 14px system-ui;margin:12px}}"
      "pre{{margin:0}}pre div:target,pre .cited{{background:#f6c34455}}pre a{{display:inline-block;width:5em;text-align:right;"
      "padding-right:1em;color:#888;text-decoration:none}}p{{font:14px system-ui;margin:12px}}</style><h1>{0}</h1>",
      machine::markup(s.file));
  if (!file.note.empty()) out += fmt::format("<p>{}</p>", machine::markup(file.note));
  out += "<pre>";
  for (size_t i = 0; i < file.lines.size(); ++i) {
    const size_t line = file.first_line + i;
    out += fmt::format("<div id=L{0}{1}><a href=#L{0}>{0}</a>{2}</div>", line, line == s.line ? " class=cited" : "",
                       machine::markup(file.lines[i]));
  }
  return out + "</pre>";
}

}  // namespace

struct ViewServer::State {
  const profile::Profile* profile = nullptr;  // null: there is only one page
  uint32_t max_grains = 0;
  report::SourceOptions source;
  std::shared_ptr<const std::string> only_page;
  const std::string token = new_token();
  int port = 0;
  BoundedServer server{[this](const httplib::Request& request) {
    return is_for_us(request) && request.path.rfind("/" + token + "/", 0) == 0;
  }};

  struct Page {
    uint32_t first, count;
    std::string text;
    report::PageNodes nodes;
  };
  std::mutex lock;  // guards the list, and is held while a page is made: one at a time, as each takes memory
  std::list<std::shared_ptr<const Page>> pages;
  std::optional<profile::Metrics> metrics;   // for all pages, with the first
  nlohmann::json common;                     // likewise
  std::optional<report::Subtrees> subtrees;  // with the first part

  std::shared_ptr<const Page> page(uint32_t first, uint32_t count, std::string& error) {
    if (count == 0) first = 0;  // the whole graph, of which there is one page
    std::lock_guard guard(lock);
    for (auto it = pages.begin(); it != pages.end(); ++it) {
      if ((*it)->first != first || (*it)->count != count) continue;
      pages.splice(pages.begin(), pages, it);
      return pages.front();
    }
    report::HtmlOptions options;
    options.source = source;
    options.max_grains = max_grains;
    options.served = true;
    if (!metrics) {
      // Both or neither: each may run out of memory.
      profile::Metrics of_all = report::page_metrics(*profile);
      common = report::page_common(*profile, of_all, source);
      metrics = std::move(of_all);
    }
    options.metrics = &*metrics;
    options.common = &common;
    options.first = first;
    options.count = count;
    report::PagePart part;
    auto made = std::make_shared<Page>(Page{first, count, {}, {}});
    if (!report::make_part(*profile, options, part, error) || !report::fill_page(part, "", made->text, error))
      return nullptr;
    made->nodes = std::move(part.nodes);
    pages.push_front(made);
    // The whole graph's page is the most expensive, and the one to which everybody returns.
    for (auto it = pages.end(); pages.size() > kPagesKept + 1 && it != pages.begin();)
      if ((*--it)->count != 0) it = pages.erase(it);
    return made;
  }

  void send_page(uint32_t first, uint32_t count, httplib::Response& response) {
    std::string error;
    if (auto made = page(first, count, error)) send({made, &made->text}, response);
    else refuse(response, 404, error);
  }

  // The address of the part around a node. Built from a range of nodes, so that another node in it leads to the same
  // page.
  void send_where(uint32_t node, httplib::Response& response) {
    if (node >= profile->graph.nodes.size())
      return refuse(
          response, 404,
          fmt::format("the grain graph has {} nodes: there is no node {}", profile->graph.nodes.size(), node));
    report::Stretch part;
    {
      std::lock_guard guard(lock);
      if (!subtrees) subtrees.emplace(*profile);
      part = subtrees->around(node, max_grains);
    }
    response.set_content(fmt::format("part?first={}&count={}&at={}", part.first, part.count, node), "text/plain");
  }

  // The nodes of a page that hold the grains searched for, drawn or not. An address has room for only about a thousand
  // sources: the page posts them.
  void send_found(const httplib::Request& request, httplib::Response& response) {
    report::Wanted wanted;
    uint32_t first, count, remote = 0;
    wanted.id = request.get_param_value("id");
    if (!number_of(request, "first", first) || !number_of(request, "count", count) ||
        !number_of(request, "kinds", wanted.kinds) || !number_of(request, "depth", wanted.least_depth) ||
        !number_of(request, "remote", remote) || !is_name(wanted.id))
      return refuse(
          response, 400,
          "a search in a part of the graph is find?first=NODE&count=NODES&kinds=BITS&depth=N&remote=0&id=DIGITS&sources=N,N");
    wanted.remote = remote != 0;
    wanted.sources.assign(profile->sources.size(), 0);
    if (!marked(request.method == "POST" ? request.body : request.get_param_value("sources"), wanted.sources))
      return refuse(response, 400, "the recording has no such sources");
    std::string error;
    const auto in = page(first, count, error);
    if (!in) return refuse(response, 404, error);
    const report::FoundInside found = report::find_inside(*profile, *metrics, wanted, in->nodes);
    nlohmann::json out = {
        {"all", found.all},
        {"here", found.here},
        {"nodes", report::base64({reinterpret_cast<const char*>(found.nodes.data()), found.nodes.size()})}};
    if (found.hidden != profile::kNone) out["hidden"] = found.hidden;
    response.set_content(out.dump(), "application/octet-stream");  // JSON, which the library would compress, too
  }

  void route() {
    const std::string base = "/" + token;
    // Before a body is read: requests answered here have none.
    server.set_pre_routing_handler([base](const httplib::Request& request, httplib::Response& response) {
      if (!is_for_us(request)) refuse(response, 403, "einkorn view answers to 127.0.0.1 and localhost only");
      else if (request.path.rfind(base + "/", 0) != 0)
        refuse(response, 404, "There is nothing here. `einkorn view` prints the address of its page.");
      else return httplib::Server::HandlerResponse::Unhandled;
      return httplib::Server::HandlerResponse::Handled;
    });
    server.set_default_headers(
        {{"X-Content-Type-Options", "nosniff"}, {"Referrer-Policy", "no-referrer"}, {"Cache-Control", "no-store"}});
    server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty())
        response.set_content("There is nothing here. `einkorn view` prints the address of its page.\n", "text/plain");
    });
    server.set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr thrown) {
      std::string why = "this request cannot be answered";
      try {
        std::rethrow_exception(thrown);
      } catch (const std::bad_alloc&) {
        why = "out of memory: open a smaller part, or start einkorn view with a smaller --max-grains";
      } catch (const std::exception& e) {
        why += std::string(": ") + e.what();
      } catch (...) {}
      refuse(response, 500, why);
    });
    if (!profile) {
      server.Get(base + "/",
                 [this](const httplib::Request&, httplib::Response& response) { send(only_page, response); });
      return;
    }
    server.Get(base + "/", [this](const httplib::Request&, httplib::Response& response) { send_page(0, 0, response); });
    const auto find = [this](const httplib::Request& request, httplib::Response& response) {
      send_found(request, response);
    };
    server.Get(base + "/find", find);
    server.Post(base + "/find", find);
    server.Get(base + "/where", [this](const httplib::Request& request, httplib::Response& response) {
      uint32_t node;
      if (!number_of(request, "node", node))
        return refuse(response, 400, "the part around a node is asked for with where?node=NODE");
      send_where(node, response);
    });
    server.Get(base + "/part", [this](const httplib::Request& request, httplib::Response& response) {
      uint32_t first, count;
      if (!number_of(request, "first", first) || !number_of(request, "count", count) || count == 0)
        return refuse(response, 400, "a part of the graph is asked for with part?first=NODE&count=NODES");
      send_page(first, count, response);
    });
    server.Get(base + "/source", [this](const httplib::Request& request, httplib::Response& response) {
      uint32_t index;
      if (source.none) return refuse(response, 403, "einkorn view was started with --no-source");
      if (!number_of(request, "index", index) || index >= profile->sources.size())
        return refuse(response, 404, "the recording has no such source");
      send(std::make_shared<const std::string>(source_page(*profile, profile->sources[index], source)), response);
    });
  }
};

ViewServer::ViewServer(const profile::Profile& profile, uint32_t max_grains, report::SourceOptions source)
    : state_(std::make_unique<State>()) {
  state_->profile = &profile;
  state_->max_grains = max_grains;
  state_->source = std::move(source);
}
ViewServer::ViewServer(std::string page) : state_(std::make_unique<State>()) {
  state_->only_page = std::make_shared<std::string>(std::move(page));
}
ViewServer::~ViewServer() = default;

bool ViewServer::prepare(std::set<std::string>& refused, std::string& error) {
  if (!state_->profile) return true;
  state_->source.refused = &refused;
  const bool made = state_->page(0, 0, error) != nullptr;
  state_->source.refused = nullptr;  // from here on there are threads
  return made;
}

bool ViewServer::bind(int port, std::string& error) {
  state_->route();
  // Not shared with another server that asks for the same port; sharing is the library's default.
  state_->server.set_socket_options([](socket_t socket) {
    int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  if (port == 0) state_->port = state_->server.bind_to_any_port("127.0.0.1");
  else if (state_->server.bind_to_port("127.0.0.1", port)) state_->port = port;
  if (state_->port > 0) return true;
  error =
      port == 0
          ? "no port of 127.0.0.1 can be opened"
          : fmt::format(
                "port {} of 127.0.0.1 cannot be opened: another program may be using it. Choose another with --port",
                port);
  return false;
}

int ViewServer::port() const { return state_->port; }
std::string ViewServer::address() const { return fmt::format("http://127.0.0.1:{}/{}/", state_->port, state_->token); }
void ViewServer::serve() { state_->server.listen_after_bind(); }
void ViewServer::stop() { state_->server.end(); }

}  // namespace einkorn::cli
