#pragma once

#include <atomic>
#include <cstdint>

/// What the stand-in does wrong, by the variable SONDE_FAKE_CUPTI: words with commas between, some with a number.
namespace fake_cuda::cupti {

struct Faults {
  uint32_t zero_times = 0;     ///< every so many kernels have start = end = 0
  uint32_t reversed = 0;       ///< every so many end before they start
  uint32_t lost = 0;           ///< every so many never arrive
  uint32_t dropped = 0;        ///< every so many records are dropped, and counted
  uint32_t null_names = 0;     ///< every so many kernels have no name
  uint32_t new_kinds = 0;      ///< before every so many records stands one of a kind that nobody knows
  uint32_t bad_kinds = 0;      ///< every so many buffers hold a record in the middle that cannot be read
  bool truncated = false;      ///< the last record of each buffer is not whole
  bool empty_buffers = false;  ///< before each buffer comes one with nothing in it
  bool odd_size = false;       ///< behind the records lie four bytes more that count as valid
  bool no_kernels = false;     ///< none arrives
  bool no_devices = false;     ///< nor does one of a GPU
  uint32_t flush_fails = 0;    ///< CUptiResult of each
  uint32_t register_fails = 0;
  uint32_t subscribe_fails = 0;
  uint32_t enable_fails = 0;
  uint32_t timestamp_fails = 0;
  uint32_t call_cost = 0;  ///< nanoseconds that recording a CUDA call takes
  // Of PM sampling.
  uint32_t pm_fails = 0;      ///< CUptiResult of asking for the counters
  uint32_t pm_fit = 0;        ///< so many metrics fit into one pass
  uint32_t pm_overflow = 0;   ///< that decoding finds the hardware's buffer full
  uint32_t pm_timeless = 0;   ///< every so many samples have no times
  uint32_t pm_displaced = 0;  ///< nanoseconds by which their times are too late
  // Of PC sampling.
  uint32_t pc_fails = 0;       ///< CUptiResult of switching it on
  uint32_t pc_data_fails = 0;  ///< of reading
  uint32_t pc_dropped = 0;     ///< so many samples of each launch
  uint32_t pc_elsewhere = 0;   ///< so many in a function that the kernel calls
  uint32_t pc_piece = 0;       ///< so many instructions are told at once, at most
  bool pc_full = false;        ///< the hardware's buffer is
  bool pc_unnamed = false;     ///< the stall reason of each kernel's first instruction has no name
  bool pc_late = false;        ///< samples arrive when it is switched off
  // Of SASS metrics.
  uint32_t sass_fails = 0;       ///< CUptiResult of choosing them
  uint32_t sass_data_fails = 0;  ///< of reading
  uint32_t sass_elsewhere = 0;   ///< so many instructions of warps in a function that the kernel calls
  bool sass_split = false;       ///< each metric has records of its own
  bool sass_unknown = false;     ///< the chip lacks the last of them
  bool sass_kills = false;       ///< the process dies where they are read
  bool pm_turing = false;        ///< the chip is a TU102
  bool pm_unknown_chip = false;  ///< CUPTI does not know it
};

const Faults& faults();

/// Whether it is the turn of one in `every`, counted in `turn`; never where `every` is 0.
bool is_due(uint32_t every, std::atomic<uint32_t>& turn);

}  // namespace fake_cuda::cupti
