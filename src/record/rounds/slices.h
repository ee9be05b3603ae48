#pragma once

#include <functional>
#include <vector>

#include "record/rounds/spool.h"
#include "wire/reader.h"

namespace sonde::record {

/// When a record was written: its time, and of a call, which is written when it comes back, its end.
[[nodiscard]] int64_t written_at(const wire::Record& record);

/// The slices of a spool, those of a thread one behind the other and in the order in which it wrote them.
struct Slices {
  std::vector<Slice> all;
  std::vector<Slice> cpu = {};     ///< what Linux reported of the CPU's work, in the order in which it was taken
  std::vector<Slice> python = {};  ///< what the sampler of Python took, in that order
  size_t unread_bytes = 0;         ///< at the end of the file, that are no slice
  /// Called now and then: what was read so far need not stay in memory.
  std::function<void()> let_go = [] {};
};

[[nodiscard]] Slices ordered_slices(std::span<const std::byte> spool, std::function<void()> let_go = [] {});

/// Lets go of what is read, some megabytes at a time.
class LettingGo {
 public:
  explicit LettingGo(const std::function<void()>& let_go) : let_go_(let_go) {}
  LettingGo(const LettingGo&) = delete;
  LettingGo& operator=(const LettingGo&) = delete;
  ~LettingGo() { let_go_(); }

  void has_read(const Slice& slice) {
    bytes_ += slice.records.size();
    if (bytes_ < kBytes) return;
    let_go_();
    bytes_ = 0;
  }

 private:
  static constexpr size_t kBytes = size_t{4} << 20U;
  const std::function<void()>& let_go_;
  size_t bytes_ = 0;
};

}  // namespace sonde::record
