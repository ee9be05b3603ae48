#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "record/cpu/address_spaces.h"
#include "record/cpu/frame_rules.h"
#include "record/cpu/symbols.h"

struct Elf;

namespace sonde::record {

/// An ELF file whose code was sampled: how to leave its functions, and what they are called. A file that is gone, or is
/// another one by now than was mapped, knows nothing.
class CodeFile {
 public:
  explicit CodeFile(const FileIdentity& identity);

  enum class State : uint8_t { good, no_file, gone, changed };
  [[nodiscard]] State state() const { return state_; }

  /// The address that the linker gave to what lies at an offset of the file; empty where no segment is there.
  [[nodiscard]] std::optional<uint64_t> address_of(uint64_t offset) const;
  /// How the function at an address is left; null where the file does not say.
  [[nodiscard]] const FrameRules* rules(uint64_t address);
  /// The mangled name of the function that holds an address; empty where none is known.
  [[nodiscard]] std::string_view symbol(uint64_t address);

 private:
  struct Segment {
    uint64_t offset, bytes, address;
  };
  struct ElfEnd {
    void operator()(Elf* elf) const;
  };

  void open(const FileIdentity& identity);
  void read_segments();

  State state_ = State::no_file;
  std::unique_ptr<Elf, ElfEnd> elf_;
  std::vector<Segment> segments_;
  std::optional<std::unique_ptr<FrameTable>> frames_;  ///< once it was looked for
  std::optional<Symbols> symbols_;
};

/// The files of an AddressSpaces, opened when they are first asked for.
class CodeFiles {
 public:
  explicit CodeFiles(const AddressSpaces& spaces) : spaces_(spaces) {}
  [[nodiscard]] CodeFile& at(FileId file);
  /// Files that were not what had been mapped, and so have neither names nor chains.
  [[nodiscard]] std::vector<std::string_view> changed() const;

 private:
  const AddressSpaces& spaces_;
  std::vector<std::unique_ptr<CodeFile>> files_;
};

}  // namespace sonde::record
