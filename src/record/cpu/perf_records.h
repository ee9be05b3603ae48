#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

/// What Linux's perf_event_open() writes into its ring buffers (perf_event_open(2)), taken apart, and the same form as
/// the spool has it: there a sample's registers and stack have become the chain that they meant.
namespace sonde::record {

/// Numbers of 64 bits at any address.
class Words {
 public:
  Words() = default;
  explicit Words(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] size_t size() const { return bytes_.size() / sizeof(uint64_t); }
  [[nodiscard]] uint64_t operator[](size_t index) const {
    uint64_t word = 0;
    std::memcpy(&word, bytes_.data() + index * sizeof word, sizeof word);
    return word;
  }

 private:
  std::span<const std::byte> bytes_;
};

/// One record. What its type does not have is zero or empty; texts and bytes lie in what was read.
struct PerfRecord {
  uint32_t type = 0;  ///< PERF_RECORD_*
  uint16_t misc = 0;
  std::span<const std::byte> bytes;  ///< all of it
  uint32_t process = 0;
  uint32_t thread = 0;
  uint32_t parent = 0;  ///< of FORK: the process
  uint32_t cpu = 0;
  int64_t time = 0;
  uint64_t address = 0;  ///< of MMAP2, and of a sample the instruction
  uint64_t length = 0;
  uint64_t offset = 0;
  uint64_t inode = 0;                   ///< 0: not known
  std::span<const std::byte> build_id;  ///< empty: not known
  std::string_view text;                ///< path or name
  uint64_t lost = 0;
  uint64_t period = 0;
  Words chain;                       ///< with PERF_CONTEXT_* between its parts
  Words registers;                   ///< kUserRegisters; empty where there are none of 64 bits
  std::span<const std::byte> stack;  ///< from the stack pointer on
};

/// What sampled events carry: PERF_SAMPLE_*.
inline constexpr uint64_t kSampleParts = (1U << 0U) | (1U << 1U) | (1U << 2U) | (1U << 5U) | (1U << 7U) | (1U << 8U);
inline constexpr uint64_t kStackParts = (1U << 12U) | (1U << 13U);

/// The general registers and the instruction pointer, in Linux's numbers for x86-64.
inline constexpr uint64_t kUserRegisters = 0xFF01FF;
inline constexpr size_t kUserRegisterCount = 17;

/// In `misc` of a sample in the spool: its chain reaches the thread's first function. A bit that Linux does not use.
inline constexpr uint16_t kWholeChain = 1U << 8U;

/// Reads records one behind the other. Any bytes may come: what is no record ends the reading; a type that is not
/// known here is skipped.
class PerfReader {
 public:
  enum class Samples : uint8_t { chain, chain_and_stack };

  PerfReader(std::span<const std::byte> bytes, Samples samples) : rest_(bytes), samples_(samples) {}

  [[nodiscard]] bool next(PerfRecord& record);
  /// Bytes that were not read: 0 at the end of whole records.
  [[nodiscard]] size_t left() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
  Samples samples_;
};

/// Appends a sample in the spool's form: its kernel part and these user addresses, innermost first.
void append_sample(const PerfRecord& sample, std::span<const uint64_t> user, bool whole, std::vector<std::byte>& out);

/// Appends a mapping of code as Linux would have reported it, for processes that were there before.
void append_mapping(const PerfRecord& mapping, std::vector<std::byte>& out);
/// The same of a thread's name, `text`.
void append_name(const PerfRecord& name, std::vector<std::byte>& out);

}  // namespace sonde::record
