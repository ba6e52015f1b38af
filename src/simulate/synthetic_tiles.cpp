#include <fmt/format.h>

#include "simulate/builder.h"
#include "schedule/random.h"
#include "simulate/synthetic.h"

namespace einkorn::simulate {

namespace {

// Tasks that one member makes, with dependences by what they read and write, as OpenMP's depend says it.
class Depends {
 public:
  Depends(Builder& b, uint32_t maker) : b_(b), maker_(maker) {}

  uint32_t object() {
    objects_.emplace_back();
    return uint32_t(objects_.size() - 1);
  }

  // Its accesses come from memory in the order given.
  void make(double ns, std::initializer_list<uint32_t> reads, std::initializer_list<uint32_t> writes,
            const std::vector<Access>& accesses) {
    const uint32_t t = b_.fork(maker_);
    for (const uint32_t o : reads) {
      Object& r = objects_[o];
      if (r.writer != kNone) b_.depend(r.writer, t);
      r.readers.push_back(t);
    }
    for (const uint32_t o : writes) {
      Object& w = objects_[o];
      if (w.writer != kNone && w.readers.empty()) b_.depend(w.writer, t);  // else the readers come after it
      for (const uint32_t r : w.readers)
        if (r != t) b_.depend(r, t);
      w.readers.clear();
      w.writer = t;
    }
    b_.compute(t, ns, accesses);
  }

  void wait() { b_.wait(maker_); }

 private:
  struct Object {
    uint32_t writer = kNone;
    std::vector<uint32_t> readers;
  };
  Builder& b_;
  const uint32_t maker_;
  std::vector<Object> objects_;
};

// A square of tiles, each a datum and something to depend on; a task for each has written it.
struct Tiles {
  uint32_t side;
  uint64_t bytes;
  std::vector<uint32_t> data, object;

  template <class Has>
  Tiles(Builder& b, Depends& d, uint32_t t, uint32_t block, Has&& has)
      : side(t), bytes(uint64_t(block) * block * sizeof(double)) {
    data.assign(size_t(t) * t, kNone);
    object.assign(size_t(t) * t, kNone);
    for (uint32_t i = 0; i < t; ++i)
      for (uint32_t j = 0; j < t; ++j) {
        if (!has(i, j)) continue;
        data[at(i, j)] = b.data(bytes);
        object[at(i, j)] = d.object();
      }
  }
  size_t at(uint32_t i, uint32_t j) const { return size_t(i) * side + j; }
  Access read(uint32_t i, uint32_t j) const { return {data[at(i, j)], bytes, false}; }
  Access write(uint32_t i, uint32_t j) const { return {data[at(i, j)], bytes, true}; }
  uint32_t operator()(uint32_t i, uint32_t j) const { return object[at(i, j)]; }
};

bool all(uint32_t, uint32_t) { return true; }

}  // namespace

Program cholesky(uint32_t members, uint32_t tiles, uint32_t block, double gflops) {
  Builder b(fmt::format("cholesky {} {}", tiles, block));
  Depends d(b, b.region(Builder::kInitial, members));
  const double cube = double(block) * block * block / gflops;  // ns of block^3 operations
  const Tiles a(b, d, tiles, block, [](uint32_t i, uint32_t j) { return j <= i; });
  for (uint32_t i = 0; i < tiles; ++i)
    for (uint32_t j = 0; j <= i; ++j) d.make(0, {}, {a(i, j)}, {a.write(i, j)});
  d.wait();
  for (uint32_t k = 0; k < tiles; ++k) {
    d.make(cube, {}, {a(k, k)}, {a.write(k, k)});  // potrf: a third of the operations, at a third of the speed
    for (uint32_t i = k + 1; i < tiles; ++i) d.make(cube, {a(k, k)}, {a(i, k)}, {a.read(k, k), a.write(i, k)});  // trsm
    for (uint32_t i = k + 1; i < tiles; ++i) {
      for (uint32_t j = k + 1; j < i; ++j)
        d.make(2 * cube, {a(i, k), a(j, k)}, {a(i, j)}, {a.read(i, k), a.read(j, k), a.write(i, j)});  // gemm
      d.make(cube, {a(i, k)}, {a(i, i)}, {a.read(i, k), a.write(i, i)});                               // syrk
    }
  }
  return b.finish();
}

Program qr(uint32_t members, uint32_t tiles, uint32_t block, double gflops) {
  Builder b(fmt::format("qr {} {}", tiles, block));
  Depends d(b, b.region(Builder::kInitial, members));
  const double cube = double(block) * block * block / gflops;
  const Tiles a(b, d, tiles, block, all);
  for (uint32_t i = 0; i < tiles; ++i)
    for (uint32_t j = 0; j < tiles; ++j) d.make(0, {}, {a(i, j)}, {a.write(i, j)});
  d.wait();
  for (uint32_t k = 0; k < tiles; ++k) {
    // The reflections of (k, k) have an object of their own: the next tsqrt changes the triangle above them, and need
    // not wait.
    const uint32_t reflections = d.object();
    d.make(4.0 / 3 * cube, {}, {a(k, k), reflections}, {a.write(k, k)});  // geqrt
    for (uint32_t j = k + 1; j < tiles; ++j)
      d.make(2 * cube, {reflections}, {a(k, j)}, {a.read(k, k), a.write(k, j)});  // unmqr
    for (uint32_t i = k + 1; i < tiles; ++i) {
      d.make(2 * cube, {}, {a(k, k), a(i, k)}, {a.write(k, k), a.write(i, k)});  // tsqrt
      for (uint32_t j = k + 1; j < tiles; ++j)
        d.make(4 * cube, {a(i, k)}, {a(k, j), a(i, j)}, {a.read(i, k), a.write(k, j), a.write(i, j)});  // tsmqr
    }
  }
  return b.finish();
}

namespace {

// What updating tile (i, j) of `to` from `from` touches: in that order.
std::vector<Access> touches(const Tiles& from, const Tiles& to, uint32_t i, uint32_t j, uint32_t block) {
  std::vector<Access> out{from.read(i, j)};
  auto edge = [&](uint32_t r, uint32_t c) {
    if (r < from.side && c < from.side) out.push_back({from.data[from.at(r, c)], block * sizeof(double), false});
  };
  edge(i - 1, j), edge(i, j - 1), edge(i, j + 1), edge(i + 1, j);  // -1 wraps round: past the end, too
  out.push_back(to.write(i, j));
  return out;
}

// What an update takes: one after the other, by tiles and steps.
class Jitter {
 public:
  Jitter(double ns, double by) : ns_(ns), by_(by) {}
  double next() {
    if (by_ == 0) return ns_;
    return ns_ * (1 + by_ * (2 * double(schedule::next_random(random_)) / 0x1p32 - 1));
  }

