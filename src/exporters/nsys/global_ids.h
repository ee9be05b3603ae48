#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace sonde {

/// Nsight's 64-bit ids: vm << 48 | pid << 24 | tid. Ids of that form that the source gave are kept; others are made so
/// that every process of every rank has its own pid and no two threads share an id.
class GlobalIds {
 public:
  explicit GlobalIds(const Trace& trace);

  /// kUnknown for kNone.
  [[nodiscard]] int64_t process(ProcessId id) const { return at(processes_, id); }
  [[nodiscard]] int64_t thread(ThreadId id) const { return at(threads_, id); }

  static int64_t pid(int64_t global) { return (global >> kTidBits) & kTidMask; }
  static int64_t vm(int64_t global) { return global >> kVmShift; }

 private:
  static constexpr int kTidBits = 24;
  static constexpr int kVmShift = 48;
  static constexpr int64_t kTidMask = (int64_t{1} << kTidBits) - 1;

  static int64_t at(const std::vector<int64_t>& ids, uint32_t id) { return id < ids.size() ? ids[id] : kUnknown; }
  void number_processes(const Trace& trace);
  void number_threads(const Trace& trace);

  std::vector<int64_t> processes_;
  std::vector<int64_t> threads_;
};

}  // namespace sonde
