#pragma once

#include <cstdint>
#include <string>

namespace sonde::record {

enum class CpuScope : uint8_t { none, process_tree, system_wide };
enum class Backtrace : uint8_t { none, frame_pointer, dwarf };

/// The unwinder knows the registers of x86-64 only. Frame pointers are followed by Linux itself.
#ifdef __x86_64__
inline constexpr bool kCanUnwind = true;
#else
inline constexpr bool kCanUnwind = false;
#endif
inline constexpr Backtrace kBestBacktrace = kCanUnwind ? Backtrace::dwarf : Backtrace::frame_pointer;

/// What is recorded of the CPU's work, all of it by the recorder: nothing runs in the program.
struct CpuOptions {
  CpuScope sample = CpuScope::none;
  CpuScope switches = CpuScope::none;
  Backtrace backtrace = kBestBacktrace;
  int frequency_hz = 1000;        ///< of each thread that runs
  int samples_per_backtrace = 1;  ///< a chain for every so many samples of all threads

  [[nodiscard]] bool any() const { return sample != CpuScope::none || switches != CpuScope::none; }
};

/// How the recording of the CPU's work goes.
struct CpuState {
  std::string problem = {};  ///< why there is none; empty: there is
  bool kernel = false;       ///< time within the kernel is sampled
  bool cycles = false;       ///< samples tell of cycles
  int64_t own_ns = 0;        ///< CPU time of the recorder that all of it took
  int64_t unread_bytes = 0;  ///< of what Linux wrote, what could not be read
};

/// When the recording is on: CLOCK_MONOTONIC, both ends included.
struct CpuSpan {
  int64_t begin;
  int64_t end;

  [[nodiscard]] bool holds(int64_t time) const { return begin <= time && time <= end; }
};

}  // namespace sonde::record
