#include "gate/record/conditions_of.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analyses/gpus/gpus.h"
#include "gate/record/recorded_kinds.h"
#include "gate/record/versions.h"

namespace sonde::gate {
namespace {

/// Values of the ranks or GPUs of a run: all that are known, once.
class RunValues {
 public:
  void add(std::string_view value) {
    if (!value.empty()) values_.emplace(value);
  }
  void put(std::string_view name, Conditions& conditions) const {
    if (!values_.empty()) conditions[std::string(name)] = fmt::format("{}", fmt::join(values_, ", "));
  }

 private:
  std::set<std::string> values_;
};

/// The first of a rank's facts that is known.
std::string_view first_of(const Rank& rank, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const std::string_view value = capture_value(rank, name); !value.empty()) return value;
  }
  return {};
}

/// Tools write /proc/cpuinfo's whole block behind the name.
std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// What the driver can, and what the program was built with where the profile tells both.
std::string cuda_of(const Rank& rank) {
  if (const auto hip = capture_value(rank, "hip_runtime_version"); !hip.empty()) return fmt::format("HIP {}", hip);
  const std::string driver = cuda_version(first_of(rank, {"CudaDriverVersion", "CUDA Version", "cuda_driver_version"}));
  const std::string runtime = cuda_version(capture_value(rank, "cuda_runtime_version"));
  return runtime.empty() ? driver : fmt::format("{}, runtime {}", driver, runtime);
}

/// PyTorch's traces tell no version of PyTorch.
std::string tool_version(const Rank& rank) {
  if (!rank.product_version.empty()) return rank.product_version;
  const std::string_view cupti = capture_value(rank, "cupti_version");
  const std::string_view roctracer = capture_value(rank, "roctracer_version");
  if (!cupti.empty()) return fmt::format("CUPTI {}", cupti);
  return roctracer.empty() ? std::string() : fmt::format("roctracer {}", roctracer);
}

void add_ranks(const Trace& trace, Conditions& conditions) {
  RunValues tool, version, driver, cuda, cpu, host;
  for (const Rank& rank : trace.ranks) {
    tool.add(rank.product);
    version.add(tool_version(rank));
    driver.add(driver_version(first_of(rank, {"NvDriverVersion", "Display Driver Version"})));
    cuda.add(cuda_of(rank));
    cpu.add(first_line(first_of(rank, {"CpuDescription", "target processor"})));
    host.add(first_of(rank, {"Hostname", "target computer", "host_name"}));
  }
  tool.put("tool", conditions);
  version.put("tool_version", conditions);
  driver.put("driver", conditions);
  cuda.put("cuda", conditions);
  cpu.put("cpu", conditions);
  host.put("host", conditions);
}

/// "A100-SXM4-40GB MIG 1g.5gb": a part of a GPU has the part in its name.
constexpr std::string_view kMig = " MIG ";

std::string_view model_of(const Device& device) {
  return std::string_view(device.name).substr(0, device.name.find(kMig));
}

std::string mig_of(const Device& device) {
  const size_t at = device.name.find(kMig);
  if (at != std::string::npos) return device.name.substr(at + kMig.size());
  return device.uuid.starts_with("MIG") ? "yes" : "none";
}

/// The devices that a run used, as far as the files describe them.
std::vector<const Device*> used_devices(const Trace& trace) {
  std::set<DeviceId> used;
  for (const KernelProfile& kernel : trace.kernel_profiles) used.insert(kernel.device);
  if (trace.kernel_profiles.empty()) {
    for (const Gpu& gpu : gpus_of(trace).gpus) used.insert(gpu.device);
  }
  std::vector<const Device*> devices;
  for (const DeviceId id : used) {
    if (id < trace.devices.size()) devices.push_back(&trace.devices[id]);
  }
  return devices;
}

constexpr int64_t kHertzPerMegahertz = 1'000'000;

void add_devices(const Trace& trace, Conditions& conditions) {
  RunValues model, mig, uuid, clock;
  for (const Device* device : used_devices(trace)) {
    if (device->name.empty()) continue;
    model.add(model_of(*device));
    mig.add(mig_of(*device));
    uuid.add(device->uuid);
    if (device->clock_hz) clock.add(fmt::format("{} MHz", *device->clock_hz / kHertzPerMegahertz));
  }
  model.put("gpu", conditions);
  mig.put("mig", conditions);
  uuid.put("gpu_uuid", conditions);
  clock.put("gpu_clock", conditions);
}

void add_kinds(const Trace& trace, Conditions& conditions) {
  RunValues words;
  for (const Rank& rank : trace.ranks) {
    for (const std::string& word : recorded_kinds(rank)) words.add(word);
  }
  words.put("capture", conditions);
}

/// A kernel profiler sets clocks and caches unless it is asked not to (Nsight Compute CLI, --clock-control and
/// --cache-control): its command line tells what it did, where the report has it.
void add_controls(const Trace& trace, Conditions& conditions) {
  RunValues clock, cache;
  for (const Rank& rank : trace.ranks) {
    const std::string_view command = capture_value(rank, "command line");
    if (command.empty()) continue;
    const auto value_or = [&](std::string_view option, std::string_view by_default) {
      const std::string value = option_value(command, option);
      return value.empty() ? std::string(by_default) : value;
    };
    clock.add(value_or("clock-control", "base"));
    cache.add(value_or("cache-control", "all"));
  }
  clock.put("clock_control", conditions);
  cache.put("cache_control", conditions);
}

}  // namespace

Conditions conditions_of(const Trace& trace) {
  const bool is_report = !trace.kernel_profiles.empty();
  Conditions found;
  found["kind"] = is_report ? "kernel report" : "timeline";
  if (!is_report) found["ranks"] = fmt::format("{}", trace.ranks.size());
  add_ranks(trace, found);
  add_devices(trace, found);
  if (is_report) {
    add_controls(trace, found);
  } else {
    add_kinds(trace, found);
  }
  return found;
}

}  // namespace sonde::gate
