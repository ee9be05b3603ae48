#include "importers/files/zstd.h"

#include <algorithm>
#include <memory>

#include <zstd.h>

namespace sonde {
namespace {

/// Unpacks piece by piece.
class Frames {
 public:
  explicit Frames(std::string_view bytes)
      : stream_(ZSTD_createDStream(), ZSTD_freeDStream), in_{bytes.data(), bytes.size(), 0} {}

  /// Appends a piece of at most `most` bytes to `text`. False at the end, at damage and where more input is missing.
  bool step(std::string& text, size_t most) {
    if (whole()) return false;
    const size_t before = text.size();
    text.resize(before + std::min(most, ZSTD_DStreamOutSize()));
    ZSTD_outBuffer out{text.data() + before, text.size() - before, 0};
    const size_t consumed = in_.pos;
    left_ = ZSTD_decompressStream(stream_.get(), &out, &in_);
    text.resize(before + out.pos);
    return ZSTD_isError(left_) == 0 && (out.pos > 0 || in_.pos > consumed);
  }

  [[nodiscard]] bool damaged() const { return ZSTD_isError(left_) != 0; }
  /// Whether the last frame is complete and nothing stands behind it.
  [[nodiscard]] bool whole() const { return left_ == 0 && in_.pos == in_.size; }

 private:
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
  ZSTD_inBuffer in_;
  size_t left_ = 1;
};

}  // namespace

bool is_zstd(std::string_view bytes) { return bytes.starts_with("\x28\xb5\x2f\xfd"); }

Result<std::string> unzstd(std::string_view bytes, size_t most) {
  Frames frames(bytes);
  std::string text;
  while (text.size() <= most && frames.step(text, most + 1 - text.size())) {
  }
  if (text.size() > most) return fail("decompresses to more than {} bytes, which is not plausible for its size", most);
  if (frames.damaged()) return fail("is damaged: decompression fails after byte {} of its content", text.size());
  if (!frames.whole()) return fail("is truncated: its compressed content has no end");
  return text;
}

UnpackedZstd unzstd_as_far_as_possible(std::string_view bytes, size_t most) {
  Frames frames(bytes);
  UnpackedZstd unpacked;
  while (unpacked.text.size() < most && frames.step(unpacked.text, most - unpacked.text.size())) {
  }
  unpacked.whole = frames.whole() && !frames.damaged();
  return unpacked;
}

std::string unzstd_head(std::string_view bytes, size_t count) {
  Frames frames(bytes);
  std::string text;
  while (text.size() < count && frames.step(text, count - text.size())) {
  }
  return text;
}

}  // namespace sonde
