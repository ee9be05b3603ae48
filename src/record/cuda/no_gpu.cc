#include "record/cuda/no_gpu.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace sonde::record {
namespace {

struct Answer {
  int32_t result;
  std::string_view name;
  std::string_view advice;
};

/// CUresult (cuda.h), as far as a person can do something about it.
constexpr std::array kAnswers = {
    Answer{2, "CUDA_ERROR_OUT_OF_MEMORY", "the host or the GPU has no memory left"},
    Answer{34, "CUDA_ERROR_STUB_LIBRARY",
           "the program loaded the toolkit's stub of libcuda.so; remove .../lib64/stubs from LD_LIBRARY_PATH"},
    Answer{46, "CUDA_ERROR_DEVICE_UNAVAILABLE",
           "the GPU is in exclusive mode and another process has it (nvidia-smi -q)"},
    Answer{100, "CUDA_ERROR_NO_DEVICE",
           "check nvidia-smi, CUDA_VISIBLE_DEVICES, and in a container that it was started with GPUs (--gpus all)"},
    Answer{101, "CUDA_ERROR_INVALID_DEVICE", "check CUDA_VISIBLE_DEVICES"},
    Answer{802, "CUDA_ERROR_SYSTEM_NOT_READY", "on hosts with NVSwitch nvidia-fabricmanager must run"},
    Answer{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
           "the kernel module and libcuda.so are of different versions; reboot after an update of the driver"},
    Answer{804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
           "the driver is too old for the program's CUDA, and its compatibility libraries do not support this GPU"},
    Answer{999, "CUDA_ERROR_UNKNOWN", "dmesg may tell more; after a suspend reload the nvidia_uvm module"},
};

}  // namespace

std::string no_gpu_text(int32_t result) {
  const auto* const known = std::ranges::find(kAnswers, result, &Answer::result);
  if (known == kAnswers.end()) return fmt::format("the driver could not be initialized (cuInit returned {})", result);
  return fmt::format("the driver {} (cuInit returned {}, {}); {}",
                     result == 100 ? "sees no GPU" : "could not be initialized", result, known->name, known->advice);
}

}  // namespace sonde::record
