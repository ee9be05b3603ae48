#include "cli/gate_runs/machine.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "base/system/boot_id.h"
#include "base/system/clock.h"
#include "base/text/decimal.h"

namespace sonde {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(at);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// "0x0000000000000008" as nvidia-smi prints masks.
std::optional<int64_t> hexadecimal(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  text.remove_prefix(2);
  int64_t value = 0;
  constexpr int kBase = 16;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, kBase);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int64_t> sum_of_counters(std::span<const std::string_view> fields) {
  std::optional<int64_t> sum;
  for (const std::string_view field : fields) {
    if (const auto value = integer_of<int64_t>(field)) sum = sum.value_or(0) + *value;
  }
  return sum;
}

constexpr size_t kPlainColumns = 7;

/// Bits of NVML (nvml.h, nvmlClocksEventReasons) that make a run slower than its code.
struct Reason {
  int64_t bit;
  std::string_view name;
};
constexpr std::array kReasons = {Reason{0x08, "HW slowdown"}, Reason{0x20, "SW thermal slowdown"},
                                 Reason{0x40, "HW thermal slowdown"}, Reason{0x80, "HW power brake slowdown"}};

std::string reasons_text(int64_t bits) {
  std::string text;
  for (const Reason& reason : kReasons) {
    if ((bits & reason.bit) != 0) text += fmt::format("{}{}", text.empty() ? "" : ", ", reason.name);
  }
  return text;
}

std::string slowdown_of(const GpuState& before, const GpuState& after) {
  std::string text = reasons_text(before.reasons.value_or(0) | after.reasons.value_or(0));
  // Counters tell of all that was in between, so that what ended before the run does not count.
  if (before.slowed_us && after.slowed_us) {
    const int64_t slowed_us = *after.slowed_us - *before.slowed_us;
    text = slowed_us > 0
               ? fmt::format("thermal slowdown or power brake for {:.1f} ms", static_cast<double>(slowed_us) / 1e3)
               : reasons_text(after.reasons.value_or(0) & before.reasons.value_or(0));
  }
  if (text.empty()) return {};
  return fmt::format("GPU {}: {}{}", after.index, text,
                     after.celsius ? fmt::format(" ({} °C)", *after.celsius) : std::string());
}

template <typename Field>
void add_joined(gate::Conditions& conditions, std::string_view name, const std::vector<GpuState>& gpus, Field field) {
  std::set<std::string> values;
  for (const GpuState& gpu : gpus) values.insert(gpu.*field);
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  if (!text.empty()) conditions[std::string(name)] = text;
}

std::string file_text(const char* path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string host_name() {
  constexpr size_t kMostName = 256;  // HOST_NAME_MAX is 64
  std::array<char, kMostName> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

std::vector<std::string> gpu_query_columns() {
  const std::string plain = "index,name,uuid,driver_version,temperature.gpu,clocks.sm,";
  const std::string counter = ",clocks_event_reasons_counters.";
  return {plain + "clocks_event_reasons.active" + counter + "sw_thermal_slowdown" + counter + "hw_thermal_slowdown" +
              counter + "hw_power_brake_slowdown",
          plain + "clocks_event_reasons.active", plain + "clocks_throttle_reasons.active"};
}

std::vector<GpuState> parse_gpu_states(std::string_view csv) {
  std::vector<GpuState> gpus;
  for (const std::string_view line : split(csv, '\n')) {
    const auto fields = split(line, ',');
    if (fields.size() < kPlainColumns) continue;
    gpus.push_back({.index = std::string(fields[0]),
                    .name = std::string(fields[1]),
                    .uuid = std::string(fields[2]),
                    .driver = std::string(fields[3]),
                    .celsius = integer_of<int64_t>(fields[4]),
                    .sm_clock_mhz = integer_of<int64_t>(fields[5]),
                    .reasons = hexadecimal(fields[6]),
                    .slowed_us = sum_of_counters(std::span(fields).subspan(kPlainColumns))});
  }
  return gpus;
}

std::vector<GpuState> visible_gpus(std::vector<GpuState> gpus, const char* visible_devices) {
  if (visible_devices == nullptr) return gpus;
  const auto names = split(visible_devices, ',');
  std::vector<GpuState> visible;
  for (const GpuState& gpu : gpus) {
    const auto names_it = [&](std::string_view name) {
      return name == gpu.index || (name.starts_with("GPU-") && std::string_view(gpu.uuid).starts_with(name));
    };
    if (std::ranges::any_of(names, names_it)) visible.push_back(gpu);
  }
  return visible.empty() ? gpus : visible;
}

std::string slowdown_between(const MachineState& before, const MachineState& after) {
  std::string text;
  for (const GpuState& gpu : after.gpus) {
    const auto same = std::ranges::find(before.gpus, gpu.uuid, &GpuState::uuid);
    const std::string of_gpu = slowdown_of(same == before.gpus.end() ? GpuState{} : *same, gpu);
    if (!of_gpu.empty()) text += (text.empty() ? "" : "; ") + of_gpu;
  }
  return text;
}

gate::Conditions machine_conditions(const MachineState& state, std::string_view cpuinfo, std::string_view host) {
  gate::Conditions conditions;
  add_joined(conditions, "gpu", state.gpus, &GpuState::name);
  add_joined(conditions, "gpu_uuid", state.gpus, &GpuState::uuid);
  add_joined(conditions, "driver", state.gpus, &GpuState::driver);
  for (const std::string_view line : split(cpuinfo, '\n')) {
    if (!line.starts_with("model name")) continue;
    conditions["cpu"] = trimmed(line.substr(std::min(line.find(':'), line.size() - 1) + 1));
    break;
  }
  if (!host.empty()) conditions["host"] = host;
  return conditions;
}

gate::Conditions machine_conditions(const MachineState& state) {
  return machine_conditions(state, file_text("/proc/cpuinfo"), host_name());
}

gate::SessionOfRun session_now(int64_t now_s, std::string_view loadavg) {
  gate::SessionOfRun session;
  session.started_s = now_s;
  session.boot = boot_id();
  session.load = real_of(loadavg.substr(0, loadavg.find(' ')));
  return session;
}

std::optional<int64_t> slowest_sm_clock_mhz(const MachineState& state) {
  std::optional<int64_t> slowest;
  for (const GpuState& gpu : state.gpus) {
    if (gpu.sm_clock_mhz) slowest = std::min(slowest.value_or(*gpu.sm_clock_mhz), *gpu.sm_clock_mhz);
  }
  return slowest;
}

std::string processes_changed(const MachineState& before, const MachineState& after) {
  std::string text;
  const auto tell = [&](const std::vector<int64_t>& some, const std::vector<int64_t>& others, std::string_view what) {
    for (const int64_t pid : some) {
      if (std::ranges::find(others, pid) == others.end())
        text += fmt::format("{}process {} {}", text.empty() ? "" : ", ", pid, what);
    }
  };
  tell(after.processes, before.processes, "began to compute on a GPU");
  tell(before.processes, after.processes, "ended its work on a GPU");
  return text;
}

std::optional<std::string> MachineProbe::ask(const std::vector<std::string>& words) {
  constexpr int64_t kPatience_ns = 30'000'000'000;  // a driver that hangs
  auto answer = output_of(runner_, {.words = words, .time_limit_ns = kPatience_ns}, scratch_);
  if (!answer) return std::nullopt;
  return std::move(*answer);
}

std::vector<GpuState> MachineProbe::gpus() {
  while (!columns_.empty()) {
    const auto csv = ask({"nvidia-smi", "--query-gpu=" + columns_.front(), "--format=csv,noheader,nounits"});
    if (csv) return parse_gpu_states(*csv);
    if (runner_.interrupted()) return {};
    columns_.erase(columns_.begin());
  }
  return {};
}

MachineState MachineProbe::state() {
  MachineState state;
  state.session = session_now(clock_ns(CLOCK_REALTIME) / 1'000'000'000, file_text("/proc/loadavg"));
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this program changes its environment.
  state.gpus = visible_gpus(gpus(), std::getenv("CUDA_VISIBLE_DEVICES"));
  if (columns_.empty()) return state;
  const auto csv = ask({"nvidia-smi", "--query-compute-apps=pid", "--format=csv,noheader,nounits"});
  for (const std::string_view line : split(csv.value_or(""), '\n')) {
    if (const auto pid = integer_of<int64_t>(line)) state.processes.push_back(*pid);
  }
  return state;
}

}  // namespace sonde
