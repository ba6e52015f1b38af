#include "record/grain_file.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include "record/block.h"
#include "record/buffers.h"
#include "base/clock.h"
#include "record/packed.h"
#include "record/system.h"

namespace einkorn::record {

namespace {

// Of a buffer's events.
constexpr size_t kMostWords = expanded_bound(kBufferBytes), kPackedMost = packed_bound(kMostWords);

// The program might expect its next open() to return a small descriptor: move ours out of the way.
int move_up(int fd) {
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return fd;
  int above = int(std::min<rlim_t>(files.rlim_cur, 1024)) - 24;
  if (fd >= above) return fd;
  int high = fcntl(fd, F_DUPFD_CLOEXEC, above);
  if (high < 0) return fd;
  ::close(fd);
  return high;
}

}  // namespace

int Output::create(const char* name, uint64_t session, int pid) {
  size_ = whole_ = blocks_ = 0;
  failed_ = false;
  FileHeader header{};
  memcpy(header.magic, kFileMagic, sizeof kFileMagic);
  header.version = kVersion;
  header.header_bytes = sizeof header;
  header.ticks_per_second = ticks_per_second();
  header.session = session;
  header.process = uint64_t(pid);
  header_ = header;
  claim_ = Claim{};
  if (int error = claim(name, header, claim_)) return error;
  claim_.fd = move_up(claim_.fd);
  struct stat st;
  if (fstat(claim_.fd, &st) != 0) return errno;
  device_ = st.st_dev;
  inode_ = st.st_ino;
  return 0;
}

bool Output::begin() {
  size_t workspace = ZSTD_estimateCCtxSize(kZstdLevel);
  if (!workspace_) workspace_ = map_memory(workspace);
  if (!gathered_) gathered_ = static_cast<char*>(map_memory(kRoom));
  if (!words_) words_ = static_cast<uint64_t*>(map_memory(kMostWords * sizeof *words_));
  if (!packed_) packed_ = static_cast<unsigned char*>(map_memory(kPackedMost));
  if (!workspace_ || !gathered_ || !words_ || !packed_) {
    fail(ENOMEM);
    return false;
  }
  zstd_ = ZSTD_initStaticCCtx(workspace_, workspace);
  if (claim_.made) {
    whole_ = sizeof header_;
  } else {
    memcpy(gathered_, &header_, sizeof header_);
    size_ = sizeof header_;
  }
  return true;
}

// So many bytes behind what is gathered, which is written before if it gets too much. False: it has failed.
bool Output::make_room(size_t bytes) {
  if (size_ + bytes > kGather) flush();
  if (!failed_ && size_ + bytes > kRoom) fail(EFBIG);
  return !failed_;
}

void Output::block(BlockType type, const void* payload, size_t bytes, Codec wanted, uint32_t thread, uint64_t sequence,
                   uint64_t first_tick, uint64_t first_serial) {
  if (failed_ || !make_room(block_bound(bytes))) return;

  BlockHeader header{};
  header.type = type;
  header.thread = thread;
  header.sequence = sequence;
  header.first_tick = first_tick;
  header.first_serial = first_serial;
  size_ += make_block(header, payload, bytes, wanted, zstd_, gathered_ + size_);
  ++blocks_;
}

// Its payload is in its place.
void Output::end_block(const BlockHeader& header, size_t stored) {
  size_ += record::end_block(header, stored, gathered_ + size_);
  ++blocks_;
}

void Output::events(const Started& before, const void* units, size_t bytes, Codec wanted, uint32_t thread,
                    uint64_t sequence, uint64_t first_tick, uint64_t first_serial) {
  if (failed_) return;
  const size_t all = sizeof before + bytes;
  const size_t most = wanted == Codec::packed_zstd ? ZSTD_COMPRESSBOUND(kPackedMost) : all;
  if (!make_room(sizeof(BlockHeader) + padded(most))) return;

  BlockHeader header{};
  header.type = BlockType::events;
  header.thread = thread;
  header.sequence = sequence;
  header.first_tick = first_tick;
  header.first_serial = first_serial;
  char* at = gathered_ + size_;
  if (wanted == Codec::packed_zstd && bytes <= kBufferBytes) {
    const size_t count = expand_halves(before, units, bytes, words_), packed = pack_words(words_, count, packed_);
    const size_t stored =
        ZSTD_compressCCtx(zstd_, at + sizeof header, kRoom - size_ - sizeof header, packed_, packed, kZstdLevel);
    if (!ZSTD_isError(stored) && stored < all &&
        sizes_are_possible(Codec::packed_zstd, stored, count * sizeof *words_)) {
      header.codec = Codec::packed_zstd;
      header.raw_bytes = uint32_t(count * sizeof *words_);
      return end_block(header, stored);
    }
  }
  keep_events(header, before, units, bytes, at);
  memcpy(&header, at, sizeof header);
  end_block(header, all);
}

size_t Output::keep_events(BlockHeader header, const Started& before, const void* units, size_t bytes, char* at) {
  header.magic = kBlockMagic;
  header.codec = Codec::halves;
  header.stored_bytes = header.raw_bytes = uint32_t(sizeof before + bytes);
  memcpy(at, &header, sizeof header);
  at += sizeof header;
  memcpy(at, &before, sizeof before);
  memcpy(at + sizeof before, units, bytes);
  memset(at + header.stored_bytes, 0, padded(header.stored_bytes) - header.stored_bytes);
  return sizeof header + padded(header.stored_bytes);
}

void Output::stored_block(BlockHeader header, const void* stored) {
  if (failed_) return;
  size_t bytes = sizeof header + padded(header.stored_bytes);
  if (!make_room(bytes)) return;
  memcpy(gathered_ + size_ + sizeof header, stored, header.stored_bytes);
  end_block(header, header.stored_bytes);
}

// The program may close every descriptor it did not open (daemons do) and then open a file of its own that gets our
// number. Its file must not get our bytes.
bool Output::still_ours() const {
  struct stat st;
  return fstat(claim_.fd, &st) == 0 && st.st_dev == device_ && st.st_ino == inode_;
}

void Output::flush() {
  if (failed_ || size_ == 0) return;
  if (!still_ours()) return fail(EBADF);
  size_t done = 0;
  while (done < size_) {
    ssize_t n = write(claim_.fd, gathered_ + done, size_ - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      int error = n < 0 ? errno : ENOSPC;
      // Cuts the torn block off. The whole blocks before it stay: steps from header to header.
      size_t keep = whole_ == 0 ? sizeof(FileHeader) : 0;
      while (keep + sizeof(BlockHeader) <= done) {
        BlockHeader h;
        memcpy(&h, gathered_ + keep, sizeof h);
        size_t next = keep + sizeof h + padded(h.stored_bytes);
        if (next > done) break;
        keep = next;
      }
      [[maybe_unused]] int ignored = ftruncate(claim_.fd, off_t(whole_ + std::min(keep, done)));
      return fail(error);
    }
    done += size_t(n);
  }
  whole_ += size_;
  size_ = 0;
}

void Output::fail(int error) {
  if (failed_) return;
  failed_ = true;
  if (error == EBADF) claim_.fd = -1;  // no longer ours: not ours to close either
  const char* why = error == EBADF ? "the program closed its file descriptor" : strerrordesc_np(error);
  warn_once("recording stopped: cannot write '%s': %s; the program goes on", claim_.path, why ? why : "unknown error");
}

void Output::close() {
  if (claim_.fd >= 0 && still_ours() && ::close(claim_.fd) != 0 && !failed_)
    fail(errno);  // NFS and quotas tell only now
  claim_.fd = -1;
}

void Output::abandon_in_child() {
  if (claim_.fd >= 0 && still_ours()) ::close(claim_.fd);
  claim_.fd = -1;
}

}  // namespace einkorn::record
