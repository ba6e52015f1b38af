// The blocks of a .grain file: found, checked, unpacked. Knows nothing about their contents.
//
// The whole file is walked once when it is opened; only blocks whose checksum holds are listed. Around a damaged
// stretch the walk goes on at the next block whose checksum holds. No length in the file is believed before it is
// checked.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>
#include "profile/profile.h"
#include "record/format.h"

namespace einkorn::profile {

struct Block {
  record::BlockHeader header;
  uint64_t offset;  // of the payload in the file
};

class Reader {
 public:
  Reader() = default;
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // False, with a message: the file is not a recording, or is of a later version.
  bool open(const std::string& path, const std::function<void(double)>& progress, LoadError& error);

  // The same without blocks of events, which are most of a file: neither read nor listed.
  bool open_without_events(const std::string& path, LoadError& error);

  const record::FileHeader& header() const { return header_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  uint64_t bytes() const { return size_; }       // of the file
  uint64_t damaged() const { return damaged_; }  // stretches that were skipped
  bool truncated() const { return truncated_; }  // something was skipped, or the last block is torn

  // The block's payload, unpacked; valid until the next call. False: it does not unpack to what its header says.
  bool payload(const Block&, std::span<const std::byte>& out);

 private:
  bool read_at(uint64_t offset, void* out, size_t bytes);
  bool check_block(uint64_t offset, record::BlockHeader& header, bool& runs_over_end);
  uint64_t find_block(uint64_t from);
  void walk(const std::function<void(double)>& progress);

  int fd_ = -1;
  bool events_ = true;
  uint64_t size_ = 0;
  uint64_t search_budget_ = 0;  // bytes that may still be checksummed while looking for a block in damaged stretches
  uint64_t damaged_ = 0;
  bool truncated_ = false;
  record::FileHeader header_{};
  std::vector<Block> blocks_;
  std::vector<std::byte> stored_, raw_;
};

}  // namespace einkorn::profile
