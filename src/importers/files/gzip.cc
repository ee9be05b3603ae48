#include "importers/files/gzip.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <libdeflate.h>
#include <zlib.h>

#include "base/files/huge_pages.h"

namespace sonde {
namespace {

/// Deflate never does better (zlib's technical notes): a size field that claims more is wrong.
constexpr size_t kBestRatio = 1032;
/// zlib counts in 32 bits.
constexpr size_t kMostAtOnce = size_t{1} << 30;

/// The last member's size modulo 2^32, as its trailer says.
size_t size_in_trailer(std::string_view bytes) {
  uint32_t size = 0;
  std::memcpy(&size, bytes.data() + bytes.size() - sizeof(size), sizeof(size));
  return size;
}

std::optional<Inflated> inflate_one_member(std::string_view bytes) {
  const size_t expected = size_in_trailer(bytes);
  if (expected / kBestRatio > bytes.size()) return std::nullopt;
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> inflater(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  Inflated out{std::make_unique_for_overwrite<char[]>(expected + 1), 0, true};
  prefer_huge_pages(out.data.get(), expected);
  size_t used = 0;
  if (libdeflate_gzip_decompress_ex(inflater.get(), bytes.data(), bytes.size(), out.data.get(), expected, &used,
                                    &out.size) != LIBDEFLATE_SUCCESS ||
      used != bytes.size()) {
    return std::nullopt;
  }
  return out;
}

/// Inflates member after member into a buffer that doubles.
class GzipMembers {
 public:
  explicit GzipMembers(std::string_view bytes) : left_(bytes) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    ready_ = inflateInit2(&zlib_, kGzipOnly) == Z_OK;
  }
  ~GzipMembers() {
    if (ready_) inflateEnd(&zlib_);
  }
  GzipMembers(const GzipMembers&) = delete;
  GzipMembers& operator=(const GzipMembers&) = delete;

  /// Stops at `most` bytes, at the end of the last member, or at the first damage.
  Inflated run(size_t most) {
    while (ready_ && out_.size < most && step(most)) {
    }
    return std::move(out_);
  }

 private:
  bool step(size_t most) {
    make_room(most);
    // NOLINTNEXTLINE: zlib's interface is older than const.
    zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left_.data()));
    zlib_.avail_in = static_cast<uInt>(std::min(left_.size(), kMostAtOnce));
    zlib_.next_out = reinterpret_cast<Bytef*>(out_.data.get() + out_.size);
    zlib_.avail_out = static_cast<uInt>(std::min(room_ - out_.size, kMostAtOnce));
    const size_t in_before = zlib_.avail_in;
    const size_t out_before = zlib_.avail_out;
    const int status = inflate(&zlib_, Z_NO_FLUSH);
    left_.remove_prefix(in_before - zlib_.avail_in);
    out_.size += out_before - zlib_.avail_out;
    if (status == Z_STREAM_END) return next_member();
    return status == Z_OK && (zlib_.avail_in != in_before || zlib_.avail_out != out_before);
  }

  /// Zeros behind the last member are padding (tapes, dd).
  bool next_member() {
    out_.whole = left_.find_first_not_of('\0') == std::string_view::npos;
    return !out_.whole && inflateReset(&zlib_) == Z_OK;
  }

  void make_room(size_t most) {
    constexpr size_t kFirst = size_t{1} << 16;
    if (out_.size < room_) return;
    room_ = std::min(most, std::max({room_ * 2, kFirst, left_.size() * 4}));
    auto larger = std::make_unique_for_overwrite<char[]>(room_ + 1);
    if (out_.size > 0) std::memcpy(larger.get(), out_.data.get(), out_.size);
    out_.data = std::move(larger);
  }

  z_stream zlib_{};
  std::string_view left_;
  Inflated out_;
  size_t room_ = 0;
  bool ready_ = false;
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b\x08"); }

Inflated gunzip(std::string_view bytes) {
  constexpr size_t kSmallestMember = 18;
  if (bytes.size() >= kSmallestMember) {
    if (auto out = inflate_one_member(bytes)) return std::move(*out);
  }
  return GzipMembers(bytes).run(SIZE_MAX / 2);
}

std::string gunzip_head(std::string_view bytes, size_t count) {
  return std::string(GzipMembers(bytes).run(count).text());
}

}  // namespace sonde
