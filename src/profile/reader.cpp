#include "profile/reader.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include "record/crc32c.h"
#include "record/packed.h"

namespace einkorn::profile {

using record::BlockHeader;
using record::Codec;

namespace {

// What no writer makes is not read further.
bool plausible(const BlockHeader& h) {
  return h.magic == record::kBlockMagic && record::sizes_are_possible(h.codec, h.stored_bytes, h.raw_bytes);
}

}  // namespace

Reader::~Reader() {
  if (fd_ >= 0) close(fd_);
}

bool Reader::read_at(uint64_t offset, void* out, size_t bytes) {
  auto p = static_cast<char*>(out);
  while (bytes) {
    ssize_t n = pread(fd_, p, bytes, off_t(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;  // also where the file has shrunk meanwhile
    p += n;
    offset += uint64_t(n);
    bytes -= size_t(n);
  }
  return true;
}

bool Reader::open(const std::string& path, const std::function<void(double)>& progress, LoadError& error) {
  auto fail = [&](std::string message) {
    error.message = std::move(message);
    return false;
  };
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) return fail(fmt::format("cannot open '{}': {}", path, strerror(errno)));
  struct stat st;
  if (fstat(fd_, &st) != 0) return fail(fmt::format("cannot read '{}': {}", path, strerror(errno)));
  if (S_ISDIR(st.st_mode)) return fail(fmt::format("'{}' is a directory: name the .grain file in it", path));
  if (!S_ISREG(st.st_mode))
    return fail(fmt::format("'{}' is not a regular file: copy the recording to one first", path));
  size_ = uint64_t(st.st_size);
  if (size_ == 0)
    return fail(
        fmt::format("'{}' is empty: the program ended before anything was recorded, or the disk is full", path));

  size_t have = std::min<uint64_t>(size_, sizeof header_);
  if (!read_at(0, &header_, have))
    return fail(fmt::format("cannot read '{}': {}", path, strerror(errno ? errno : EIO)));
  if (memcmp(header_.magic, record::kFileMagic, std::min(have, sizeof header_.magic)) != 0)
    return fail(fmt::format(
        "'{}' is not a recording of Einkorn: make one with 'einkorn record -o FILE.grain -- PROGRAM'", path));
  if (have < sizeof header_)
    return fail(fmt::format("'{}' is cut off within its header: nothing of the recording is left", path));
  if (header_.version > record::kVersion)
    return fail(fmt::format(
        "'{}' has format version {}, this einkorn reads up to {}: use the einkorn that recorded it, or a later one",
        path, header_.version, record::kVersion));
  if (header_.version == 0 || header_.header_bytes < sizeof header_ || header_.header_bytes > 4096 ||
      header_.ticks_per_second == 0 || header_.ticks_per_second > 1000000000000ull)
    return fail(fmt::format("'{}' has a damaged header: record again", path));
  walk(progress);
  return true;
}

bool Reader::open_without_events(const std::string& path, LoadError& error) {
  events_ = false;
  return open(path, {}, error);
}

// Reads and checks the block at `offset`, and leaves its stored payload in stored_.
bool Reader::check_block(uint64_t offset, BlockHeader& header, bool& runs_over_end) {
  runs_over_end = size_ - offset < sizeof header;
  if (runs_over_end || !read_at(offset, &header, sizeof header) || !plausible(header)) return false;
  runs_over_end = size_ - offset - sizeof header < header.stored_bytes;
  if (runs_over_end) return false;
  if (!events_ && header.type == record::BlockType::events) return true;
  stored_.resize(header.stored_bytes);
  if (!read_at(offset + sizeof header, stored_.data(), stored_.size())) return false;
  BlockHeader cleared = header;
  cleared.checksum = 0;
  return record::crc32c(record::crc32c(0, &cleared, sizeof cleared), stored_.data(), stored_.size()) == header.checksum;
}

// Offset of the first whole block at or after `from`, or size_. Blocks are searched at every byte: the damage may have
// removed or added some. A file of nothing but block magics would cost a checksum of megabytes at each: hence the
// budget.
uint64_t Reader::find_block(uint64_t from) {
  std::vector<char> window(1 << 16);
  for (uint64_t at = from; at + sizeof(BlockHeader) <= size_;) {
    size_t n = size_t(std::min<uint64_t>(window.size(), size_ - at));
    if (!read_at(at, window.data(), n)) return size_;
    for (size_t i = 0; i + 4 <= n; ++i) {
      uint32_t word;
      memcpy(&word, &window[i], 4);
      if (word != record::kBlockMagic) continue;
      BlockHeader header;
      bool over;
      if (check_block(at + i, header, over)) return at + i;
      uint64_t spent = std::max<uint64_t>(stored_.size(), 64);
      if (spent > search_budget_) return size_;
      search_budget_ -= spent;
    }
    at += n - 3;  // a magic may lie across two windows
  }
  return size_;
}

void Reader::walk(const std::function<void(double)>& progress) {
  search_budget_ = 4 * size_ + (64u << 20);
  uint64_t at = header_.header_bytes;
  if (at > size_) {
    truncated_ = true;
    return;
  }
  while (at < size_) {
    BlockHeader header;
    bool over;
    if (!check_block(at, header, over)) {
      truncated_ = true;
      uint64_t next = find_block(at + 1);
      if (!over || next < size_) ++damaged_;  // else: a torn tail, as a killed program leaves it
      if (next >= size_) return;
      at = next;
      continue;
    }
    if (events_ || header.type != record::BlockType::events) blocks_.push_back({header, at + sizeof header});
    at = std::min(size_, at + sizeof header + record::padded(header.stored_bytes));
    if (progress) progress(double(at) / double(size_));
  }
}

bool Reader::payload(const Block& block, std::span<const std::byte>& out) {
  const BlockHeader& h = block.header;
  stored_.resize(h.stored_bytes);
  if (!read_at(block.offset, stored_.data(), stored_.size())) return false;
  if (h.codec == Codec::raw) {
    out = stored_;
    return true;
  }
  if (!record::decode_block(h, stored_.data(), raw_)) return false;
  out = raw_;
  return true;
}

}  // namespace einkorn::profile
