#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "base/error.h"

struct gzFile_s;  // NOLINT(readability-identifier-naming): zlib's name

namespace sonde {

/// A text file written in large pieces, gzipped where asked for. Failed writes are reported once, by finish().
class TextFile {
 public:
  [[nodiscard]] static Result<TextFile> create(const std::string& path, bool gzip);
  TextFile(TextFile&& other) noexcept;
  TextFile& operator=(TextFile&&) = delete;
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile();

  /// Text that is written here is on its way.
  [[nodiscard]] fmt::memory_buffer& text() { return text_; }
  void append(std::string_view piece) { text_.append(piece.data(), piece.data() + piece.size()); }
  /// Between events: writes out what has gathered, if that is enough.
  void settle() {
    if (text_.size() >= kPiece) flush();
  }
  [[nodiscard]] Status finish();

 private:
  /// Large enough that calls cost nothing, small enough to stay in cache.
  static constexpr size_t kPiece = size_t{1} << 18;
  TextFile(std::FILE* plain, gzFile_s* zipped) : plain_(plain), zipped_(zipped) {}
  void flush();
  bool close();

  std::FILE* plain_ = nullptr;
  gzFile_s* zipped_ = nullptr;
  bool failed_ = false;
  fmt::memory_buffer text_;
};

/// `text` as it stands between the quotes of a JSON string. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_escape(std::string_view text);

/// Nanoseconds written as microseconds with three decimals: exact, as torch.profiler writes them.
void append_microseconds(fmt::memory_buffer& out, int64_t ns);

}  // namespace sonde
