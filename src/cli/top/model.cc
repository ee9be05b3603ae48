#include "cli/top/model.h"

namespace sonde::top {
namespace {

void keep(std::deque<std::optional<double>>& values, std::optional<double> value) {
  values.push_back(value);
  if (values.size() > kKept) values.pop_front();
}

std::optional<double> utilization(const device::GpuState& state) {
  if (state.failure || !state.reading.gpu_utilization_percent) return std::nullopt;
  return static_cast<double>(*state.reading.gpu_utilization_percent);
}

std::optional<double> memory(const device::GpuState& state) {
  const auto used = state.reading.memory_used_bytes;
  const auto total = state.reading.memory_total_bytes;
  if (state.failure || !used || !total || *total <= 0) return std::nullopt;
  return 100 * static_cast<double>(*used) / static_cast<double>(*total);
}

}  // namespace

void add_round(Model& model, std::vector<device::GpuState> states, monitor::ProcessOwners& owners) {
  model.gpus.resize(states.size());
  model.processes.clear();
  for (size_t i = 0; i < states.size(); ++i) {
    GpuRow& row = model.gpus[i];
    row.state = std::move(states[i]);
    row.state.reading.index = static_cast<int64_t>(i);
    keep(row.utilization_percent, utilization(row.state));
    keep(row.memory_percent, memory(row.state));
    if (row.state.failure || !row.state.reading.running) continue;
    for (const device::GpuProcess& process : *row.state.reading.running) {
      model.processes.push_back({i, monitor::owned_process(process, model.info.simulated, &owners)});
    }
  }
}

}  // namespace sonde::top
