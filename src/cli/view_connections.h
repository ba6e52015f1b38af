// Connections to `einkorn view`, and what they may take: anybody on this computer can reach the port.
//
// One request a connection. Until its address has shown that it knows the token it may be as long as a browser's line and headers are,
// and has to be there within some seconds. There are so many connections at a time; when one more comes, the one goes that has been
// sending its request for longest: who has something to ask has asked it in a millisecond, so slow ones keep nobody out.
#pragma once
#include <httplib.h>

#include <functional>
#include <list>
#include <mutex>

namespace einkorn::cli {

class BoundedServer : public httplib::Server {
 public:
  // `knows`: by its line and headers, is it from somebody who may ask?
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
  size_t waiting_ = 0;                // accepted and not answered yet, these included
  bool ends_ = false;
};

}  // namespace einkorn::cli
