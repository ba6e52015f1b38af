// The grain table as a Parquet file (format version 1): row groups of a million rows, data pages of 128 Ki rows,
// each compressed with zstd. Integers and reals are plain, booleans one bit, texts indices into a dictionary;
// identities are texts of 32 digits. Written by hand: there is no Arrow for C++ in Debian 12.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zstd.h>
#include "report/export/export.h"
#include "report/output_file.h"
#include "report/table.h"
#include "report/export/thrift.h"

namespace einkorn::report {
namespace {

constexpr size_t kRowGroup = 1 << 20, kPage = 1 << 17;
constexpr int kZstdLevel = 3;

// The format's enumerations.
enum Physical { kBoolean = 0, kInt64 = 2, kFloat = 4, kByteArray = 6 };
enum Encoding { kPlainValues = 0, kRle = 3, kRleDictionary = 8 };
constexpr int kRequired = 0, kOptional = 1, kUtf8 = 0, kZstd = 6, kDataPage = 0, kDictionaryPage = 2;

Physical physical(ColumnType t) {
  switch (t) {
    case ColumnType::boolean: return kBoolean;
    case ColumnType::real: return kFloat;
    case ColumnType::text:
    case ColumnType::id: return kByteArray;
    default: return kInt64;
  }
}

template <class T>
void put(std::string& out, T v) {
  static_assert(std::endian::native == std::endian::little);
  out.append(reinterpret_cast<const char*>(&v), sizeof v);
}

void put_varint(std::string& out, uint64_t v) {
  for (; v >= 0x80; v >>= 7) out += char(v | 0x80);
  out += char(v);
}

// The hybrid of runs and bit-packed groups of eight: runs of eight and more, the rest packed.
class Hybrid {
 public:
  Hybrid(int bits, std::string& out) : bits_(bits), out_(out) {}
  void add(uint32_t v) {
    if (run_ && v == value_) {
      ++run_;
      return;
    }
    end_run();
    value_ = v;
    run_ = 1;
  }
  void finish() {
    end_run();
    flush(true);
  }

 private:
  void end_run() {
    // A group that has begun is filled up first: only the last one may be short.
    for (; run_ && packed_.size() % 8; --run_) packed_.push_back(value_);
    if (run_ >= 8) {
      flush(false);
      put_varint(out_, run_ << 1);
      for (int b = 0; b < bits_; b += 8) out_ += char(value_ >> b);
      run_ = 0;
    }
    for (; run_; --run_) packed_.push_back(value_);
  }
  void flush(bool last) {
    if (packed_.empty()) return;
    if (last) packed_.resize((packed_.size() + 7) / 8 * 8, 0);
    put_varint(out_, packed_.size() / 8 << 1 | 1);
    uint64_t pending = 0;
    int have = 0;
    for (uint32_t v : packed_) {
      pending |= uint64_t(v) << have;
      for (have += bits_; have >= 8; have -= 8, pending >>= 8) out_ += char(pending);
    }
    packed_.clear();
  }

  int bits_;
  std::string& out_;
  std::vector<uint32_t> packed_;
  uint32_t value_ = 0;
  uint64_t run_ = 0;
};

int bits_for(size_t values) { return std::max(1, int(std::bit_width(values ? values - 1 : 0))); }

struct Chunk {
  uint64_t offset = 0, dictionary = 0, data = 0;  // in the file; dictionary 0: none
  uint64_t uncompressed = 0, compressed = 0;      // page headers included
  size_t rows = 0;
};

class ParquetWriter {
 public:
  ParquetWriter(const profile::Profile& p, ExportOptions& options)
      : p_(p), options_(options), metrics_(table_metrics(p, options.baseline)), table_(grain_table(p, metrics_)) {}
  std::string run();

 private:
  Chunk column(const Column& c, size_t first, size_t rows);
  void write_page(Chunk& chunk, int type, const std::string& bytes, size_t values, Encoding encoding);
  std::string values(const Column& c, size_t first, size_t rows);
  std::string footer();
  std::string description() const;

