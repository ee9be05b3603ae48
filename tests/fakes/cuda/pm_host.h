#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The host's side of PM sampling: which metrics the stand-in's chip has, what fits into one pass, values out of a
/// counter data image.
namespace fake_cuda::cupti {

inline constexpr uint32_t kPmSampling = 1;  // CUPTI_PROFILER_TYPE_PM_SAMPLING

/// What cuptiProfilerHostInitialize() makes for PM sampling.
struct PmHost {
  uint32_t magic;
  std::vector<std::string> metrics;
};
[[nodiscard]] bool is_pm_host(const void* host);

/// A counter data image: this, then `room` samples of PmSample and its values.
struct PmImage {
  uint32_t magic;
  uint32_t metrics;
  uint32_t room;
  uint32_t samples;
};
struct PmSample {
  uint64_t start;
  uint64_t end;
};
[[nodiscard]] size_t pm_image_bytes(size_t metrics, size_t samples);
[[nodiscard]] PmSample* pm_sample(uint8_t* image, size_t index);
inline double* pm_values(PmSample* sample) { return reinterpret_cast<double*>(sample + 1); }

/// The names that a configuration image was made of; empty where it is none.
[[nodiscard]] std::vector<std::string> names_of_config(const uint8_t* config, size_t bytes);

/// The stand-in's chip, or by a fault "TU102", which samples by cycles.
[[nodiscard]] const char* pm_chip();

/// What a host function (its name without "cupti") answers where it is called for PM sampling; nothing where it is not.
[[nodiscard]] std::optional<uint32_t> answer_for_sampling(const char* function, void* params);

}  // namespace fake_cuda::cupti
