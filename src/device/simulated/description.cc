#include "device/simulated/description.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "base/files/yaml_keys.h"
#include "base/text/decimal.h"
#include "base/text/suggest.h"

namespace sonde::device::simulated {
namespace {

struct UnitOf {
  std::string_view name;
  double factor;
};
using Units = std::span<const UnitOf>;
constexpr auto kSeconds = std::to_array<UnitOf>({{"s", 1e9}, {"ms", 1e6}, {"min", 60e9}, {"h", 3600e9}});
constexpr auto kBytes = std::to_array<UnitOf>(
    {{"GiB", 1073741824.0}, {"MiB", 1048576.0}, {"TiB", 1099511627776.0}, {"GB", 1e9}, {"MB", 1e6}, {"B", 1}});
constexpr auto kWatts = std::to_array<UnitOf>({{"W", 1}, {"kW", 1000}});
constexpr auto kMegahertz = std::to_array<UnitOf>({{"MHz", 1}, {"GHz", 1000}});
constexpr auto kCelsius = std::to_array<UnitOf>({{"C", 1}});
constexpr auto kPercent = std::to_array<UnitOf>({{"%", 1}});
constexpr auto kCount = std::to_array<UnitOf>({{"", 1}});

constexpr auto kHostKeys = std::to_array<std::string_view>({"version", "driver_version", "gpus"});
constexpr auto kGpuKeys = std::to_array<std::string_view>(
    {"name", "count", "memory", "compute_capability", "idle_power", "full_power", "power_limit", "sm_clock",
     "idle_clock", "memory_clock", "ambient", "full_load_temperature", "slowdown_temperature", "time_constant", "load",
     "repeat", "faults"});
constexpr auto kLoadKeys = std::to_array<std::string_view>({"at", "utilization", "memory", "pid", "process"});
constexpr auto kFaultKeys = std::to_array<std::string_view>({"at", "for", "xid", "lost", "not_answering", "power_brake",
                                                             "ecc_corrected", "ecc_uncorrected", "recovery_action"});
struct FaultName {
  const char* key;
  FaultKind kind;
};
constexpr auto kFaults = std::to_array<FaultName>({{"xid", FaultKind::xid},
                                                   {"lost", FaultKind::lost},
                                                   {"not_answering", FaultKind::not_answering},
                                                   {"power_brake", FaultKind::power_brake},
                                                   {"ecc_corrected", FaultKind::ecc_corrected},
                                                   {"ecc_uncorrected", FaultKind::ecc_uncorrected},
                                                   {"recovery_action", FaultKind::recovery_action}});
constexpr int64_t kMaxGpus = 1024;

/// Reads one file; collects its errors and continues.
class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  void read(std::string_view yaml) {
    try {
      read_host(YAML::Load(std::string(yaml)));
    } catch (const YAML::Exception& e) {
      problem(e.mark, fmt::format("not valid YAML: {}", e.msg));
    }
  }

  HostDescription host;
  std::vector<std::string> problems;

 private:
  void problem(const YAML::Mark& mark, std::string_view message) {
    const bool nowhere = mark.is_null();
    problems.push_back(
        fmt::format("{}:{}:{}: {}", file_, nowhere ? 1 : mark.line + 1, nowhere ? 1 : mark.column + 1, message));
  }

  bool is_map(const YAML::Node& node, std::span<const std::string_view> known) {
    if (!node.IsMap()) {
      problem(node.Mark(), fmt::format("expected keys such as '{}'", known.front()));
      return false;
    }
    check_yaml_keys(node, known, [&](const YAML::Mark& mark, const std::string& says) { problem(mark, says); });
    return true;
  }

