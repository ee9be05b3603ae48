#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "wire/layout.h"

namespace sonde::record {

/// What is sampled of GPUs.
struct GpuMetricsOptions {
  uint64_t devices = 0;  ///< a bit for each of CUDA's numbers; all of them: every GPU that a program sees
  uint32_t frequency_hz = 10'000;
  std::vector<std::string> names = {};  ///< of NVIDIA's; none: the general set

  [[nodiscard]] bool any() const { return devices != 0; }
};

/// What the injected library is asked for.
/// What NCCL is asked for through its profiler plugin interface.
struct NcclOptions {
  bool operations = false;  ///< collectives, sends and receives
  bool kernels = false;     ///< when their kernels' channels ran, by the GPU's timer
};

struct Wanted {
  bool nvtx = true;
  bool os_calls = true;
  int64_t os_threshold_ns = 1000;
  bool cuda = false;
  wire::CudaWanted cuda_options{.extras = 0, .flush_ms = 1000, .backtrace_ns = {-1, -1, -1, -1}};
  bool metrics = false;  ///< counters of kernels
  GpuMetricsOptions gpu_metrics = {};
  std::vector<std::string> libraries = {};  ///< of wire/libraries.inc, as -t names them
  NcclOptions nccl = {};

  /// Whether the library must be there before the program begins.
  [[nodiscard]] bool preloads() const { return os_calls || !libraries.empty(); }
};

/// The bits of wire::Wanted.
[[nodiscard]] uint32_t wanted_bits(const Wanted& wanted);

/// Processes that have not handed over all that they hold of the recording.
[[nodiscard]] inline uint32_t handing_over(const wire::Header& header) {
  return header.cuda_active.load(std::memory_order_acquire) + header.samplers_active.load(std::memory_order_acquire);
}

/// The memory that recorded programs write into (wire/layout.h). It lies in no folder: programs open it by this
/// process's descriptor in /proc, and it is gone when this process and all that mapped it are.
class Mapping {
 public:
  [[nodiscard]] static Result<Mapping> create(const Wanted& wanted);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&&) = delete;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  /// The value of wire::kMappingVariable.
  [[nodiscard]] const std::string& place() const { return place_; }
  /// The descriptor of the memory, for a process that cannot open `place()`.
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] std::byte* bytes() const { return bytes_; }
  [[nodiscard]] wire::Header& header() const { return *wire::header_of(bytes_); }

 private:
  Mapping(int file, std::byte* bytes, std::string place) : file_(file), bytes_(bytes), place_(std::move(place)) {}
  int file_;
  std::byte* bytes_;
  std::string place_;
};

}  // namespace sonde::record
