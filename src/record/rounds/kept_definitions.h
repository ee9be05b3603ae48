#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "record/cpu/perf_records.h"
#include "record/rounds/sink.h"
#include "wire/reader.h"

namespace sonde::record {

/// Definitions (names, processes, GPUs) that a process sends once and that every later recording needs. Keeps the
/// last value of each; its size depends on the program's objects, not on its run time.
class KeptDefinitions {
 public:
  void note(const Slice& slice);
  void hand_to(Sink& sink) const;

 private:
  /// What a record tells of: a later one of the same takes its place.
  struct Subject {
    uint32_t kind = 0;  ///< wire::Kind; of the CPU's records their type, with kCpu
    uint32_t process = 0;
    uint32_t thread = 0;
    uint16_t domain = 0;
    uint64_t number = 0;
    uint64_t part = 0;
    std::string text = {};
    auto operator<=>(const Subject&) const = default;
  };
  static constexpr uint32_t kCpu = 1U << 31U;

  void note_records(const Slice& slice);
  void note_definition(const Slice& slice, std::span<const std::byte> bytes);
  void note_code(const Slice& slice);
  void note_task(const Slice& slice, const PerfRecord& record);
  [[nodiscard]] static Subject subject_of(const Slice& slice, const wire::Record& record);
  [[nodiscard]] static Subject name_of(const PerfRecord& record);
  [[nodiscard]] static Subject place_of(const PerfRecord& record);
  /// For good.
  void keep(const Slice& of, std::span<const std::byte> record);
  /// In place of the one before it.
  void keep_last(const Slice& of, std::span<const std::byte> record, Subject subject);
  /// The first for good, since a forked process has it from then on; of later ones the last.
  void keep_first_and_last(const Slice& of, std::span<const std::byte> record, Subject subject);

  std::vector<std::byte> for_good_;                   ///< slices as in a spool
  std::map<Subject, std::vector<std::byte>> latest_;  ///< a slice each
};

}  // namespace sonde::record
