#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/files/descriptor.h"

/// What a task printed on one of its streams, below a limit: the first half of it in PATH; of what comes after, the
/// last half of the limit in a ring, PATH.tail, after a header. Offsets count all that was printed.
namespace sonde::dispatch::keeper {

constexpr int64_t kTailHeaderBytes = 4096;
constexpr int64_t kLongestChunk = 64 << 10;  ///< a pipe's size: what is written at once

/// First bytes of PATH.tail, in this machine's byte order. Byte x of the output stands at
/// kTailHeaderBytes + x % ring_bytes, for x from max(tail_from, total - ring_bytes + kLongestChunk) below total: what
/// is nearer to being written over may already be half another one's.
struct TailHeader {
  int64_t magic = 0;
  int64_t head_bytes = 0;  ///< in PATH
  int64_t tail_from = 0;   ///< before it, nothing of the ring is valid
  int64_t total = 0;       ///< printed
  int64_t ring_bytes = 0;

  /// The first byte that the ring still has.
  [[nodiscard]] int64_t first() const;
};
constexpr int64_t kTailMagic = 0x316c696174646e73;  // "sndtail1"

/// Null where there is none: all that was printed is in PATH.
[[nodiscard]] std::optional<TailHeader> read_tail_header(int file);

/// Never fails: what cannot be written is counted as left out.
class OutputFile {
 public:
  /// Makes no file before there is something to write. `limit_bytes`: of both files together, headers apart.
  OutputFile(std::string path, int64_t limit_bytes);

  void append(std::string_view chunk);  ///< at most kLongestChunk
  /// What was written survives a power cut after this; false where the disk says no.
  [[nodiscard]] bool sync() const;
  [[nodiscard]] int64_t total() const { return header_.total; }
  [[nodiscard]] int64_t lost() const { return lost_; }  ///< by failed writes
  [[nodiscard]] bool is_empty() const { return header_.total == 0; }

 private:
  [[nodiscard]] int64_t append_head(std::string_view chunk);
  void append_tail(std::string_view chunk);
  [[nodiscard]] bool open_tail();
  [[nodiscard]] bool write_ring(std::string_view chunk) const;

  std::string path_;
  int64_t head_limit_;
  Descriptor head_;
  Descriptor tail_;
  TailHeader header_;
  bool head_is_over_ = false;
  int64_t lost_ = 0;
};

}  // namespace sonde::dispatch::keeper