  /// "80 GiB" in the unit that has the factor 1; absent where the key is.
  std::optional<double> amount(const YAML::Node& map, const char* key, Units units, double min, double max) {
    const YAML::Node node = map[key];
    if (!node) return std::nullopt;
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    const size_t end = text.find_first_not_of("0123456789.+-eE");
    const auto number = real_of(std::string_view(text).substr(0, end));
    const size_t at = end == std::string::npos ? end : text.find_first_not_of(' ', end);
    const std::string_view unit = at == std::string::npos ? "" : std::string_view(text).substr(at);
    const auto found = std::ranges::find(units, unit, &UnitOf::name);
    if (!number || found == units.end() || *number * found->factor < min || *number * found->factor > max) {
      problem(node.Mark(), fmt::format("'{}' is not a valid value for '{}': {}", text, key, example(units, min, max)));
      return std::nullopt;
    }
    return *number * found->factor;
  }

  static std::string example(Units units, double min, double max) {
    const UnitOf& unit = units.front();
    const std::string range = fmt::format("from {:g} to {:g}", min / unit.factor, max / unit.factor);
    if (unit.name.empty()) return fmt::format("expected a number {}", range);
    return fmt::format("expected a number {} with its unit, such as '{:g} {}'", range,
                       std::clamp(10 * unit.factor, min, max) / unit.factor, unit.name);
  }

  template <typename T>
  void set(const YAML::Node& map, const char* key, T& value, Units units, double min, double max) {
    const auto given = amount(map, key, units, min, max);
    if (!given) return;
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(std::llround(*given));
    } else {
      value = static_cast<T>(*given);
    }
  }

  void set_text(const YAML::Node& map, const char* key, std::string& value) {
    const YAML::Node node = map[key];
    if (!node) return;
    if (node.IsScalar() && !node.Scalar().empty()) {
      value = node.Scalar();
    } else {
      problem(node.IsNull() ? map.Mark() : node.Mark(), fmt::format("'{}' has no value", key));
    }
  }

  void read_host(const YAML::Node& document) {
    if (!is_map(document, kHostKeys)) return;
    int64_t version = 1;
    set(document, "version", version, kCount, 1, 1);
    set_text(document, "driver_version", host.driver_version);
    const YAML::Node gpus = document["gpus"];
    if (!gpus || !gpus.IsSequence() || gpus.size() == 0) {
      problem(gpus ? gpus.Mark() : document.Mark(), "'gpus' must be a list with at least one GPU");
      return;
    }
    for (const YAML::Node& node : gpus) read_gpu(node);
  }

  void read_gpu(const YAML::Node& node) {
    if (!is_map(node, kGpuKeys)) return;
    constexpr double kMaxWatts = 10000;
    constexpr double kMaxCelsius = 200;
    constexpr double kMaxMegahertz = 20000;
    GpuDescription gpu;
    int64_t count = 1;
    set_text(node, "name", gpu.name);
    set(node, "count", count, kCount, 1, kMaxGpus);
    set(node, "memory", gpu.memory_bytes, kBytes, 1, 1e15);
    read_capability(node, gpu);
    set(node, "idle_power", gpu.idle_watts, kWatts, 0, kMaxWatts);
    set(node, "power_limit", gpu.limit_watts, kWatts, 1, kMaxWatts);
    gpu.full_watts = gpu.limit_watts;
    set(node, "full_power", gpu.full_watts, kWatts, 1, kMaxWatts);
    set(node, "sm_clock", gpu.sm_clock_mhz, kMegahertz, 1, kMaxMegahertz);
    set(node, "idle_clock", gpu.idle_clock_mhz, kMegahertz, 0, kMaxMegahertz);
    set(node, "memory_clock", gpu.memory_clock_mhz, kMegahertz, 1, kMaxMegahertz);
    set(node, "ambient", gpu.ambient_celsius, kCelsius, -50, kMaxCelsius);
    set(node, "full_load_temperature", gpu.full_load_celsius, kCelsius, 0, kMaxCelsius);
    set(node, "slowdown_temperature", gpu.slowdown_celsius, kCelsius, 0, kMaxCelsius);
    double constant_ns = gpu.time_constant_s * 1e9;
    set(node, "time_constant", constant_ns, kSeconds, 1e6, 86400e9);
    gpu.time_constant_s = constant_ns / 1e9;
    read_load(node, gpu);
    read_faults(node, gpu);
    for (int64_t i = 0; i < count && host.gpus.size() < kMaxGpus; ++i) host.gpus.push_back(gpu);
  }

