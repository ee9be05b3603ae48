#include "cli/record/metrics.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "cli/record/metric_names.h"

namespace sonde::record_cli {
namespace {

constexpr const char* kGroup = "Kernel metrics";

/// Which counters.
void add_counter_options(CommandLine& command, MetricOptions& options) {
  const auto list = [&](const char* name, std::vector<std::string>& into, const char* help) {
    command.option(name, into, "LIST", help).list().group(kGroup);
  };
  list("--metrics", options.metrics,
       "counters of kernels to measure: basic, detailed, full, or metrics separated by commas");
  list("--set", options.sets, "same as --metrics for sets: basic, detailed or full");
  list("--section", options.sections, "measure the counters of sections (sonde kernel --list-sections)");
}

/// How they are taken.
void add_way_options(CommandLine& command, MetricOptions& options) {
  command
      .option("--sampling-interval,--warp-sampling-interval", options.sampling_interval, "N|auto",
              "sampling interval of set full and section SourceCounters: auto, or 0 to 26 for a sample every 2^(5+N) "
              "cycles")
      .group(kGroup);
  command
      .flag("--instruction-counts", options.instruction_counts,
            "count executions of each instruction; CUPTI patches the kernels' code")
      .group(kGroup);
  command
      .option("--replay-mode", options.replay_mode, "MODE",
              "replay mode; only kernel is supported: each launch runs once per pass")
      .group(kGroup);
  command
      .option("--target-processes", options.target_processes, "WHICH",
              "processes to measure; only all is supported, including children of the program")
      .group(kGroup);
}

Result<MetricNames> names_of(const MetricOptions& options) {
  MetricNames names;
  for (const std::string& word : options.metrics) SONDE_TRY(add_metric(names, word));
  for (const std::string& set : options.sets) SONDE_TRY(add_set(names, set));
  for (const std::string& section : options.sections) SONDE_TRY(add_section(names, section));
  return names;
}

bool wants_metrics(const MetricOptions& options) {
  return !options.metrics.empty() || !options.sets.empty() || !options.sections.empty() || options.instruction_counts;
}

Status add_counters(record::MeasureRequest& request, const MetricOptions& options) {
  auto names = names_of(options);
  if (!names) return std::unexpected(names.error());
  request.metrics = std::move(names->named);
  request.named = request.metrics.size();
  std::ranges::copy_if(names->of_sets, std::back_inserter(request.metrics), [&](const std::string& name) {
    return std::ranges::find(request.metrics, name) == request.metrics.end();
  });
  request.samples = names->samples;
  request.instructions = names->instructions || options.instruction_counts;
  if (!request.metrics.empty() || request.samples || request.instructions) return {};
  return fail("--metrics names no counters of a GPU; sonde record always records launch properties");
}

/// ncu's 0 to 31 is 2^(5 + N) cycles; CUPTI ends at 2^31.
Result<std::optional<int64_t>> period_of(const MetricOptions& options) {
  constexpr int64_t kLeast = 5;
  constexpr int64_t kMost = 31 - kLeast;
  const std::string& text = options.sampling_interval;
  if (text == "auto") return std::nullopt;
  int64_t value = -1;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size() || value < 0 || value > kMost) {
    return fail("--sampling-interval '{}': use auto, or 0 to {} for a sample every 2^(5+N) cycles", text, kMost);
  }
  return kLeast + value;
}

Status add_period(record::MeasureRequest& request, const MetricOptions& options) {
  const auto period = period_of(options);
  if (!period) return std::unexpected(period.error());
  request.period = *period;
  if (!request.period || request.samples) return {};
  return fail("--sampling-interval needs --set full or --section SourceCounters");
}

Status check_replay(const MetricOptions& options, std::vector<record::Remark>& remarks) {
  constexpr std::array<std::string_view, 4> kModes = {"kernel", "application", "range", "app-range"};
  if (std::ranges::find(kModes, options.replay_mode) == kModes.end()) {
    return fail("--replay-mode: unknown mode '{}'; sonde record replays each kernel (kernel)", options.replay_mode);
  }
  if (options.replay_mode != "kernel") {
    remarks.push_back(
        {true,
         fmt::format("--replay-mode {}: sonde record replays each kernel separately, as --replay-mode kernel does",
                     options.replay_mode)});
  }
  if (options.target_processes != "all") {
    remarks.push_back({true, fmt::format("--target-processes {}: all processes of the program are measured",
                                         options.target_processes)});
  }
  return {};
}

}  // namespace

std::shared_ptr<MetricOptions> add_metric_options(CommandLine& command) {
  auto options = std::make_shared<MetricOptions>();
  add_counter_options(command, *options);
  add_launch_choice(command, kGroup, options->launches);
  add_way_options(command, *options);
  return options;
}

Result<std::optional<record::MeasureRequest>> measure_request(const MetricOptions& options,
                                                              std::vector<record::Remark>& remarks) {
  if (!wants_metrics(options)) {
    const char* const choice = first_choice(options.launches);
    if (choice == nullptr) return std::nullopt;
    return fail("{} chooses kernels to measure; also give --metrics basic, or a list of metrics", choice);
  }
  SONDE_TRY(check_replay(options, remarks));
  record::MeasureRequest request;
  SONDE_TRY(add_counters(request, options));
  SONDE_TRY(add_period(request, options));
  SONDE_TRY(choose_launches(request, options.launches, remarks));
  return request;
}

}  // namespace sonde::record_cli
