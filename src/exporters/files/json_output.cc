#include "exporters/files/json_output.h"

#include <zlib.h>

#include <cerrno>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/system/system_reason.h"
#include "base/text/utf8.h"

namespace sonde {
namespace {

/// Profiles compress well at any level; the fastest keeps zlib from being most of the time.
constexpr const char* kGzipMode = "wb1";

void escape_ascii(char c, std::string& out) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  if (static_cast<unsigned char>(c) < 0x20) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  } else {
    out += c;
  }
}

}  // namespace

Result<TextFile> TextFile::create(const std::string& path, bool gzip) {
  errno = 0;
  if (gzip) {
    gzFile_s* zipped = gzopen(path.c_str(), kGzipMode);
    if (zipped == nullptr) return fail("{}", system_reason(errno));
    return TextFile(nullptr, zipped);
  }
  std::FILE* plain = std::fopen(path.c_str(), "wb");
  if (plain == nullptr) return fail("{}", system_reason(errno));
  return TextFile(plain, nullptr);
}

TextFile::TextFile(TextFile&& other) noexcept
    : plain_(std::exchange(other.plain_, nullptr)),
      zipped_(std::exchange(other.zipped_, nullptr)),
      failed_(other.failed_),
      text_(std::move(other.text_)) {}

TextFile::~TextFile() { close(); }

void TextFile::flush() {
  if (zipped_ != nullptr) {
    failed_ |= gzwrite(zipped_, text_.data(), static_cast<unsigned>(text_.size())) != static_cast<int>(text_.size());
  } else {
    failed_ |= std::fwrite(text_.data(), 1, text_.size(), plain_) != text_.size();
  }
  text_.clear();
}

bool TextFile::close() {
  bool closed = true;
  if (zipped_ != nullptr) closed = gzclose(std::exchange(zipped_, nullptr)) == Z_OK;
  if (plain_ != nullptr) closed = std::fclose(std::exchange(plain_, nullptr)) == 0;
  return closed;
}

Status TextFile::finish() {
  errno = 0;
  if (text_.size() > 0) flush();
  if (!close() || failed_) return fail("{}", errno == 0 ? "the disk may be full" : system_reason(errno));
  return {};
}

std::string json_escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      escape_ascii(text[i++], out);
      continue;
    }
    const size_t length = utf8_length(text.substr(i));
    out += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(i, length);
    i += length == 0 ? 1 : length;
  }
  return out;
}

void append_microseconds(fmt::memory_buffer& out, int64_t ns) {
  const bool negative = ns < 0;
  const uint64_t size = negative ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}{}.{:03}"), negative ? "-" : "", size / 1000, size % 1000);
}

}  // namespace sonde
