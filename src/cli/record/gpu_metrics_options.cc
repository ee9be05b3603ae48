#include "cli/record/gpu_metrics_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "cli/record/number_check.h"

namespace sonde::record_cli {
namespace {

constexpr uint64_t kAllDevices = ~uint64_t{0};
constexpr int64_t kMinMetricsHz = 10;
constexpr int64_t kMaxMetricsHz = 200'000;
constexpr uint32_t kMostDevices = 64;

/// Where the names stand on their way to the programs.
constexpr size_t kNameRoom = sizeof(wire::GpuMetricsWanted::names);

Status add_device(uint64_t& devices, const std::string& word) {
  constexpr auto kAll = std::to_array<std::string_view>({"all", "cuda-visible"});
  if (word == "none") return {};
  if (std::ranges::find(kAll, word) != kAll.end()) {
    devices = kAllDevices;
    return {};
  }
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number >= kMostDevices) {
    return fail(
        "--gpu-metrics-devices: '{}' is not one of none, all, cuda-visible, or CUDA's GPU numbers (0 to {}) separated "
        "by commas",
        word, kMostDevices - 1);
  }
  devices |= uint64_t{1} << number;
  return {};
}

/// nsys names its sets by chips: tu10x, ga100, gh100-gfxt, ad10x, gb20x.
bool is_set_of_nsys(std::string_view word) {
  constexpr auto kChips = std::to_array<std::string_view>({"tu", "ga", "gh", "ad", "gb"});
  constexpr size_t kShortest = 5;
  const auto begins = [&](std::string_view chip) { return word.starts_with(chip); };
  return word.size() >= kShortest && std::ranges::any_of(kChips, begins) && word.find("__") == word.npos &&
         word[2] >= '0' && word[2] <= '9';
}

bool is_metric(std::string_view word) { return word.find("__") != word.npos && word.find('.') != word.npos; }

Status add_word_of_set(record::GpuMetricsOptions& options, const std::string& word,
                       std::vector<record::Remark>& remarks) {
  if (word == "general") return {};
  if (is_set_of_nsys(word)) {
    remarks.push_back({false, fmt::format("--gpu-metrics-set {}: Sonde samples its general set, as far as the GPU "
                                          "supports it; NVIDIA metric names are accepted instead",
                                          word)});
    return {};
  }
  if (!is_metric(word)) {
    return fail(
        "--gpu-metrics-set: '{}' is neither general, nor one of nsys' sets (gh100, ga10x, ...), nor a metric name such "
        "as sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
        word);
  }
  options.names.push_back(word);
  return {};
}

Status check_room(const std::vector<std::string>& names) {
  size_t bytes = 0;
  for (const std::string& name : names) bytes += name.size() + 1;
  if (bytes < kNameRoom) return {};
  return fail("--gpu-metrics-set: the names are {} bytes long, and the limit is {}; few metrics fit into one pass",
              bytes, kNameRoom - 1);
}

}  // namespace

void add_gpu_metrics_options(CommandLine& command, GpuMetricsArguments& a) {
  command
      .option("--gpu-metrics-devices,--gpu-metrics-device", a.devices, "LIST",
              "GPUs whose metrics are sampled over time: none, all, cuda-visible, or CUDA's GPU numbers")
      .list()
      .shows_default();
  command.option("--gpu-metrics-frequency", a.frequency_hz, "HZ", "samples per second, 10 to 200000 (default: 10000)")
      .within(kMinMetricsHz, kMaxMetricsHz, "samples a second");
  command
      .option("--gpu-metrics-set", a.set, "LIST",
              "metrics to sample: general (default), or NVIDIA metric names separated by commas")
      .list();
}

Result<record::GpuMetricsOptions> gpu_metrics_options(const GpuMetricsArguments& arguments,
                                                      std::vector<record::Remark>& remarks) {
  record::GpuMetricsOptions options;
  for (const std::string& word : arguments.devices) SONDE_TRY(add_device(options.devices, word));
  for (const std::string& word : arguments.set) SONDE_TRY(add_word_of_set(options, word, remarks));
  SONDE_TRY(check_room(options.names));
  if (arguments.frequency_hz) options.frequency_hz = static_cast<uint32_t>(*arguments.frequency_hz);
  if (!options.any() && (arguments.frequency_hz || !arguments.set.empty())) {
    remarks.push_back({true, "GPU metrics are not sampled: --gpu-metrics-devices is none"});
  }
  return options;
}

}  // namespace sonde::record_cli