 private:
  const double ns_, by_;
  schedule::RandomState random_;
};

Program stencil_loops(uint32_t members, uint32_t tiles, uint32_t block, uint32_t steps, double ns_per_cell,
                      double jitter) {
  Builder b(fmt::format("stencil-loop {} {}", tiles, block));
  const uint32_t first = b.region(Builder::kInitial, members);
  Depends none(b, first);
  const Tiles arrays[] = {{b, none, tiles, block, all}, {b, none, tiles, block, all}};
  Jitter ns(double(block) * block * ns_per_cell, jitter);
  for (uint32_t s = 0; s <= steps; ++s) {
    const uint32_t loop = b.loop(LoopSchedule::fixed);
    const Tiles &from = arrays[(s + 1) % 2], &to = arrays[s % 2];
    for (uint32_t i = 0; i < tiles; ++i)
      for (uint32_t j = 0; j < tiles; ++j) {
        if (s == 0) b.chunk(0, {from.write(i, j), to.write(i, j)});
        else b.chunk(ns.next(), touches(from, to, i, j, block));
      }
    for (uint32_t m = first; m < first + members; ++m) {
      b.run_loop(m, loop);
      if (s < steps) b.barrier(m);
    }
  }
  return b.finish();
}

}  // namespace

Program stencil(uint32_t members, uint32_t tiles, uint32_t block, uint32_t steps, double ns_per_cell, Stencil how,
                double jitter) {
  if (how == Stencil::loops) return stencil_loops(members, tiles, block, steps, ns_per_cell, jitter);
  Builder b(fmt::format("stencil {} {}", tiles, block));
  Depends d(b, b.region(Builder::kInitial, members));
  const Tiles arrays[] = {{b, d, tiles, block, all}, {b, d, tiles, block, all}};
  Jitter ns(double(block) * block * ns_per_cell, jitter);
  for (uint32_t i = 0; i < tiles; ++i)
    for (uint32_t j = 0; j < tiles; ++j)
      d.make(0, {}, {arrays[0](i, j), arrays[1](i, j)}, {arrays[0].write(i, j), arrays[1].write(i, j)});
  d.wait();
  for (uint32_t s = 0; s < steps; ++s) {
    const Tiles &from = arrays[s % 2], &to = arrays[(s + 1) % 2];
    // At the rim a neighbour that is not there is the tile itself.
    auto near = [&](uint32_t i, uint32_t j, int di, int dj) {
      const uint32_t r = i + uint32_t(di), c = j + uint32_t(dj);
      return r < tiles && c < tiles ? from(r, c) : from(i, j);
    };
    for (uint32_t i = 0; i < tiles; ++i)
      for (uint32_t j = 0; j < tiles; ++j)
        d.make(ns.next(), {from(i, j), near(i, j, -1, 0), near(i, j, 0, -1), near(i, j, 0, 1), near(i, j, 1, 0)},
               {to(i, j)}, touches(from, to, i, j, block));
  }
  return b.finish();
}

}  // namespace einkorn::simulate
