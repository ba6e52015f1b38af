#include "cli/keep_lines.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "profile/reader.h"
#include "profile/resolve.h"
#include "record/block.h"
#include "record/claim.h"
#include "record/crc32c.h"
#include "report/page/source.h"

namespace einkorn::cli {

namespace {

using record::BlockHeader;
using record::BlockType;

// Blocks signals: an interrupted write would leave a recording without its end.
class Undisturbed {
 public:
  Undisturbed() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before_);
  }
  ~Undisturbed() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  sigset_t before_;
};

void append_block(std::string& to, BlockType type, const std::string& payload, record::Codec codec) {
  BlockHeader header{};
  header.type = type;
  std::string block(record::block_bound(payload.size()), '\0');
  block.resize(record::make_block(header, payload.data(), payload.size(), codec, nullptr, block.data()));
  to += block;
}

bool write_at(int fd, const std::string& bytes, off_t at) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = pwrite(fd, bytes.data() + done, bytes.size() - done, at + off_t(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += size_t(n);
  }
  return true;
}

// The payload of the `end` block with which the file ends, as the recorder writes it, and where the block begins.
// False: the file does not end with one.
bool find_end(int fd, off_t size, std::string& payload, off_t& begin) {
  std::string tail(size_t(std::min<off_t>(size, 4096)), '\0');
  if (pread(fd, tail.data(), tail.size(), size - off_t(tail.size())) != ssize_t(tail.size())) return false;
  for (size_t at = 0; at + sizeof(BlockHeader) <= tail.size(); ++at) {
    BlockHeader h;
    memcpy(&h, tail.data() + at, sizeof h);
    if (h.magic != record::kBlockMagic || h.type != BlockType::end || h.codec != record::Codec::raw ||
        h.stored_bytes > tail.size() || at + sizeof h + record::padded(h.stored_bytes) != tail.size())
      continue;
    payload = tail.substr(at + sizeof h, h.stored_bytes);
    const uint32_t checksum = std::exchange(h.checksum, 0);
    if (record::crc32c(record::crc32c(0, &h, sizeof h), payload.data(), payload.size()) != checksum) continue;
    begin = size - off_t(tail.size() - at);
    return true;
  }
  return false;
}

// The same `end` with so many more blocks before it.
std::string end_after(const std::string& payload, size_t more) {
  auto json = nlohmann::ordered_json::parse(payload, nullptr, false);
  if (json.is_object() && json.contains("blocks") && json["blocks"].is_number_unsigned())
    json["blocks"] = json["blocks"].get<uint64_t>() + more;
  return json.is_object() ? json.dump() : payload;
}

// A file of this session that nobody writes, opened for writing; -1: it is none. The program may have put anything
// under the name meanwhile.
int open_recording(const std::string& path, uint64_t session) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return -1;
  struct stat st;
  record::FileHeader header;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == geteuid() || st.st_uid == 0) && st.st_nlink == 1 &&
      record::content_of(fd, header) == record::Content::recording && header.session == session &&
      flock(fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  close(fd);
  return -1;
}

// Lines of text, of which the first is the cited one less kAround, if there are so many.
std::vector<profile::SourceText> texts_of(const profile::Profile& profile) {
  constexpr size_t kAround = 10, kMostBytes = 1u << 20;
  std::vector<profile::SourceText> out;
  size_t bytes = 0;
  const report::SourceOptions options;
  for (const report::SourceFile& file : report::cited_source(profile, options, kAround).files)
    for (const report::SourcePiece& piece : file.pieces) {
      for (const std::string& line : piece.lines) bytes += line.size() + 1;
      if (bytes > kMostBytes) return out;
      out.push_back({file.path, piece.first_line, piece.lines});
    }
  return out;
}

}  // namespace

void KeepLines::add(const std::string& path, const profile::SourceLines& lines, const profile::Profile& profile) const {
  std::string places, texts;
  size_t place_blocks = 0;
  for (const std::string& payload : profile::source_line_payloads(lines))
    append_block(places, BlockType::source_lines, payload, record::Codec::zstd), ++place_blocks;
  size_t blocks = place_blocks;
  if (text)
    for (const std::string& payload : profile::source_text_payloads(texts_of(profile)))
      append_block(texts, BlockType::source_text, payload, record::Codec::zstd), ++blocks;
  if (places.empty()) return;
  const int fd = open_recording(path, session);
  if (fd < 0) return;
  struct stat st;
  std::string end;
  off_t begin = 0;
  if (fstat(fd, &st) == 0 && find_end(fd, st.st_size, end, begin)) {
    std::string old;
    append_block(old, BlockType::end, end, record::Codec::raw);
    // The size is an approximate one: it has to leave room for the text, not for the few bytes of the lines themselves.
    if (most_bytes && uint64_t(st.st_size) + places.size() + texts.size() > most_bytes)
      texts.clear(), blocks = place_blocks;
    std::string added = places + texts;
    append_block(added, BlockType::end, end_after(end, blocks), record::Codec::raw);
    const Undisturbed now;
    if (!write_at(fd, added, begin)) {  // a full disk: as it was
      write_at(fd, old, begin);
      [[maybe_unused]] int ignored = ftruncate(fd, st.st_size);
    }
  }
  close(fd);
}

void KeepLines::add(const std::string& path) const {
  profile::SourceLines lines;
  profile::Profile profile;
  profile::LoadError error;
  if (profile::load_lines(path, {}, lines, profile, error)) add(path, lines, profile);
}

}  // namespace einkorn::cli
