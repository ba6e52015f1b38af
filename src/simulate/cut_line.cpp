#include "simulate/cut_line.h"

#include <algorithm>

namespace einkorn::simulate {

void CutLine::add(double ns, float memory, uint32_t locks) {
  memory_.add(ns, memory);
  for (uint32_t i = locks; i != kNone; i = from_.lock_points[i].last ? kNone : i + 1)
    if (LockPoint p = from_.lock_points[i]; p.lock != kNone) {
      p.at += now_;
      points_.push_back(p);
    }
  now_ += ns;
  stretches_.back().end = now_;
}

void CutLine::close() {
  // Only whole sections stay: a take with its release.
  std::vector<LockPoint> held;
  for (size_t i = stretch_points_; i < points_.size(); ++i) {
    LockPoint& p = points_[i];
    if (p.step) continue;
    if (p.taken) {
      held.push_back(p);
      continue;
    }
    const auto at = std::find_if(held.rbegin(), held.rend(), [&](const LockPoint& h) { return h.lock == p.lock; });
    if (at == held.rend()) p.lock = kNone;
    else held.erase(std::next(at).base());
  }
  for (const LockPoint& h : held)
    for (size_t i = points_.size(); i-- > stretch_points_;)
      if (points_[i].taken && !points_[i].step && points_[i].lock == h.lock && points_[i].at == h.at) {
        points_[i].lock = kNone;
        break;
      }
  points_.erase(std::remove_if(points_.begin() + long(stretch_points_), points_.end(),
                               [](const LockPoint& p) { return p.lock == kNone; }),
                points_.end());
  stretch_points_ = points_.size();
}

// The time at which so much of the line's length is done. `stretch` and `before` (the length in front of it) go on from
// the last call's.
double CutLine::time_at(double length, size_t& stretch, double& before) const {
  while (stretch < stretches_.size() && before + stretches_[stretch].length <= length)
    before += stretches_[stretch++].length;
  if (stretch == stretches_.size()) return now_;
  const Stretch& s = stretches_[stretch];
  return s.begin + (s.end - s.begin) * (length - before) / s.length;
}

std::vector<CutLine::Piece> CutLine::cut(const std::vector<double>& lengths, std::vector<LockPoint>& points) {
  close();
  std::vector<Piece> out(lengths.size());
  size_t stretch = 0, point = 0;
  double before = 0, length = 0, begin = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    length += lengths[i];
    double end = i + 1 == lengths.size() ? now_ : std::max(begin, time_at(length, stretch, before));
    uint32_t held = 0;
    for (; point < points_.size() && (held > 0 || points_[point].at < end); ++point) {
      LockPoint p = points_[point];
      if (p.at < begin) p.at = begin;
      end = std::max(end, p.at);
      if (!p.step) held += p.taken ? 1u : -1u;
      p.at -= begin;
      p.last = true;
      if (out[i].locks == kNone) out[i].locks = uint32_t(points.size());
      else points.back().last = false;
      points.push_back(p);
    }
    out[i].ns = end - begin;
    begin = end;
  }
  return out;
}

std::vector<CutLine::Piece> CutLine::cut(uint32_t pieces, std::vector<LockPoint>& points) {
  double all = 0;
  for (const Stretch& s : stretches_) all += s.length;
  return cut(std::vector<double>(pieces, all / pieces), points);
}

}  // namespace einkorn::simulate
