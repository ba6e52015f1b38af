// The file itself: a sequence of whole blocks, compressed, checksummed, gathered, written. What is in them: contents.h.
#pragma once
#include <cstddef>
#include <cstdint>
#include <sys/types.h>
#include "record/claim.h"
#include "record/format.h"
#include "record/halves.h"

struct ZSTD_CCtx_s;

namespace einkorn::record {

class Output {
 public:
  static constexpr size_t kMaxPayload = 640 << 10;  // of one block() call

  // Opens the file, under that name or a longer one (claim.h). Returns 0, or an errno. Forgets what an earlier open,
  // before a fork, left.
  int create(const char* name, uint64_t session, int pid);
  // Allocates memory, and writes the header if it is not there yet; false: no memory, recording is off.
  bool begin();
  // After a failure these do nothing and failed() is true. `wanted`: a payload that this codec does not make smaller is
  // stored raw.
  void block(BlockType type, const void* payload, size_t bytes, Codec wanted, uint32_t thread = 0,
             uint64_t sequence = 0, uint64_t first_tick = 0, uint64_t first_serial = 0);
  // The same for a stream's events, as they are in its buffer. `wanted`: halves; or packed_zstd, used where it makes
  // them smaller.
  void events(const Started& before, const void* units, size_t bytes, Codec wanted, uint32_t thread, uint64_t sequence,
              uint64_t first_tick, uint64_t first_serial);
  // For blocks that are kept for a while: the payload goes to `at`, after a header without sequence and checksum.
  // `header` has type, thread, first_tick and first_serial. Returns the number of all bytes, at most those of header,
  // Started and events.
  static size_t keep_events(BlockHeader header, const Started& before, const void* units, size_t bytes, char* at);
  void stored_block(BlockHeader header, const void* stored);
  void flush();
  void close();
  void abandon_in_child();  // after fork: the descriptor is the parent's business
  int descriptor() const { return claim_.fd; }

  const char* path() const { return claim_.path; }
  bool failed() const { return failed_; }
  uint64_t bytes() const { return whole_ + size_; }  // of the file, once all is written
  uint64_t blocks() const { return blocks_; }

 private:
  void end_block(const BlockHeader&, size_t stored);
  void fail(int error);
  bool still_ours() const;

  bool make_room(size_t bytes);

  static constexpr size_t kGather = 1 << 20;  // written at once, or one block that is larger
  static constexpr size_t kRoom = 4 << 20;    // of which block_bound() is no more

  Claim claim_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  char* gathered_ = nullptr;
  size_t size_ = 0;     // of gathered_: whole blocks
  uint64_t whole_ = 0;  // of the file: whole blocks
  uint64_t blocks_ = 0;
  bool failed_ = false;
  FileHeader header_{};
  void* workspace_ = nullptr;  // zstd_'s
  ZSTD_CCtx_s* zstd_ = nullptr;
  uint64_t* words_ = nullptr;  // scratch: a buffer's events
  unsigned char* packed_ = nullptr;
};

}  // namespace einkorn::record
