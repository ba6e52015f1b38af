#include "record/output.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include "record/buffers.h"
#include "record/clock.h"
#include "record/crc32c.h"
#include "record/file_name.h"
#include "record/packed.h"
#include "record/system.h"

namespace einkorn::record {

namespace {

constexpr size_t padded(size_t bytes) { return (bytes + 7) & ~size_t(7); }

// A small descriptor is one the program might expect to get from its next open(): move ours out of the way.
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

int Output::create(const char* name, int pid) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    TextBuffer path(path_, sizeof path_);
    if (attempt == 0) path.put(name);
    else if (!alternative_name(name, pid, attempt, path)) return ENAMETOOLONG;
    if (path.full()) return ENAMETOOLONG;
    fd_ = open(path_, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    created_ = fd_ >= 0;
    if (fd_ < 0 && errno != EEXIST) return errno;
    struct stat st;
    if (fd_ < 0 && attempt == 0 && stat(path_, &st) == 0 && !S_ISREG(st.st_mode)) {
      // A pipe or a device: there is nothing to overwrite. O_NONBLOCK: a FIFO nobody reads must not stop the program.
      fd_ = open(path_, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
      if (fd_ < 0) return errno;
      fcntl(fd_, F_SETFL, 0);
    }
    if (fd_ < 0) continue;
    fd_ = move_up(fd_);
    if (fstat(fd_, &st) != 0) return errno;
    device_ = st.st_dev;
    inode_ = st.st_ino;
    return 0;
  }
  return EEXIST;
}

bool Output::begin() {
  size_t workspace = ZSTD_estimateCCtxSize(kZstdLevel);
  void* memory = map_memory(workspace);
  gathered_ = static_cast<char*>(map_memory(kGather));
  packed_ = static_cast<unsigned char*>(map_memory(packed_bound(kBufferBytes / 8)));
  if (!memory || !gathered_ || !packed_) {
    fail(ENOMEM);
    return false;
  }
  zstd_ = ZSTD_initStaticCCtx(memory, workspace);
  FileHeader header{};
  memcpy(header.magic, kFileMagic, sizeof kFileMagic);
  header.version = kVersion;
  header.header_bytes = sizeof header;
  header.ticks_per_second = ticks_per_second();
  memcpy(gathered_, &header, sizeof header);
  size_ = sizeof header;
  return true;
}

// Bytes written to `out`, or 0 where that would not be less than the payload, or does not apply to it.
size_t Output::encode(Codec codec, const void* payload, size_t bytes, char* out, size_t room) {
  if (codec == Codec::raw || bytes < 64) return 0;
  auto smaller = [&](size_t stored) { return ZSTD_isError(stored) || stored >= bytes ? 0 : stored; };
  if (codec == Codec::zstd) return smaller(ZSTD_compressCCtx(zstd_, out, room, payload, bytes, kZstdLevel));
  if (bytes > kBufferBytes || bytes % 8) return 0;
  auto words = static_cast<const uint64_t*>(payload);
  if (codec == Codec::packed) return smaller(pack_words(words, bytes / 8, reinterpret_cast<unsigned char*>(out)));
  size_t packed = pack_words(words, bytes / 8, packed_);
  return smaller(ZSTD_compressCCtx(zstd_, out, room, packed_, packed, kZstdLevel));
}

void Output::block(BlockType type, const void* payload, size_t bytes, Codec wanted, uint32_t thread, uint64_t sequence,
                   uint64_t first_tick, uint64_t first_serial) {
  if (failed_) return;
  size_t worst = sizeof(BlockHeader) + padded(std::max(ZSTD_COMPRESSBOUND(bytes), packed_bound(bytes / 8)));
  if (kGather - size_ < worst) flush();
  if (failed_) return;

  BlockHeader header{};
  header.magic = kBlockMagic;
  header.type = type;
  header.raw_bytes = uint32_t(bytes);
  header.thread = thread;
  header.sequence = sequence;
  header.first_tick = first_tick;
  header.first_serial = first_serial;

  char* at = gathered_ + size_;
  char* out = at + sizeof header;
  size_t stored = encode(wanted, payload, bytes, out, kGather - size_ - sizeof header);
  header.codec = stored ? wanted : Codec::raw;
  if (!stored) {
    memcpy(out, payload, bytes);
    stored = bytes;
  }
  memset(out + stored, 0, padded(stored) - stored);
  header.stored_bytes = uint32_t(stored);
  header.checksum = crc32c(crc32c(0, &header, sizeof header), out, stored);
  memcpy(at, &header, sizeof header);
  size_ += sizeof header + padded(stored);
  ++blocks_;
}

size_t Output::encode_block(BlockHeader header, const void* payload, size_t bytes, Codec wanted, char* at) {
  header.magic = kBlockMagic;
  header.raw_bytes = uint32_t(bytes);
  char* out = at + sizeof header;
  size_t stored = encode(wanted, payload, bytes, out, packed_bound(bytes / 8));
  header.codec = stored ? wanted : Codec::raw;
  if (!stored) {
    memcpy(out, payload, bytes);
    stored = bytes;
  }
  memset(out + stored, 0, padded(stored) - stored);
  header.stored_bytes = uint32_t(stored);
  memcpy(at, &header, sizeof header);
  return sizeof header + padded(stored);
}

void Output::stored_block(BlockHeader header, const void* stored) {
  if (failed_) return;
  size_t bytes = sizeof header + padded(header.stored_bytes);
  if (kGather - size_ < bytes) flush();
  if (failed_) return;
  header.checksum = 0;
  header.checksum = crc32c(crc32c(0, &header, sizeof header), stored, header.stored_bytes);
  char* at = gathered_ + size_;
  memcpy(at, &header, sizeof header);
  memcpy(at + sizeof header, stored, bytes - sizeof header);
  size_ += bytes;
  ++blocks_;
}

// The program may close every descriptor it did not open (daemons do) and then open a file of its own that gets our
// number. Its file must not get our bytes.
bool Output::still_ours() const {
  struct stat st;
  return fstat(fd_, &st) == 0 && st.st_dev == device_ && st.st_ino == inode_;
}

void Output::flush() {
  if (failed_ || size_ == 0) return;
  if (!still_ours()) return fail(EBADF);
  size_t done = 0;
  while (done < size_) {
    ssize_t n = write(fd_, gathered_ + done, size_ - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      int error = n < 0 ? errno : ENOSPC;
      // Cut the torn block off. The first whole ones stay: step from header to header.
      size_t keep = whole_ == 0 ? sizeof(FileHeader) : 0;
      while (keep + sizeof(BlockHeader) <= done) {
        BlockHeader h;
        memcpy(&h, gathered_ + keep, sizeof h);
        size_t next = keep + sizeof h + padded(h.stored_bytes);
        if (next > done) break;
        keep = next;
      }
      // Nothing whole: no file is better than one that no reader takes.
      bool nothing = whole_ == 0 && done < sizeof(FileHeader);
      [[maybe_unused]] int ignored =
          nothing && created_ ? unlink(path_) : ftruncate(fd_, off_t(whole_ + std::min(keep, done)));
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
  if (error == EBADF) fd_ = -1;  // no longer ours: not ours to close either
  const char* why = error == EBADF ? "the program closed its file descriptor" : strerrordesc_np(error);
  warn_once("recording stopped: cannot write '%s': %s; the program goes on", path_, why ? why : "unknown error");
}

void Output::close() {
  if (fd_ >= 0 && still_ours() && ::close(fd_) != 0 && !failed_) fail(errno);  // NFS and quotas tell only now
  fd_ = -1;
}

void Output::abandon_in_child() {
  if (fd_ >= 0 && still_ours()) ::close(fd_);
  fd_ = -1;
}

}  // namespace einkorn::record
