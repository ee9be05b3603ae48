#include "cli/simulate/inputs.h"

#include <algorithm>
#include <filesystem>

#include "base/files/small_file.h"
#include "cli/host/gpu_source.h"
#include "config/read.h"
#include "dispatch/store.h"

namespace sonde::simulate {
namespace {

namespace simulation = dispatch::simulation;
using device::simulated::HostDescription;

constexpr size_t kMostBytes = 16 << 20;

Result<HostDescription> described_host(const std::string& file) {
  const auto text = read_small_file(file, kMostBytes);
  if (!text) return std::unexpected(text.error());
  return device::simulated::read_description(*text, file);
}

/// GPUs with the memory and names of this host's.
Result<HostDescription> own_host() {
  const auto source = open_gpu_source({});
  if (!source) {
    return fail(
        "no GPUs to simulate; name them with --simulated FILE, under 'gpus' of the workload, or with "
        "sonde.devices.simulated of the configuration ({})",
        source.error().message);
  }
  HostDescription host;
  for (size_t i = 0; i < (*source)->gpu_count(); ++i) {
    device::GpuReading reading;
    if (!(*source)->read(i, device::identity | device::fast, reading)) continue;
    device::simulated::GpuDescription gpu;
    gpu.name = reading.name.value_or(gpu.name);
    gpu.memory_bytes = reading.memory_total_bytes.value_or(gpu.memory_bytes);
    gpu.compute_capability = reading.compute_capability.value_or(gpu.compute_capability);
    host.gpus.push_back(std::move(gpu));
  }
  if (host.gpus.empty()) return fail("no GPU of this host can be read; name simulated ones with --simulated FILE");
  return host;
}

Result<HostDescription> host_of(const Inputs& inputs, const config::Config& config,
                                std::optional<HostDescription> of_workload) {
  if (!inputs.simulated.empty()) return described_host(inputs.simulated);
  if (of_workload) return std::move(*of_workload);
  if (!config.sonde.devices.simulated.empty()) return described_host(config.sonde.devices.simulated);
  return own_host();
}

/// The folder that has the tasks.db which is meant.
Result<std::string> folder_of(const std::string& history) {
  namespace fs = std::filesystem;
  const fs::path path(history);
  std::error_code none;
  if (path.filename() == "tasks.db" && fs::is_regular_file(path, none))
    return path.has_parent_path() ? path.parent_path().string() : std::string(".");
  for (const fs::path& folder : {path, path / "tasks"}) {
    if (fs::is_regular_file(folder / "tasks.db", none)) return folder.string();
  }
  return fail("{}: no tasks.db found; name the state folder of a service, or the file itself", history);
}

Result<std::vector<dispatch::Task>> all_tasks(const std::string& history) {
  const auto folder = folder_of(history);
  if (!folder) return std::unexpected(folder.error());
  const auto store = dispatch::TaskStore::open(*folder);
  if (!store) return std::unexpected(store.error());
  std::vector<dispatch::Task> all;
  dispatch::TaskQuery query;
  query.max = 1000;
  while (true) {
    auto page = (*store)->list(query);
    if (!page) return std::unexpected(page.error());
    if (page->empty()) return all;
    query.before_id = page->back().id;
    std::ranges::move(*page, std::back_inserter(all));
  }
}

Status take_history(const Inputs& inputs, Scene& scene) {
  auto tasks = all_tasks(inputs.history);
  if (!tasks) return std::unexpected(tasks.error());
  simulation::Past past = simulation::make_past(std::move(*tasks), scene.config, inputs.seed);
  if (past.jobs.empty()) return fail("{} has no task with a known run time", inputs.history);
  scene.jobs = std::move(past.jobs);
  scene.speeds = std::move(past.speeds);
  scene.duration_ns = past.duration_ns;
  scene.notes = std::move(past.notes);
  return {};
}

Result<std::optional<HostDescription>> take_workload(const Inputs& inputs, Scene& scene) {
  const auto text = read_small_file(inputs.workload_file, kMostBytes);
  if (!text) return std::unexpected(text.error());
  auto workload = simulation::read_workload(*text, inputs.workload_file, scene.config);
  if (!workload) return std::unexpected(workload.error());
  scene.jobs = simulation::make_jobs(*workload, scene.config, inputs.seed);
  scene.speeds = std::move(workload->speeds);
  scene.duration_ns = workload->duration_ns;
  return std::move(workload->host);
}

}  // namespace

Result<Scene> scene_of(const Inputs& inputs) {
  Scene scene;
  if (!inputs.config_file.empty()) {
    auto config = config::load_config(inputs.config_file);
    if (!config) return std::unexpected(config.error());
    scene.config = std::move(*config);
  }
  std::optional<HostDescription> described;
  if (!inputs.history.empty()) {
    SONDE_TRY(take_history(inputs, scene));
  } else {
    auto taken = take_workload(inputs, scene);
    if (!taken) return std::unexpected(taken.error());
    described = std::move(*taken);
  }
  auto host = host_of(inputs, scene.config, std::move(described));
  if (!host) return std::unexpected(host.error());
  scene.host = std::move(*host);
  return scene;
}

}  // namespace sonde::simulate
