// Recorded stretches one after the other, as a line that is cut elsewhere: where a team of another size divides a loop.
#pragma once
#include <vector>

#include "simulate/types.h"

namespace einkorn::simulate {

// The memory part of several stretches together: known where that of all is.
class MemoryPart {
 public:
  void add(double ns, float memory) {
    if (memory < 0 && ns > 0) known_ = false;
    all_ += ns;
    memory_ += ns * double(memory);
  }
  float value() const { return !known_ ? kUnknown : all_ > 0 ? float(memory_ / all_) : 0; }

 private:
  bool known_ = true;
  double all_ = 0, memory_ = 0;
};

class CutLine {
 public:
  explicit CutLine(const Program& from) : from_(from) {}

  // A stretch begins: so long, in iterations or whatever the line is measured in. Its time is spread evenly over its
  // length.
  void begin(double length) {
    close();
    stretches_.push_back({length, now_, now_});
  }
  // What it consists of: a compute step, a chunk.
  void add(double ns, float memory, uint32_t locks);

  double time() const { return now_; }
  float memory() const { return memory_.value(); }

  struct Piece {
    double ns = 0;
    uint32_t locks = kNone;  // in `points` of cut()
  };
  // In pieces of those lengths, of which the sum is the line's. What happens under a lock is never cut: it stays whole
  // in the piece in which it began. The lock points are added to `points`.
  std::vector<Piece> cut(const std::vector<double>& lengths, std::vector<LockPoint>& points);
  // In so many of equal length.
  std::vector<Piece> cut(uint32_t pieces, std::vector<LockPoint>& points);

 private:
  struct Stretch {
    double length, begin, end;  // in time
  };
  void close();  // what was taken and not released in a stretch is no section of it
  double time_at(double length, size_t& stretch, double& before) const;

  const Program& from_;
  std::vector<Stretch> stretches_;
  std::vector<LockPoint> points_;  // at: of the line's time
  size_t stretch_points_ = 0;      // where the latest stretch's begin
  double now_ = 0;
  MemoryPart memory_;
};

}  // namespace einkorn::simulate
