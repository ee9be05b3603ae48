#include "record/python/objects.h"

#include <algorithm>
#include <array>

#include "base/text/utf8.h"

namespace sonde::record::python {
namespace {

constexpr size_t kMostCharacters = 4000;
constexpr int64_t kMostBytes = 16'000'000;

/// Bits of PyASCIIObject.state: which kind stands behind two bits in all of 3.8 to 3.13.
struct TextState {
  explicit TextState(uint32_t bits)
      : width(bits >> 2U & 7U), compact((bits >> 5U & 1U) != 0), ascii((bits >> 6U & 1U) != 0) {}
  uint32_t width;  ///< bytes of a character: 1, 2 or 4
  bool compact;
  bool ascii;
};

void append_character(uint32_t character, std::string& out) {
  constexpr uint32_t kTail = 0x3F;
  constexpr uint32_t kMark = 0x80;
  const auto put = [&out](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (character < 0x80) return put(character);
  if (character < 0x800) {
    put(0xC0 | character >> 6U);
  } else if (character < 0x10000) {
    put(0xE0 | character >> 12U);
    put(kMark | (character >> 6U & kTail));
  } else {
    put(0xF0 | (character >> 18U & 7U));
    put(kMark | (character >> 12U & kTail));
    put(kMark | (character >> 6U & kTail));
  }
  put(kMark | (character & kTail));
}

std::string text_of(std::span<const std::byte> bytes, uint32_t width) {
  std::string text;
  for (size_t at = 0; at + width <= bytes.size(); at += width) {
    uint32_t character = 0;
    std::memcpy(&character, bytes.data() + at, width);
    append_character(character, text);
  }
  return valid_utf8(text);  // a lone surrogate is none
}

}  // namespace

std::optional<std::string> read_text(const ForeignMemory& memory, const Interpreter& interpreter, uint64_t object) {
  const Layout& layout = interpreter.layout;
  std::array<std::byte, 64> head{};
  if (object == 0 || !memory.read(object, head)) return {};
  if (value_at<uint64_t>(head, kTypeAt) != interpreter.text_type) return {};
  const TextState state(value_at<uint32_t>(head, layout.text_state));
  const auto length = value_at<int64_t>(head, kSizeAt);
  const bool known_width = state.width == 1 || state.width == 2 || state.width == 4;
  if (!state.compact || !known_width || length < 0) return {};
  const size_t count = std::min(static_cast<size_t>(length), kMostCharacters);
  std::vector<std::byte> bytes(count * state.width);
  const uint64_t at = object + (state.ascii ? layout.text_ascii : layout.text_compact);
  if (!bytes.empty() && !memory.read(at, bytes)) return {};
  return text_of(bytes, state.width);
}

std::optional<std::vector<std::byte>> read_bytes(const ForeignMemory& memory, const Interpreter& interpreter,
                                                 uint64_t object) {
  std::array<std::byte, kBytesAt> head{};
  if (object == 0 || !memory.read(object, head)) return {};
  if (value_at<uint64_t>(head, kTypeAt) != interpreter.bytes_type) return {};
  const auto size = value_at<int64_t>(head, kSizeAt);
  if (size < 0 || size > kMostBytes) return {};
  std::vector<std::byte> bytes(static_cast<size_t>(size));
  if (!bytes.empty() && !memory.read(object + kBytesAt, bytes)) return {};
  return bytes;
}

}  // namespace sonde::record::python