  void read_capability(const YAML::Node& node, GpuDescription& gpu) {
    std::string text;
    set_text(node, "compute_capability", text);
    if (text.empty()) return;
    const size_t dot = text.find('.');
    const auto major = integer_of<int64_t>(std::string_view(text).substr(0, dot));
    const auto minor = dot == std::string::npos ? std::optional<int64_t>(0)
                                                : integer_of<int64_t>(std::string_view(text).substr(dot + 1));
    if (major && minor && *major > 0 && *major < 100 && *minor >= 0 && *minor < 100) {
      gpu.compute_capability = 100 * *major + *minor;
    } else {
      problem(node["compute_capability"].Mark(),
              fmt::format("'{}' is not a valid compute capability; expected a value such as 9.0", text));
    }
  }

  /// The items of a list, in the order of their times.
  std::vector<YAML::Node> list(const YAML::Node& node, const char* key) {
    const YAML::Node items = node[key];
    if (!items) return {};
    if (items.IsSequence()) return {items.begin(), items.end()};
    problem(items.Mark(), fmt::format("'{}' must be a list", key));
    return {};
  }

  void read_load(const YAML::Node& node, GpuDescription& gpu) {
    for (const YAML::Node& item : list(node, "load")) {
      if (!is_map(item, kLoadKeys)) continue;
      LoadStep step;
      set(item, "at", step.at_ns, kSeconds, 0, 1e18);
      set(item, "utilization", step.utilization_percent, kPercent, 0, 100);
      set(item, "memory", step.memory_bytes, kBytes, 0, static_cast<double>(gpu.memory_bytes));
      set(item, "pid", step.pid, kCount, 1, 4194304);
      set_text(item, "process", step.process);
      if (!gpu.load.empty() && step.at_ns <= gpu.load.back().at_ns) {
        problem(item.Mark(), "the times of 'load' must increase");
      }
      gpu.load.push_back(std::move(step));
    }
    int64_t repeat_ns = 0;
    set(node, "repeat", repeat_ns, kSeconds, 1e9, 1e18);
    if (repeat_ns > 0) gpu.repeat_ns = repeat_ns;
  }

  void read_faults(const YAML::Node& node, GpuDescription& gpu) {
    for (const YAML::Node& item : list(node, "faults")) {
      if (!is_map(item, kFaultKeys)) continue;
      Fault fault;
      size_t kinds = 0;
      set(item, "at", fault.at_ns, kSeconds, 0, 1e18);
      int64_t for_ns = 0;
      set(item, "for", for_ns, kSeconds, 1e6, 1e18);
      if (for_ns > 0) fault.for_ns = for_ns;
      for (const FaultName& name : kFaults) {
        if (!item[name.key]) continue;
        ++kinds;
        fault.kind = name.kind;
        read_fault_value(item, name, fault);
      }
      if (kinds != 1)
        problem(item.Mark(),
                "a fault must have one of xid, lost, not_answering, power_brake, ecc_corrected, ecc_uncorrected and "
                "recovery_action");
      gpu.faults.push_back(fault);
    }
  }

  void read_fault_value(const YAML::Node& item, const FaultName& name, Fault& fault) {
    const bool is_switch =
        name.kind == FaultKind::lost || name.kind == FaultKind::not_answering || name.kind == FaultKind::power_brake;
    if (!is_switch) {
      set(item, name.key, fault.value, kCount, 0, 1e9);
    } else if (item[name.key].IsScalar() && item[name.key].Scalar() != "true") {
      problem(item[name.key].Mark(), fmt::format("expected '{}: true'; otherwise omit the fault", name.key));
    }
  }

  std::string_view file_;
};

}  // namespace

Result<HostDescription> read_description(std::string_view yaml, std::string_view file) {
  Reader reader(file);
  reader.read(yaml);
  if (!reader.problems.empty()) return std::unexpected(Error{fmt::format("{}", fmt::join(reader.problems, "\n"))});
  return std::move(reader.host);
}

}  // namespace sonde::device::simulated
