// What tasks that are taken down leave behind (capture.h): function, data and dependences of each. All of it stays
// where it was put, in blocks of the workers' lists: these have some from earlier tasks mostly, where memory from the
// system costs a page fault for 20 tasks.
#pragma once
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/task/depend.h"

namespace einkorn::runtime {

inline constexpr size_t kPieceBytes = kBlockSizes[Worker::kSizeClasses - 1] - sizeof(Task) - sizeof(void*);
inline char* new_piece(size_t bytes) { return static_cast<char*>(new_block(self(), bytes)->body()); }
inline void free_piece(void* p) { free_block(self(), static_cast<Task*>(p) - 1); }

// Memory that is freed all at once.
class Pile {
 public:
  Pile() = default;
  Pile(Pile&& other) noexcept { *this = std::move(other); }
  Pile& operator=(Pile&& other) noexcept {
    std::swap(pieces_, other.pieces_);
    std::swap(next_, other.next_);
    std::swap(end_, other.end_);
    return *this;
  }
  ~Pile() {
    for (void* p : pieces_) free_piece(p);
  }

  // Aligned to 16.
  char* take(size_t bytes) {
    bytes = (bytes + 15) & ~size_t(15);
    if (EK_UNLIKELY(size_t(end_ - next_) < bytes)) return take_of_new(bytes);
    return std::exchange(next_, next_ + bytes);
  }

 private:
  EK_NOINLINE char* take_of_new(size_t bytes) {
    const size_t room = bytes > kPieceBytes ? bytes : kPieceBytes;
    char* p = new_piece(room);
    pieces_.push_back(p);
    if (bytes > kPieceBytes / 2) return p;  // what is left of the one before is still of use
    next_ = p + bytes;
    end_ = p + room;
    return p;
  }

  std::vector<void*> pieces_;
  char *next_ = nullptr, *end_ = nullptr;
};

// Appended to, and read from the beginning on.
template <class T>
class Series {
 public:
  Series() = default;
  Series(Series&& other) noexcept { *this = std::move(other); }
  Series& operator=(Series&& other) noexcept {
    std::swap(pieces_, other.pieces_);
    std::swap(size_, other.size_);
    std::swap(next_, other.next_);
    std::swap(end_, other.end_);
    return *this;
  }
  ~Series() {
    for (T* p : pieces_) free_piece(p);
  }

  T& add(const T& one) {
    if (EK_UNLIKELY(next_ == end_)) add_piece();
    ++size_;
    *next_ = one;
    return *next_++;
  }
  uint32_t size() const { return size_; }

  class Reader {
   public:
    explicit Reader(const Series& s) : of_(s), left_(s.size()) {}
    // Of the next one; nullptr: there is none.
    const T* next() {
      if (left_ == 0) return nullptr;
      --left_;
      if (EK_UNLIKELY(at_ == end_)) {
        at_ = of_.pieces_[piece_++];
        end_ = at_ + kRoom;
      }
      return at_++;
    }

   private:
    const Series& of_;
    uint32_t left_;
    size_t piece_ = 0;
    const T *at_ = nullptr, *end_ = nullptr;
  };
  template <class Each>
  void each(Each&& each) const {
    uint32_t left = size();
    for (T* const* piece = pieces_.data(); left != 0; ++piece) {
      const uint32_t here = left < kRoom ? left : kRoom;
      left -= here;
      for (const T *at = *piece, *end = at + here; at != end; ++at) each(*at);
    }
  }

 private:
  static constexpr uint32_t kRoom = kPieceBytes / sizeof(T);
  EK_NOINLINE void add_piece() {
    if (size_ > UINT32_MAX - kRoom) fatal("a taskgraph of more than 4294967295 tasks or dependences");
    next_ = reinterpret_cast<T*>(new_piece(kPieceBytes));
    pieces_.push_back(next_);
    end_ = next_ + kRoom;
  }

  std::vector<T*> pieces_;
  uint32_t size_ = 0;
  T *next_ = nullptr, *end_ = nullptr;
};

// What tasks of the same construct have in common.
struct TakenKind {
  const void* entry;    // gcc's outlined function, clang's routine
  const char* psource;  // clang's, as Kmp::psource
  const void* caller;   // where in the program they were created
  uint32_t bytes;       // of the data of each
  uint16_t flags;       // TaskFlags
  uint16_t gomp_flags;  // gcc's
  uint32_t count = 0;   // tasks
  bool is(const TakenKind& k) const {
    static_assert(offsetof(TakenKind, flags) == offsetof(TakenKind, bytes) + 4 &&
                  offsetof(TakenKind, gomp_flags) == offsetof(TakenKind, bytes) + 6);
    uint64_t mine, its;  // the last three in one
    memcpy(&mine, &bytes, sizeof mine);
    memcpy(&its, &k.bytes, sizeof its);
    return entry == k.entry && caller == k.caller && mine == its && psource == k.psource;
  }
};

// A task as it was created.
struct TakenTask {
  uint32_t kind, number;  // the number-th of its kind
  uint32_t items;         // dependences
  const Dependence* list;
  // Behind these. clang's is its KmpTask, of which `shareds` counts from its beginning.
  const char* data() const { return reinterpret_cast<const char*>(list + items); }
};

struct Taken {
  std::vector<TakenKind> kinds;
  Series<TakenTask> tasks;
  Pile memory;  // of lists and data

  static constexpr uint32_t kMostKinds = 0xfffe;  // a graph has no more classes, and needs one of its own
  // The number of that kind, or kMostKinds where there are too many.
  uint32_t kind_of(const TakenKind& k) {
    if (EK_LIKELY(latest_ != nullptr) && EK_LIKELY(latest_->is(k))) return its_number_;
    return find_or_add(k);
  }
  // A task of the kind that was asked for last.
  void add(uint32_t kind, const Dependence* list, uint32_t items) {
    EK_ASSERT(kind == its_number_);
    tasks.add({kind, latest_->count++, items, list});
  }

 private:
  uint32_t find_or_add(const TakenKind& k);

  TakenKind* latest_ = nullptr;  // kinds[its_number_]
  uint32_t its_number_ = 0;
  uint32_t seen_[64] = {};  // by a hash of it: the kind met last there. A hint
};

}  // namespace einkorn::runtime
