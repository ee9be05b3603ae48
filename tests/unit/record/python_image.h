#pragma once

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "record/python/objects.h"

namespace sonde::record::python {

/// Memory that a test has laid out: pieces at addresses, and nothing between them.
class FakeMemory : public ForeignMemory {
 public:
  using ForeignMemory::read;
  void read(std::span<Piece> pieces) const override {
    for (Piece& piece : pieces) {
      const auto behind = pieces_.upper_bound(piece.address);
      piece.read = false;
      if (behind == pieces_.begin()) continue;
      const auto& [begin, bytes] = *std::prev(behind);
      const uint64_t at = piece.address - begin;
      if (at > bytes.size() || piece.into.size() > bytes.size() - at) continue;
      std::memcpy(piece.into.data(), bytes.data() + at, piece.into.size());
      piece.read = true;
    }
  }

  /// A piece of zeros at an address of its own.
  uint64_t add(size_t bytes) {
    const uint64_t address = next_;
    next_ += (bytes + 2 * kApart - 1) / kApart * kApart;
    pieces_[address].resize(bytes);
    return address;
  }

  template <typename T>
  void put(uint64_t address, const T& value) {
    auto& [begin, bytes] = *std::prev(pieces_.upper_bound(address));
    std::memcpy(bytes.data() + (address - begin), &value, sizeof value);
  }

  void put_bytes(uint64_t address, std::string_view text) {
    auto& [begin, bytes] = *std::prev(pieces_.upper_bound(address));
    if (!text.empty()) std::memcpy(bytes.data() + (address - begin), text.data(), text.size());
  }

 private:
  static constexpr uint64_t kApart = 0x10000;
  std::map<uint64_t, std::vector<std::byte>> pieces_;
  uint64_t next_ = kApart;
};

/// An interpreter laid out as a version has it: what a test needs of it.
class PythonImage {
 public:
  explicit PythonImage(int minor) {
    interpreter.layout = *known_layout(minor);
    interpreter.code_type = 0x1111;
    interpreter.text_type = 0x2222;
    interpreter.bytes_type = 0x3333;
    interpreter.runtime = memory.add(8000);
    state = memory.add(8000);
    memory.put(interpreter.runtime + layout().interpreters_head, state);
    gil = layout().gil != Layout::kNowhere ? interpreter.runtime + layout().gil : memory.add(layout().gil_end);
    if (layout().gil_pointer != Layout::kNowhere) memory.put(state + layout().gil_pointer, gil);
    frames_ = memory.add(16384);
  }

  [[nodiscard]] const Layout& layout() const { return interpreter.layout; }

  uint64_t text(std::string_view characters, bool ascii = true, uint32_t width = 1) {
    const uint32_t at = ascii ? layout().text_ascii : layout().text_compact;
    const uint64_t object = memory.add(128 + characters.size());
    memory.put(object + kTypeAt, interpreter.text_type);
    memory.put(object + kSizeAt, static_cast<int64_t>(characters.size() / width));
    memory.put(object + layout().text_state, width << 2U | 1U << 5U | (ascii ? 1U << 6U : 0U));
    memory.put_bytes(object + at, characters);
    return object;
  }

  uint64_t bytes(std::string_view content) {
    const uint64_t object = memory.add(kBytesAt + content.size() + 1);
    memory.put(object + kTypeAt, interpreter.bytes_type);
    memory.put(object + kSizeAt, static_cast<int64_t>(content.size()));
    memory.put_bytes(object + kBytesAt, content);
    return object;
  }

  uint64_t code(std::string_view function, std::string_view file, int32_t line) {
    const uint64_t object = memory.add(512);
    const bool qualified = layout().code_qualified_name != Layout::kNowhere;
    memory.put(object + kTypeAt, interpreter.code_type);
    memory.put(object + kSizeAt, int64_t{50});
    memory.put(object + layout().code_file, text(file));
    memory.put(object + layout().code_name, text("bare"));
    memory.put(object + (qualified ? layout().code_qualified_name : layout().code_name), text(function));
    memory.put(object + layout().code_first_line, line);
    memory.put(object + layout().code_lines, bytes(one_line()));
    return object;
  }

  /// A frame that `back` called, at an instruction.
  uint64_t frame(uint64_t code, uint64_t back, int offset = 4) {
    const bool pointers = layout().code_instructions != Layout::kNowhere;
    const uint64_t at = pointers ? frames_ + 200 * used_++ : memory.add(128);
    memory.put(at + layout().frame_code, code);
    memory.put(at + layout().frame_back, back);
    if (pointers) {
      memory.put(at + layout().frame_at, code + layout().code_instructions + static_cast<uint64_t>(offset));
    } else {
      memory.put(at + layout().frame_at, layout().minor == 10 ? offset / 2 : offset);
    }
    return at;
  }

  uint64_t thread(uint64_t innermost, uint64_t id, uint64_t next = 0) {
    const uint64_t at = memory.add(512);
    memory.put(at + layout().thread_next, next);
    memory.put(at + layout().thread_id, id);
    if (layout().native_thread_id != Layout::kNowhere) memory.put(at + layout().native_thread_id, id);
    uint64_t holder = at;
    if (layout().cframe != Layout::kNowhere) {
      holder = memory.add(32);
      memory.put(at + layout().cframe, holder);
    }
    memory.put(holder + layout().frame, innermost);
    memory.put(state + layout().threads_head, at);
    return at;
  }

  void lock(uint64_t holder) {
    memory.put(gil + layout().gil_holder, holder);
    memory.put(gil + layout().gil_locked, 1);
  }

  FakeMemory memory;
  Interpreter interpreter;
  uint64_t state = 0;
  uint64_t gil = 0;

 private:
  /// A table that says of all instructions that they are of the line behind the first.
  [[nodiscard]] std::string one_line() const {
    if (layout().minor < 10) return {"\x00\x01", 2};
    return layout().minor == 10 ? std::string("\x64\x01", 2) : std::string("\xef\x02\xef\x00\xef\x00", 6);
  }

  uint64_t frames_ = 0;
  uint64_t used_ = 0;
};

}  // namespace sonde::record::python
