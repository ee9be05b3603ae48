#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "record/cpu/code_file.h"
#include "record/cpu/perf_map.h"
#include "record/images.h"
#include "record/rounds/slices.h"
#include "trace/trace.h"

namespace sonde::record {

/// Names the functions of recorded programs, and makes call chains of addresses.
///
/// A frame whose function has no name is called by its address in its file (as the linker numbered it), or, outside of
/// any file, by the address alone.
class Symbolizer {
 public:
  /// Of the slices' records of mappings. All must outlive it.
  Symbolizer(Trace& trace, const Slices& slices);

  /// Adds what processes reported themselves of where their code lies. What Linux reported of a process takes
  /// precedence.
  void add(const Images& images);

  /// The chain of a list of return addresses of a process at a time (CLOCK_MONOTONIC), innermost first. Equal chains of
  /// an era of the process are one. kNone for no addresses.
  [[nodiscard]] ChainId chain(uint32_t process, int64_t time, std::span<const uint64_t> addresses);
  /// That of a sample: what ran in the kernel, and below it the instruction that ran, followed by return addresses.
  [[nodiscard]] ChainId chain(uint32_t process, int64_t time, std::span<const uint64_t> kernel,
                              std::span<const uint64_t> user);

  /// Whether a chain's outermost function is one with which threads begin.
  [[nodiscard]] bool ends_at_start(ChainId chain) const;
  [[nodiscard]] const CodeFiles& files() const { return files_; }

 private:
  struct Name {
    NameId symbol;
    NameId module;
  };

  [[nodiscard]] std::pair<ChainId, bool> begin_chain(uint64_t era, std::span<const uint64_t> kernel,
                                                     std::span<const uint64_t> user);
  void add_user_frame(uint32_t process, int64_t time, uint64_t address, bool called);
  Name user_name(uint32_t process, int64_t time, uint64_t address, bool called);
  Name name_in(FileId file, uint64_t offset, bool called);
  Name name_outside(uint32_t process, uint64_t address);
  void add_frame(const Name& name, uint64_t address, bool kernel);

  Trace& trace_;
  AddressSpaces spaces_;
  CodeFiles files_{spaces_};
  boost::unordered_flat_map<uint64_t, Name> known_;                     ///< by file and offset
  boost::unordered_flat_map<std::string, ChainId> known_chains_;        ///< by era and addresses
  boost::unordered_flat_map<uint32_t, std::unique_ptr<PerfMap>> made_;  ///< code that processes made
};

}  // namespace sonde::record
