// single copyprivate: what one thread reads is in every thread's own variables afterwards, arrays and pointers included.
#include "check.h"

static int kept;
#pragma omp threadprivate(kept)

struct Point {
  double x, y;
};

int main(void) {
#pragma omp parallel
  {
    for (int i = 0; i < 200; ++i) {
      int a = -1;
      double b = -1;
      struct Point p = {-1, -1};
      short array[3] = {0, 0, 0};
      const char *text = NULL;
#pragma omp single copyprivate(a, b, p, array, text, kept)
      {
        a = i;
        b = i / 4.0;
        p.x = i + 1;
        p.y = i + 2;
        for (int k = 0; k < 3; ++k) array[k] = (short)(i + k);
        text = "copied";
        kept = 5 * i;
      }
      CHECK_EQUAL(a, i);
      CHECK(b == i / 4.0);
      CHECK(p.x == i + 1 && p.y == i + 2);
      for (int k = 0; k < 3; ++k) CHECK_EQUAL(array[k], i + k);
      CHECK(text && strcmp(text, "copied") == 0);
      CHECK_EQUAL(kept, 5 * i);
      // The giver may change its own at once: the others have their copies by then.
      a = -2;
      p.x = -2;
    }
  }
  return check_end();
}
