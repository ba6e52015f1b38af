// Connections to `einkorn view`, and their limits: anybody on this computer can reach the port.
//
// One request per connection. Until its address has shown that it knows the token, it may be only as long as a
// browser's line and headers are, and must arrive within some seconds. The number of connections is limited; when one
// more comes, the one that has been sending its request for longest is closed. A real client sends its request within a
// millisecond, so slow ones keep nobody out.
#pragma once
#include <httplib.h>

#include <functional>
#include <list>
#include <mutex>

namespace einkorn::cli {

class BoundedServer : public httplib::Server {
 public:
  // `knows`: judging by its line and headers, does the request come from somebody who may ask?
  explicit BoundedServer(std::function<bool(const httplib::Request&)> knows);
  // Like stop(), which would wait for those that are still being received.
  void end();

 private:
  class Connection;
  struct Pool;

  bool process_and_close_socket(socket_t socket) override;
  void make_room();

  const std::function<bool(const httplib::Request&)> knows_;
  std::mutex lock_;
  std::list<Connection*> receiving_;  // the oldest first
  size_t waiting_ = 0;                // accepted and not answered yet, including these
  bool ends_ = false;
};

}  // namespace einkorn::cli
