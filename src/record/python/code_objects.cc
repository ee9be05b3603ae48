#include "record/python/code_objects.h"

namespace sonde::record::python {
namespace {

constexpr int kFirstInlineInstructions = 11;
constexpr int kFirstNumberedInstructions = 10;  // f_lasti counts instructions there, bytes before
constexpr int64_t kCodeUnitBytes = 2;

std::optional<Code> read_code(const ForeignMemory& memory, const Interpreter& interpreter,
                              std::span<const std::byte> head) {
  const Layout& layout = interpreter.layout;
  const bool qualified = layout.code_qualified_name != Layout::kNowhere;
  const uint32_t name = qualified ? layout.code_qualified_name : layout.code_name;
  auto function = read_text(memory, interpreter, value_at<uint64_t>(head, name));
  auto file = read_text(memory, interpreter, value_at<uint64_t>(head, layout.code_file));
  auto lines = read_bytes(memory, interpreter, value_at<uint64_t>(head, layout.code_lines));
  if (!function || !file || !lines) return {};
  const bool counted = layout.minor >= kFirstInlineInstructions;
  return Code{.function = *std::move(function),
              .file = *std::move(file),
              .first_line = value_at<int32_t>(head, layout.code_first_line),
              .lines = *std::move(lines),
              .instruction_bytes = counted ? value_at<int64_t>(head, kSizeAt) * kCodeUnitBytes : 0};
}

}  // namespace

int64_t offset_of(const Layout& layout, const RawFrame& frame) {
  if (layout.minor >= kFirstInlineInstructions) {
    return frame.at - static_cast<int64_t>(frame.code + layout.code_instructions);
  }
  return layout.minor >= kFirstNumberedInstructions ? frame.at * kCodeUnitBytes : frame.at;
}

bool CodeObjects::look_at(const ForeignMemory& memory, const Interpreter& interpreter,
                          std::span<const RawFrame> frames) {
  ++look_;
  heads_.resize(frames.size() * kHeadBytes);
  pieces_.clear();
  for (const RawFrame& frame : frames) {
    Known& known = known_[frame.code];
    if (known.look == look_) continue;
    known.look = look_;
    pieces_.push_back({frame.code, std::span(heads_).subspan(pieces_.size() * kHeadBytes, kHeadBytes)});
  }
  memory.read(pieces_);
  bool whole = true;
  for (const Piece& piece : pieces_) {
    const bool good = piece.read && take(memory, interpreter, piece.address, piece.into);
    if (!good) known_.erase(piece.address);
    whole = whole && good;
  }
  return whole;
}

CodeObjects::Identity CodeObjects::identity_of(const Layout& layout, std::span<const std::byte> head) {
  return {.file = value_at<uint64_t>(head, layout.code_file),
          .name = value_at<uint64_t>(head, layout.code_name),
          .lines = value_at<uint64_t>(head, layout.code_lines),
          .first_line = value_at<int32_t>(head, layout.code_first_line)};
}

bool CodeObjects::take(const ForeignMemory& memory, const Interpreter& interpreter, uint64_t address,
                       std::span<const std::byte> head) {
  if (value_at<uint64_t>(head, kTypeAt) != interpreter.code_type) return false;
  Known& known = known_[address];
  const Identity identity = identity_of(interpreter.layout, head);
  if (known.identity == identity) return true;
  auto code = read_code(memory, interpreter, head);
  if (!code) return false;
  known.identity = identity;
  known.number = static_cast<uint32_t>(codes_.size());
  codes_.push_back(std::move(*code));
  return true;
}

}  // namespace sonde::record::python
