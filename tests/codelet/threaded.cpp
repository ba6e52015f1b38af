// Threaded procedures as the research runtime writes them (einkorn/codelet.hpp), and codelets by hand (ek_codelet).
// Usage: threaded, or threaded KIND to do something wrong: it ends with a message.
#include <omp.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <einkorn/codelet.hpp>

#define CHECK(what) \
  do { if (!(what)) { printf("line %d: %s does not hold\n", __LINE__, #what); exit(1); } } while (0)

namespace {

using einkorn::Codelet;
using einkorn::ThreadedProcedure;

std::atomic<int> living{0};

class Fib : public ThreadedProcedure {
 public:
  Fib(int n, int* result, Codelet* done) : result_(result), done_(done), sum_(this) {
    ++living;
    if (n < 2) {
      *result = n;
      sum_.cancel();
      if (done) done->decDep();
      return;
    }
    einkorn::invoke<Fib>(n - 1, &x_, static_cast<Codelet*>(&sum_));
    einkorn::invoke<Fib>(n - 2, &y_, static_cast<Codelet*>(&sum_));
  }
  ~Fib() override { --living; }

 private:
  struct Sum : Codelet {
    explicit Sum(Fib* f) : Codelet(2, 2, f, 7) {}
    void fire() override {
      auto* f = static_cast<Fib*>(myTP);
      CHECK(getID() == 7);
      *f->result_ = f->x_ + f->y_;
      if (f->done_) f->done_->decDep();
    }
  };
  int* result_;
  Codelet* done_;
  int x_ = -1, y_ = -1;
  Sum sum_;
};

// Steps of two neighbours each: a cell's codelet fires when its own and both neighbours' last steps are over. No barrier.
constexpr int kCells = 24, kSteps = 60;
class Ring : public ThreadedProcedure {
 public:
  explicit Ring(std::vector<long>* out) : out_(out) {
    ++living;
    for (int parity = 0; parity < 2; ++parity)
      for (int i = 0; i < kCells; ++i) cells_[parity].push_back(new Cell(this, uint32_t(i), parity));
    for (int i = 0; i < kCells; ++i) value_[0][i] = i;
    for (auto* c : cells_[0]) add(*c);
  }
  ~Ring() override {
    for (auto& all : cells_)
      for (auto* c : all) delete c;
    --living;
  }

 private:
  struct Cell : Codelet {
    Cell(Ring* r, uint32_t i, int p) : Codelet(3, 3, r, i), parity(p) {}
    // Of even steps and odd ones there is a codelet each: a neighbour may be one step ahead, and not two.
    void fire() override {
      auto* r = static_cast<Ring*>(myTP);
      const int i = int(getID()), left = (i + kCells - 1) % kCells, right = (i + 1) % kCells;
      const long* from = r->value_[parity];
      r->value_[1 - parity][i] = (from[left] + 2 * from[i] + 3 * from[right]) % 1000003;
      if (step + 2 < kSteps) resetCodelet();
      const bool last = step + 1 == kSteps;
      if (last) (*r->out_)[size_t(i)] = r->value_[1 - parity][i];
      step += 2;
      if (!last)
        for (int to : {left, i, right}) r->cells_[1 - parity][size_t(to)]->decDep();
    }
    const int parity;
    int step = parity;
  };
  std::vector<long>* out_;
  std::vector<Cell*> cells_[2];
  long value_[2][kCells];
};

std::vector<long> ring_of_one() {
  std::vector<long> now(kCells), next(kCells);
  for (int i = 0; i < kCells; ++i) now[size_t(i)] = i;
  for (int step = 0; step < kSteps; ++step, now.swap(next))
    for (int i = 0; i < kCells; ++i)
      next[size_t(i)] = (now[size_t((i + kCells - 1) % kCells)] + 2 * now[size_t(i)] + 3 * now[size_t((i + 1) % kCells)]) % 1000003;
  return now;
}

// Many signals from many tasks: fired once for each reset.
std::atomic<int> fired{0};
void count_and_reset(ek_codelet* c) {
  if (++fired < 5) ek_reset(c);
}
void by_hand() {
  for (int repeat = 0; repeat < 50; ++repeat) {
    static ek_codelet c;
    fired = 0;
    ek_codelet_init(&c, count_and_reset, nullptr, 40, 40, 3);
    #pragma omp parallel num_threads(4)
    for (int round = 0; round < 5; ++round) {
      for (int i = 0; i < 10; ++i) ek_dec(&c);
      #pragma omp barrier
      CHECK(fired == round + 1);
      #pragma omp barrier
    }
    CHECK(fired == 5);
  }
}

void nothing(ek_codelet*) {}
void wrong(const char* kind) {
  static ek_codelet c;
  ek_codelet_init(&c, nothing, nullptr, 1, 1, 12);
  if (!strcmp(kind, "twice")) {
    #pragma omp parallel num_threads(1)
    for (int i = 0; i < 2; ++i) ek_dec(&c);
  }
  puts("nothing was wrong");
}

}  // namespace

int main(int argc, char** argv) {
  if (!ek_on()) {
    int result = 7;
    CHECK(!einkorn::launch<Fib>(5, &result, static_cast<Codelet*>(nullptr)) && result == 7);
    puts("another runtime");
    return 0;
  }
  if (argc > 1 && argv[1][0] > '9') return wrong(argv[1]), 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    int result = -1;
    CHECK(einkorn::launch<Fib>(15, &result, static_cast<Codelet*>(nullptr)) && result == 610 && living == 0);
    std::vector<long> out(kCells);
    CHECK(einkorn::launch<Ring>(&out) && out == ring_of_one() && living == 0);
  }
  by_hand();
  puts("ok");
}
