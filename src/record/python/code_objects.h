#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "record/python/objects.h"

namespace sonde::record::python {

/// A frame of a stack as it was read: a code object and where in it.
struct RawFrame {
  uint64_t code = 0;
  int64_t at = 0;  ///< what Layout::frame_at tells of
};

/// A function, as much of it as a frame's name needs.
struct Code {
  std::string function;
  std::string file;
  int32_t first_line = 0;
  std::vector<std::byte> lines;   ///< see line_table.h
  int64_t instruction_bytes = 0;  ///< 0: not known
};

/// The code objects of a process, each read once. An object that was freed leaves its place to another one: which is
/// there is looked at in each sample.
class CodeObjects {
 public:
  /// Reads what is new of the frames' code, and forgets what is there no longer. False where a frame's is none: the
  /// stack was torn.
  [[nodiscard]] bool look_at(const ForeignMemory& memory, const Interpreter& interpreter,
                             std::span<const RawFrame> frames);

  /// That of a frame of the last look; its number never changes its meaning.
  [[nodiscard]] uint32_t number(uint64_t code) const { return known_.at(code).number; }
  [[nodiscard]] const Code& at(uint32_t number) const { return codes_[number]; }

 private:
  static constexpr size_t kHeadBytes = 208;  ///< to the instructions, in every version

  /// The members that tell one code object from another.
  struct Identity {
    uint64_t file = 0;
    uint64_t name = 0;
    uint64_t lines = 0;
    int32_t first_line = 0;
    bool operator==(const Identity&) const = default;
  };
  struct Known {
    Identity identity;
    uint32_t number = 0;
    uint64_t look = 0;  ///< the last in which it was looked at
  };

  [[nodiscard]] static Identity identity_of(const Layout& layout, std::span<const std::byte> head);
  [[nodiscard]] bool take(const ForeignMemory& memory, const Interpreter& interpreter, uint64_t address,
                          std::span<const std::byte> head);

  boost::unordered_flat_map<uint64_t, Known> known_;
  std::vector<Code> codes_;
  uint64_t look_ = 0;
  std::vector<std::byte> heads_;
  std::vector<Piece> pieces_;
};

/// How many bytes behind the first instruction a frame is; before it, negative.
[[nodiscard]] int64_t offset_of(const Layout& layout, const RawFrame& frame);

}  // namespace sonde::record::python
