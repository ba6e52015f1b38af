// Instances of a region that wait for those beside them (EK_NEAR) in the grain graph: what follows such a wait comes
// behind the steps of others, as far as they had done these by then: where one has said so early, what it did after
// that is not waited for.
#pragma once
#include <compare>
#include <cstdint>
#include <vector>
#include "profile/raw.h"

namespace einkorn::profile {

class BesideEdges {
 public:
  struct Member {
    uint32_t region, number;
    auto operator<=>(const Member&) const = default;
  };

  // It has come to that step of its own; `node`: its latest.
  void post(Member who, uint32_t number, uint32_t node) { posts_.push_back({who, number, false, node}); }
  // It goes on behind others' steps, having come to its own of that number, if not before, with its latest node.
  void wait(Member who, const RawBeside& b, uint32_t node);
  // The node with which the latest that waited goes on.
  void goes_on(uint32_t node);
  // It has come to a barrier, or to its end: the join behind that follows all that was waited for.
  void stop() { open_ = waits_.size(); }
  // All of it has been walked. known: to its end.
  void end(Member who, uint32_t node, bool known) { ends_.push_back({who, node, known}); }

  void add_to(std::vector<Edge>& edges);

 private:
  struct Post {
    Member who;
    uint32_t number;
    bool late;  // it is where it came to its wait
    uint32_t node;
    auto operator<=>(const Post&) const = default;
  };
  struct Wait {
    Member whom;
    uint32_t number, node = kNone;
  };
  struct End {
    Member who;
    uint32_t node;
    bool known;
    auto operator<=>(const End&) const = default;
  };
  uint32_t node_of(Member who, uint32_t number) const;

  std::vector<Post> posts_;
  std::vector<Wait> waits_;
  std::vector<End> ends_;
  size_t open_ = 0;  // of waits_, the first whose node is to come
};

}  // namespace einkorn::profile
