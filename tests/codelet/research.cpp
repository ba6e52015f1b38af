// Programs in the spelling of those that were published for the research runtime (einkorn/codelet.hpp): Runtime, run(),
// launch<>(), invoke<>() with the procedure that invokes, &Runtime::finalSignal. Here Fibonacci numbers, and a product of
// matrices of which each procedure divides its part into four until that is a tile.
// Usage: research, or research KIND to do something wrong: it ends with a message.
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <einkorn/codelet.hpp>

namespace darts = einkorn;
using namespace darts;

#define CHECK(what) \
  do { if (!(what)) { printf("line %d: %s does not hold\n", __LINE__, #what); exit(1); } } while (0)

namespace {

class Check : public Codelet {
 public:
  Check(uint32_t dep, uint32_t res, ThreadedProcedure *myTP, uint32_t stat) : Codelet(dep, res, myTP, stat) {}
  void fire() override;
};
class Adder : public Codelet {
 public:
  Adder(uint32_t dep, uint32_t res, ThreadedProcedure *myTP, uint32_t stat) : Codelet(dep, res, myTP, stat) {}
  void fire() override;
};

class Fib : public ThreadedProcedure {
 public:
  int num, x, y;
  int *result;
  Check check;
  Adder adder;
  Codelet *toSignal;
  Fib(int n, int *res, Codelet *toSig)
      : ThreadedProcedure(), num(n), x(0), y(0), result(res), check(0, 0, this, SHORTWAIT), adder(2, 2, this, LONGWAIT),
        toSignal(toSig) {
    add(&check);
  }
};

void Check::fire() {
  Fib *frame = static_cast<Fib *>(myTP_);
  if (frame->num < 2) {
    *frame->result = frame->num;
    frame->adder.cancel();
    frame->toSignal->decDep();
  } else {
    invoke<Fib>(frame, frame->num - 1, &frame->x, &frame->adder);
    invoke<Fib>(frame, frame->num - 2, &frame->y, &frame->adder);
  }
}
void Adder::fire() {
  Fib *frame = static_cast<Fib *>(myTP_);
  *frame->result = frame->x + frame->y;
  frame->toSignal->decDep();
}

struct Matrix {
  int size;
  std::vector<double> at;
  explicit Matrix(int n) : size(n), at(size_t(n) * size_t(n)) {}
  double &operator()(int i, int j) { return at[size_t(i) * size_t(size) + size_t(j)]; }
};
struct Part {
  int row, column, rows, columns;
};

// C = A B, of that part of C.
class Product : public TP {
 public:
  Product(Matrix *a, Matrix *b, Matrix *c, Part part, int cut, Codelet *toSig)
      : TP(), a_(a), b_(b), c_(c), part_(part), cut_(cut), toSignal_(toSig), start_(this), join_(this) {
    add(&start_);
  }

 private:
  struct Start : Codelet {
    explicit Start(TP *tp) : Codelet(0, 0, tp) {}
    void fire() override { static_cast<Product *>(myTP_)->start(); }
  };
  struct Join : Codelet {
    explicit Join(TP *tp) : Codelet(4, 4, tp) {}
    void fire() override { static_cast<Product *>(myTP_)->toSignal_->decDep(); }
  };
  void start() {
    if (part_.rows <= cut_ && part_.columns <= cut_) {
      for (int i = part_.row; i < part_.row + part_.rows; ++i)
        for (int j = part_.column; j < part_.column + part_.columns; ++j)
          for (int k = 0; k < a_->size; ++k) (*c_)(i, j) += (*a_)(i, k) * (*b_)(k, j);
      join_.cancel();
      return toSignal_->decDep();
    }
    const int upper = part_.rows / 2, left = part_.columns / 2;
    for (const Part &p : {Part{part_.row, part_.column, upper, left},
                          Part{part_.row, part_.column + left, upper, part_.columns - left},
                          Part{part_.row + upper, part_.column, part_.rows - upper, left},
                          Part{part_.row + upper, part_.column + left, part_.rows - upper, part_.columns - left}})
      invoke<Product>(this, a_, b_, c_, p, cut_, &join_);
  }
  Matrix *a_, *b_, *c_;
  Part part_;
  int cut_;
  Codelet *toSignal_;
  Start start_;
  Join join_;
};

}  // namespace

int main(int argc, char **argv) {
  if (!ek_on() && argc > 1 && argv[1][0] <= '9') {
    puts("another runtime");
    return 0;
  }
  ThreadAffinity affin(1, 2, SPREAD, TPROUNDROBIN, MCSTANDARD);
  CHECK(affin.generateMask());
  Runtime *rt = new Runtime(&affin);
  for (int repeat = 0; repeat < 20; ++repeat) {
    int result = -1;
    rt->run(launch<Fib>(15, &result, &Runtime::finalSignal));
    CHECK(result == 610);
    const int n = 40;
    Matrix a(n), b(n), c(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) a(i, j) = i + j, b(i, j) = i == j ? 2 : 0;
    rt->run(launch<Product>(&a, &b, &c, Part{0, 0, n, n}, 8, &Runtime::finalSignal));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) CHECK(c(i, j) == 2 * (i + j));
  }
  delete rt;
  puts("ok");
}
