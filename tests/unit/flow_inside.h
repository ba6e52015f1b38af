// The way into the structures of src/flow for tests that break them, to see that is_valid() says so.
#pragma once
#include "flow/deque.h"
#include "flow/place_queue.h"

namespace einkorn::flow {

struct Inside {
  template <class Queue>
  static auto& top(Queue& q) {
    return q.top_;
  }
  template <class Queue>
  static auto& split(Queue& q) {
    return q.split_;
  }
  template <class Queue>
  static auto& bottom(Queue& q) {
    return q.bottom_;
  }
  template <class Queue>
  static int64_t& seen_top(Queue& q) {
    return q.seen_top_;
  }
  template <class Queue>
  static int64_t& mask(Queue& q) {
    return q.mask_;
  }
  template <class Queue>
  static int64_t& room(Queue& q) {
    return q.room_;
  }
  template <class T>
  static auto& length(PlaceQueue<T>& q) {
    return q.length_;
  }
  template <class T>
  static uint64_t& head(PlaceQueue<T>& q) {
    return q.head_;
  }
  template <class T>
  static uint64_t& capacity(PlaceQueue<T>& q) {
    return q.room_;
  }
};

}  // namespace einkorn::flow
