#include "cli/view_connections.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

namespace einkorn::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kConnections = 32;
constexpr size_t kMostOfStrangers =
    64u << 10;  // bytes of a request: browsers send 1 to 2 KiB, cookies of other servers on this host 16
constexpr size_t kMostOfKnown = 8u << 20;  // a search posts the numbers of its sources, of which there may be a million
constexpr auto kReceive = std::chrono::seconds(10);  // all of a request
constexpr auto kSend =
    std::chrono::seconds(60);  // any part of an answer: the reader may be at the other end of a slow tunnel
constexpr auto kLinger = std::chrono::milliseconds(300);

// Can it be read or written until then?
bool ready(int fd, short what, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd p{fd, what, 0};
    const int n = poll(&p, 1, int(std::max<long>(0, left)));
    if (n >= 0 || errno != EINTR) return n > 0;
  }
}

void name_of(int fd, int (*which)(int, sockaddr*, socklen_t*), std::string& ip, int& port) {
  sockaddr_in address{};
  socklen_t bytes = sizeof address;
  char text[INET_ADDRSTRLEN] = "";
  if (which(fd, reinterpret_cast<sockaddr*>(&address), &bytes) != 0 || address.sin_family != AF_INET) return;
  ip = inet_ntop(AF_INET, &address.sin_addr, text, sizeof text) ? text : "";
  port = ntohs(address.sin_port);
}

}  // namespace

class BoundedServer::Connection final : public httplib::Stream {
 public:
  explicit Connection(socket_t fd) : fd_(fd), until_(Clock::now() + kReceive) {}

  void is_known() { left_ += kMostOfKnown - kMostOfStrangers; }
  void cut_off() const { ::shutdown(fd_, SHUT_RD); }  // a reader gets end-of-file

  // If input is unread when a socket is closed, the other side loses the answer: gives it a moment to read that.
  void finish() {
    ::shutdown(fd_, SHUT_WR);
    const auto until = Clock::now() + kLinger;
    for (size_t bytes = 0; bytes < (1u << 20) && ready(fd_, POLLIN, until);) {
      const ssize_t n = recv(fd_, buffer_, sizeof buffer_, 0);
      if (n <= 0) break;
      bytes += size_t(n);
    }
    ::close(fd_);
  }

  bool is_readable() const override { return at_ < end_ || ready(fd_, POLLIN, until_); }
  bool is_writable() const override { return ready(fd_, POLLOUT, Clock::now() + kSend); }
  ssize_t read(char* out, size_t size) override {
    if (at_ == end_) {
      const size_t most = std::min(sizeof buffer_, left_);
      if (most == 0 || !ready(fd_, POLLIN, until_)) return -1;
      const ssize_t n = recv(fd_, buffer_, most, 0);
      if (n <= 0) return n;
      left_ -= size_t(n);
      at_ = 0;
      end_ = size_t(n);
    }
    const size_t n = std::min(size, end_ - at_);
    memcpy(out, buffer_ + at_, n);
    at_ += n;
    return ssize_t(n);
  }
  ssize_t write(const char* data, size_t size) override {
    return is_writable() ? send(fd_, data, size, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { name_of(fd_, getpeername, ip, port); }
  void get_local_ip_and_port(std::string& ip, int& port) const override { name_of(fd_, getsockname, ip, port); }
  socket_t socket() const override { return fd_; }

 private:
  const socket_t fd_;
  const Clock::time_point until_;  // by then its request must be here
  size_t left_ = kMostOfStrangers;
  size_t at_ = 0, end_ = 0;  // in the buffer
  char buffer_[4096];
};

// The library's own threads, before which room is made: its own function waits for a free one however long that takes.
struct BoundedServer::Pool final : httplib::TaskQueue {
  using Enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));  // void, in later libraries bool
  explicit Pool(BoundedServer& server) : server_(server), threads_(kConnections) {}
  Enqueued enqueue(std::function<void()> answer) override {
    server_.make_room();
    return threads_.enqueue(std::move(answer));
  }
  void shutdown() override { threads_.shutdown(); }
  BoundedServer& server_;
  httplib::ThreadPool threads_;
};

BoundedServer::BoundedServer(std::function<bool(const httplib::Request&)> knows) : knows_(std::move(knows)) {
  new_task_queue = [this] { return new Pool(*this); };  // the library deletes it
  set_payload_max_length(kMostOfKnown);
}

void BoundedServer::make_room() {
  std::lock_guard guard(lock_);
  if (++waiting_ <= kConnections || receiving_.empty()) return;
  receiving_.front()->cut_off();
  receiving_.pop_front();
}

bool BoundedServer::process_and_close_socket(socket_t socket) {
  Connection connection(socket);
  {
    std::lock_guard guard(lock_);
    receiving_.push_back(&connection);
    if (ends_) connection.cut_off();
  }
  const auto received = [&] {
    std::lock_guard guard(lock_);
    receiving_.remove(&connection);
  };
  bool closed = false;
  const std::function<void(httplib::Request&)> begun = [&](httplib::Request& request) {
    if (!knows_(request)) return;
    connection.is_known();
    received();  // is no longer cut off in favour of others
  };
  // Debian 12's library asks the connection who is at its ends, later ones (0.18) are told.
  const auto answer = [&](auto& server) {
    if constexpr (requires { server.process_request(connection, true, closed, begun); })
      return server.process_request(connection, true, closed, begun);
    else {
      std::string remote, local;
      int remote_port = 0, local_port = 0;
      connection.get_remote_ip_and_port(remote, remote_port);
      connection.get_local_ip_and_port(local, local_port);
      return server.process_request(connection, remote, remote_port, local, local_port, true, closed, begun);
    }
  };
  const bool answered = answer(*this);
  received();
  connection.finish();
  std::lock_guard guard(lock_);
  --waiting_;
  return answered;
}

void BoundedServer::end() {
  {
    std::lock_guard guard(lock_);
    ends_ = true;
    for (Connection* c : receiving_) c->cut_off();
  }
  stop();
}

}  // namespace einkorn::cli
