// What `einkorn view` answers: the page, the parts of a large graph as pages of their own, the positions of grains that
// are searched for, and the source files that the recording names. Or one page of two recordings. On the loopback
// interface only, and only if the address has the token: other users of the computer can reach the port, but not the
// recording.
#pragma once
#include <memory>
#include <set>
#include <string>
#include "profile/types.h"
#include "report/page/source_files.h"

namespace einkorn::cli {

class ViewServer {
 public:
  // port 0: any free one. max_grains: beyond this number grains are drawn as aggregates, which can be opened. The
  // profile must outlive the server.
  ViewServer(const profile::Profile& profile, uint32_t max_grains, report::SourceOptions source);
  explicit ViewServer(std::string page);
  ~ViewServer();

  // Makes the page of the whole graph, which takes longest, before anyone asks for it. refused: out, source files that
  // were not read.
  bool prepare(std::set<std::string>& refused, std::string& error);
  // False: `error` says why the port cannot be opened.
  bool bind(int port, std::string& error);
  int port() const;
  std::string address() const;  // http://127.0.0.1:PORT/TOKEN/
  void serve();                 // until stop()
  void stop();                  // from any thread

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace einkorn::cli
