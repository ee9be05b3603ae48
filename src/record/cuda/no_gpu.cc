#include "record/cuda/no_gpu.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace sonde::record {
namespace {

struct KnownResult {
  int32_t result;
  std::string_view name;
  std::string_view advice;
};

/// CUresult (cuda.h), as far as a person can do something about it.
constexpr std::array kKnownResults = {
    KnownResult{2, "CUDA_ERROR_OUT_OF_MEMORY", "the host or the GPU has no memory left"},
    KnownResult{34, "CUDA_ERROR_STUB_LIBRARY",
                "the program loaded the toolkit's stub of libcuda.so; remove .../lib64/stubs from LD_LIBRARY_PATH"},
    KnownResult{46, "CUDA_ERROR_DEVICE_UNAVAILABLE",
                "the GPU is in exclusive mode and another process has it (nvidia-smi -q)"},
    KnownResult{
        100, "CUDA_ERROR_NO_DEVICE",
        "check nvidia-smi, CUDA_VISIBLE_DEVICES, and in a container that it was started with GPUs (--gpus all)"},
    KnownResult{101, "CUDA_ERROR_INVALID_DEVICE", "check CUDA_VISIBLE_DEVICES"},
    KnownResult{802, "CUDA_ERROR_SYSTEM_NOT_READY", "on hosts with NVSwitch nvidia-fabricmanager must run"},
    KnownResult{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
                "the kernel module and libcuda.so are of different versions; reboot after an update of the driver"},
    KnownResult{
        804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
        "the driver is too old for the program's CUDA, and its compatibility libraries do not support this GPU"},
    KnownResult{999, "CUDA_ERROR_UNKNOWN", "dmesg may tell more; after a suspend reload the nvidia_uvm module"},
};

}  // namespace

std::string no_gpu_text(int32_t result) {
  const auto* const known = std::ranges::find(kKnownResults, result, &KnownResult::result);
  if (known == kKnownResults.end())
    return fmt::format("the driver could not be initialized (cuInit returned {})", result);
  return fmt::format("the driver {} (cuInit returned {}, {}); {}",
                     result == 100 ? "sees no GPU" : "could not be initialized", result, known->name, known->advice);
}

}  // namespace sonde::record
