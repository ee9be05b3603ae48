#include "inject/metrics/launch.h"

#include <cstring>

#include "inject/driver.h"

namespace sonde::inject::metrics {
namespace {

/// CUlaunchAttribute.
struct Attribute {
  uint32_t id;
  uint32_t padding;
  int value;
  uint32_t rest[15];
};
static_assert(sizeof(Attribute) == 72);

/// CUlaunchConfig, as far as it is read.
struct Config {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;
  void* stream;
  const Attribute* attributes;
  uint32_t attribute_count;
};

/// cuLaunchKernel_params, and that of cuLaunchCooperativeKernel.
struct PlainParams {
  void* function;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;
  void* stream;
};

/// cuLaunchKernelEx_params.
struct ConfigParams {
  const Config* config;
  void* function;
};

constexpr uint32_t kLaunchCooperativeKernel = 477;
constexpr uint32_t kLaunchCooperativeKernelPerThread = 478;
constexpr uint32_t kLaunchKernelPerThread = 442;
constexpr uint32_t kLaunchKernelEx = 652;
constexpr uint32_t kLaunchKernelExPerThread = 653;

template <typename Shape>
void take_shape(Launch& launch, const Shape& shape) noexcept {
  memcpy(launch.kernel.grid, shape.grid, sizeof shape.grid);
  memcpy(launch.kernel.block, shape.block, sizeof shape.block);
  launch.kernel.dynamic_shared_bytes = shape.shared_bytes;
  launch.stream = shape.stream;
}

bool is_cooperative(const Config& config) noexcept {
  constexpr uint32_t kCooperative = 2;  // CU_LAUNCH_ATTRIBUTE_COOPERATIVE
  for (uint32_t i = 0; config.attributes != nullptr && i < config.attribute_count; ++i) {
    if (config.attributes[i].id == kCooperative && config.attributes[i].value != 0) return true;
  }
  return false;
}

/// CU_STREAM_PER_THREAD for the default stream of those calls that mean it.
void* waited_stream(uint32_t call, void* stream) noexcept {
  const bool per_thread =
      call == kLaunchKernelPerThread || call == kLaunchKernelExPerThread || call == kLaunchCooperativeKernelPerThread;
  return per_thread && stream == nullptr ? reinterpret_cast<void*>(2) : stream;  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

bool is_graph_launch(uint32_t call) noexcept { return call == kGraphLaunches[0] || call == kGraphLaunches[1]; }

Launch launch_of(uint32_t call, const void* parameters) noexcept {
  Launch launch;
  if (call == kLaunchKernelEx || call == kLaunchKernelExPerThread) {
    const auto& with_config = *static_cast<const ConfigParams*>(parameters);
    launch.function = with_config.function;
    if (with_config.config == nullptr) return launch;
    take_shape(launch, *with_config.config);
    launch.is_cooperative = is_cooperative(*with_config.config);
  } else {
    const auto& plain = *static_cast<const PlainParams*>(parameters);
    launch.function = plain.function;
    take_shape(launch, plain);
    launch.is_cooperative = call == kLaunchCooperativeKernel || call == kLaunchCooperativeKernelPerThread;
  }
  launch.waited_stream = waited_stream(call, launch.stream);
  return launch;
}

void add_function_facts(Launch& launch) noexcept {
  // CU_FUNC_ATTRIBUTE_*
  constexpr int kSharedBytes = 1;
  constexpr int kLocalBytes = 3;
  constexpr int kRegisters = 4;
  const Driver& driver = the_driver();
  void* function = launch.function;
  // What launches may be a CUkernel, which stands for its function in the current context.
  if (driver.function_of_kernel.is_there()) {
    void* of_kernel = nullptr;
    if (driver.function_of_kernel(&of_kernel, launch.function) == 0 && of_kernel != nullptr) function = of_kernel;
  }
  const auto attribute = [&](int which) {
    int value = 0;
    const bool reported = driver.function_attribute(&value, which, function) == 0;
    return reported ? static_cast<uint32_t>(value) : wire::kNotGiven;
  };
  launch.kernel.registers = attribute(kRegisters);
  launch.kernel.static_shared_bytes = attribute(kSharedBytes);
  launch.kernel.local_bytes = attribute(kLocalBytes);
}

}  // namespace sonde::inject::metrics