  const profile::Profile& p_;
  ExportOptions& options_;
  const profile::Metrics metrics_;
  const Table table_;
  OutputFile file_;
  std::vector<std::vector<Chunk>> groups_;
  std::string scratch_;
};

bool present(const Column& c, size_t row) {
  switch (c.type) {
    case ColumnType::integer:
    case ColumnType::boolean:
    case ColumnType::id: return c.integer(row) != kNoInteger;
    case ColumnType::real: return !std::isnan(c.real(row));
    case ColumnType::text: return c.code(row) != profile::kNone;
  }
  return true;
}

// A data page: which values are present (of optional columns), then those.
std::string ParquetWriter::values(const Column& c, size_t first, size_t rows) {
  std::string out;
  if (!c.required) {
    std::string levels;
    Hybrid hybrid(1, levels);
    for (size_t i = first; i < first + rows; ++i) hybrid.add(present(c, i));
    hybrid.finish();
    put(out, uint32_t(levels.size()));
    out += levels;
  }
  switch (c.type) {
    case ColumnType::integer:
      for (size_t i = first; i < first + rows; ++i)
        if (int64_t v = c.integer(i); v != kNoInteger) put(out, v);
      break;
    case ColumnType::real:
      for (size_t i = first; i < first + rows; ++i)
        if (float v = c.real(i); !std::isnan(v)) put(out, v);
      break;
    case ColumnType::boolean: {
      const size_t at = out.size();
      out.resize(at + (rows + 7) / 8, '\0');
      size_t n = 0;  // of those that are there
      for (size_t i = first; i < first + rows; ++i) {
        const int64_t v = c.integer(i);
        if (v == kNoInteger) continue;
        if (v) out[at + n / 8] = char(out[at + n / 8] | 1 << n % 8);
        ++n;
      }
      out.resize(at + (n + 7) / 8);
      break;
    }
    case ColumnType::text: {
      const int bits = bits_for(c.texts.size());
      out += char(bits);
      Hybrid hybrid(bits, out);
      for (size_t i = first; i < first + rows; ++i)
        if (uint32_t v = c.code(i); v != profile::kNone) hybrid.add(v);
      hybrid.finish();
      break;
    }
    case ColumnType::id:
      for (size_t i = first; i < first + rows; ++i) {
        if (c.integer(i) == kNoInteger) continue;
        put(out, uint32_t(32));
        append_id(p_.grains[i], out);
      }
      break;
  }
  return out;
}

void ParquetWriter::write_page(Chunk& chunk, int type, const std::string& bytes, size_t values, Encoding encoding) {
  scratch_.resize(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress(scratch_.data(), scratch_.size(), bytes.data(), bytes.size(), kZstdLevel);
  Thrift header;
  header.i32(1, type).i32(2, int32_t(bytes.size())).i32(3, int32_t(size));
  if (type == kDictionaryPage) header.begin(7).i32(1, int32_t(values)).i32(2, kPlainValues).end();
  else header.begin(5).i32(1, int32_t(values)).i32(2, encoding).i32(3, kRle).i32(4, kRle).end();
  const std::string& head = header.finish();
  file_.write(head);
  file_.write(scratch_.data(), size);
  chunk.uncompressed += head.size() + bytes.size();
  chunk.compressed += head.size() + size;
}

Chunk ParquetWriter::column(const Column& c, size_t first, size_t rows) {
  Chunk chunk;
  chunk.rows = rows;
  chunk.offset = file_.position();
  if (c.type == ColumnType::text) {
    chunk.dictionary = file_.position();
    std::string words;
    for (const std::string& t : c.texts) {
      put(words, uint32_t(t.size()));
      words += t;
    }
    write_page(chunk, kDictionaryPage, words, c.texts.size(), kPlainValues);
  }
  chunk.data = file_.position();
  const Encoding encoding = c.type == ColumnType::text ? kRleDictionary : kPlainValues;
  for (size_t at = first; at < first + rows; at += kPage) {
    const size_t n = std::min(kPage, first + rows - at);
    write_page(chunk, kDataPage, values(c, at, n), n, encoding);
  }
  return chunk;
}

// What the columns mean, and where they come from: for whoever opens the file without us.
std::string ParquetWriter::description() const {
  nlohmann::json j = {{"program", p_.program},        {"argv", p_.argv},
                      {"runtime", p_.runtime},        {"host", p_.host},
                      {"started", p_.started},        {"wall_ns", p_.wall_ns},
                      {"threads", p_.threads.size()}, {"times_valid", p_.times_valid}};
  for (const Column& c : table_.columns) j["columns"][c.name] = c.what;
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string ParquetWriter::footer() {
  Thrift t;
  t.i32(1, 1).begin_list(2, Thrift::kStruct, table_.columns.size() + 1);
  t.begin().text(4, "grains").i32(5, int32_t(table_.columns.size())).end();
  for (const Column& c : table_.columns) {
    t.begin().i32(1, physical(c.type)).i32(3, c.required ? kRequired : kOptional).text(4, c.name);
    if (physical(c.type) == kByteArray) t.i32(6, kUtf8).begin(10).begin(1).end().end();
    t.end();
  }
  t.i64(3, int64_t(table_.rows)).begin_list(4, Thrift::kStruct, groups_.size());
  for (const std::vector<Chunk>& group : groups_) {
    int64_t bytes = 0;
    for (const Chunk& c : group) bytes += int64_t(c.uncompressed);
    t.begin().begin_list(1, Thrift::kStruct, group.size());
    for (size_t i = 0; i < group.size(); ++i) {
      const Column& column = table_.columns[i];
      const Chunk& c = group[i];
      t.begin().i64(2, int64_t(c.offset)).begin(3).i32(1, physical(column.type));
      if (column.type == ColumnType::text)
        t.begin_list(2, Thrift::kI32, 3).element(kPlainValues).element(kRle).element(kRleDictionary);
      else t.begin_list(2, Thrift::kI32, 2).element(kPlainValues).element(kRle);
      t.begin_list(3, Thrift::kBinary, 1).element(std::string_view(column.name)).i32(4, kZstd).i64(5, int64_t(c.rows));
      t.i64(6, int64_t(c.uncompressed)).i64(7, int64_t(c.compressed)).i64(9, int64_t(c.data));
      if (c.dictionary) t.i64(11, int64_t(c.dictionary));
      t.end().end();
    }
    t.i64(2, bytes).i64(3, int64_t(group.front().rows)).end();
  }
  t.begin_list(5, Thrift::kStruct, 1).begin().text(1, "einkorn").text(2, description()).end();
  t.text(6, "einkorn");
  return t.finish();
}

std::string ParquetWriter::run() {
  if (!file_.open(options_.out)) return file_.error();
  file_.write("PAR1");
  for (size_t first = 0; first < table_.rows && file_.good(); first += kRowGroup) {
    const size_t rows = std::min(kRowGroup, table_.rows - first);
    std::vector<Chunk>& group = groups_.emplace_back();
    for (size_t c = 0; c < table_.columns.size(); ++c) {
      group.push_back(column(table_.columns[c], first, rows));
      if (options_.progress)
        options_.progress((double(first) + double(rows) * double(c + 1) / double(table_.columns.size())) /
                          double(table_.rows));
    }
  }
  const std::string tail = footer();
  file_.write(tail);
  const uint32_t size = uint32_t(tail.size());
  file_.write(&size, sizeof size);
  file_.write("PAR1");
  file_.commit();
  return file_.error();
}

}  // namespace

std::string export_parquet(const profile::Profile& p, ExportOptions& options) {
  return ParquetWriter(p, options).run();
}

}  // namespace einkorn::report
