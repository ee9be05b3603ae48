#include "cli/record/metrics.h"

#include <regex.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <CLI/CLI.hpp>

#include "cli/record/kernel_list.h"
#include "cli/record/metric_names.h"
#include "cli/record/nvtx_filter.h"

namespace sonde::record_cli {
namespace {

constexpr const char* kGroup = "Kernel metrics";

struct Answer {
  const char* names;
  const char* answer;
  bool takes_value;
};

/// Options of ncu that sonde record has another place for.
constexpr auto kAnswers = std::to_array<Answer>({
    {"--list-sections", "sonde kernel --list-sections lists the sections", false},
    {"--list-sets", "there are the sets basic, detailed and full", false},
    {"--query-metrics", "sonde kernels --list-columns lists metrics that Sonde knows", false},
    {"--print-details", "sonde kernel FILE --print-details all prints them afterwards", true},
    {"--print-units", "sonde kernel FILE --print-units prints them afterwards", true},
    {"--print-metric-instances", "sonde kernel FILE --print-metric-instances prints them afterwards", true},
    {"--page", "sonde kernel FILE --page prints it afterwards", true},
    {"--csv", "sonde kernel FILE --csv prints it afterwards", false},
    {"-i,--import", "sonde kernel -i FILE reads a report", true},
    {"--kernel-id", "--kernel-regex, --launch-skip and --launch-count choose launches", true},
    {"--launch-skip-before-match", "--launch-skip counts launches of the chosen kernels", true},
    {"--source-folders", "lines are recorded by file and number, not their text", true},
    {"--import-source", "lines are recorded by file and number, not their text", true},
    {"--sampling-buffer-size,--warp-sampling-buffer-size",
     "--sampling-interval sets how many samples there are; 64 MiB are kept for them", true},
    {"--sampling-max-passes,--warp-sampling-max-passes",
     "a launch is sampled once; --sampling-interval sets how many samples there are", true},
});

/// Options that are as ncu's users have them and change nothing here.
constexpr auto kSettled = std::to_array<Answer>({
    {"--nvtx", "", false},
    {"--clock-control", "clocks are left as they are; nvidia-smi --lock-gpu-clocks holds them", true},
    {"--cache-control", "caches are left as the kernels before leave them", true},
});

std::string quoted(std::string_view name) {
  std::string text = "^";
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").contains(c)) text += '\\';
    text += c;
  }
  return text + "$";
}

Result<std::string> kernel_of(const MetricOptions& options) {
  if (!options.kernel_regex.empty() && !options.kernel_name.empty()) {
    return fail("--kernel-regex and --kernel-name both choose kernels: give one");
  }
  std::string text = options.kernel_regex;
  if (!options.kernel_name.empty()) {
    constexpr std::string_view kRegex = "regex:";
    const std::string_view name = options.kernel_name;
    text = name.starts_with(kRegex) ? std::string(name.substr(kRegex.size())) : quoted(name);
  }
  regex_t compiled{};
  const int error = text.contains('\n') ? REG_BADPAT : regcomp(&compiled, text.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error != 0) {
    std::array<char, 256> reason{};
    regerror(error, &compiled, reason.data(), reason.size());
    return fail("--kernel-regex '{}' is no extended regular expression: {}", text, reason.data());
  }
  regfree(&compiled);
  return text;
}

Status add_filters(record::MeasureRequest& request, bool exclude, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    auto filter = parse_range_filter(exclude ? "--nvtx-exclude" : "--nvtx-include", text);
    if (!filter) return std::unexpected(filter.error());
    filter->exclude = exclude;
    request.filters.push_back(*std::move(filter));
  }
  return {};
}

Status add_filters(record::MeasureRequest& request, const MetricOptions& options) {
  SONDE_TRY(add_filters(request, false, options.included_ranges));
  SONDE_TRY(add_filters(request, true, options.excluded_ranges));
  size_t elements = 0;
  for (const record::RangeFilter& filter : request.filters) elements += filter.ranges.size();
  if (request.filters.size() <= record::kMostRangeFilters && elements <= record::kMostRangeElements) return {};
  return fail(
      "--nvtx-include and --nvtx-exclude: no more than {} of them, with {} ranges together; regex: takes several",
      record::kMostRangeFilters, record::kMostRangeElements);
}

/// A name without '/' means start/end ranges, as ncu has it; most programs have none.
void note_start_end(const record::MeasureRequest& request, std::vector<record::Remark>& remarks) {
  for (const record::RangeFilter& filter : request.filters) {
    if (filter.push_pop) continue;
    remarks.push_back(
        {false, fmt::format("{} '{}' means start/end ranges, as in ncu; '{}/' is a push/pop range",
                            filter.exclude ? "--nvtx-exclude" : "--nvtx-include", filter.text, filter.text)});
  }
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

/// What only means something together with metrics.
const char* first_selection(const MetricOptions& options) {
  if (!options.kernel_regex.empty()) return "--kernel-regex";
  if (!options.kernel_name.empty()) return "--kernel-name";
  if (options.skip > 0) return "--launch-skip";
  if (options.count > 0) return "--launch-count";
  if (options.each > 0) return "--launches-each";
  if (!options.kernel_list.empty()) return "--kernels-from";
  if (!options.excluded_ranges.empty()) return "--nvtx-exclude";
  return options.included_ranges.empty() ? nullptr : "--nvtx-include";
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
    return fail("--sampling-interval '{}': auto, or 0 to {} for a sample each 2^(5+N) cycles", text, kMost);
  }
  return kLeast + value;
}

Status check_replay(const MetricOptions& options, std::vector<record::Remark>& remarks) {
  constexpr std::array<std::string_view, 4> kModes = {"kernel", "application", "range", "app-range"};
  if (std::ranges::find(kModes, options.replay_mode) == kModes.end()) {
    return fail("--replay-mode: there is no mode '{}'; sonde record replays each kernel (kernel)", options.replay_mode);
  }
  if (options.replay_mode != "kernel") {
    remarks.push_back(
        {true, fmt::format("--replay-mode {}: sonde record replays each kernel by itself, as --replay-mode "
                           "kernel does",
                           options.replay_mode)});
  }
  if (options.target_processes != "all") {
    remarks.push_back({true, fmt::format("--target-processes {}: all processes of the program are measured",
                                         options.target_processes)});
  }
  return {};
}

}  // namespace

std::shared_ptr<MetricOptions> add_metric_options(CLI::App& command) {
  auto options = std::make_shared<MetricOptions>();
  const auto list = [&](const char* name, std::vector<std::string>& into, const char* help) {
    command.add_option(name, into, help)->delimiter(',')->allow_extra_args(false)->group(kGroup);
  };
  list("--metrics", options->metrics, "counters of kernels: basic, detailed, full, or metrics with commas between");
  list("--set", options->sets, "the same for a set: basic, detailed or full");
  list("--section", options->sections, "the counters of a section (sonde kernel --list-sections)");
  command.add_option("--kernel-regex", options->kernel_regex, "only kernels whose function name it matches")
      ->group(kGroup);
  command.add_option("-k,--kernel-name", options->kernel_name, "only kernels of this name; or regex:EXPRESSION")
      ->group(kGroup);
  command.add_option("--launch-skip", options->skip, "leave out so many of their launches first")
      ->check(CLI::NonNegativeNumber)
      ->group(kGroup);
  command.add_option("--launch-count", options->count, "measure so many launches a process; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->group(kGroup);
  command
      .add_option("--launches-each", options->each,
                  "measure so many launches of each kernel, grid, block and place in the NVTX ranges; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->group(kGroup);
  command
      .add_option("--nvtx-include", options->included_ranges,
                  "only launches within [DOMAIN@]NAME/ (push/pop) or [DOMAIN@]NAME,NAME (start/end), as ncu has it")
      ->allow_extra_args(false)
      ->group(kGroup);
  command.add_option("--nvtx-exclude", options->excluded_ranges, "no launches within them")
      ->allow_extra_args(false)
      ->group(kGroup);
  command
      .add_option(
          "--kernels-from", options->kernel_list,
          "only the kernels in places of a file: lines of a kernel's name and the ranges around it, tabs between")
      ->group(kGroup);
  command
      .add_option("--sampling-interval,--warp-sampling-interval", options->sampling_interval,
                  "of set full and section SourceCounters: auto, or 0 to 26 for a sample each 2^(5+N) cycles")
      ->group(kGroup);
  command
      .add_flag("--instruction-counts", options->instruction_counts,
                "count how often each instruction ran; CUPTI patches the kernels' code for it")
      ->group(kGroup);
  command.add_option("--replay-mode", options->replay_mode, "kernel: each launch runs once a pass")->group(kGroup);
  command.add_option("--target-processes", options->target_processes, "all: the program's children too")->group(kGroup);
  const auto answered = [&](const Answer& answer, bool is_settled) {
    const auto note = [options, answer, is_settled] {
      options->others.emplace_back(is_settled ? "" : answer.names, answer.answer);
    };
    if (answer.takes_value) {
      command.add_option_function<std::string>(
                 answer.names, [note](const std::string&) { note(); }, answer.answer)
          ->group("");
    } else {
      command.add_flag_callback(answer.names, note, answer.answer)->group("");
    }
  };
  for (const Answer& answer : kAnswers) answered(answer, false);
  for (const Answer& answer : kSettled) answered(answer, true);
  return options;
}

Result<std::optional<record::MeasureRequest>> measure_request(const MetricOptions& options,
                                                              std::vector<record::Remark>& remarks) {
  for (const auto& [name, answer] : options.others) {
    if (!name.empty()) return fail("{}: {}", name, answer);
    if (!answer.empty()) remarks.push_back({false, answer});
  }
  if (!wants_metrics(options)) {
    const char* const selection = first_selection(options);
    if (selection == nullptr) return std::nullopt;
    return fail("{} chooses kernels to measure: --metrics basic (or a list of metrics) says what", selection);
  }
  SONDE_TRY(check_replay(options, remarks));
  auto names = names_of(options);
  if (!names) return std::unexpected(names.error());
  const auto kernel = kernel_of(options);
  if (!kernel) return std::unexpected(kernel.error());
  record::MeasureRequest request;
  request.metrics = std::move(names->named);
  request.named = request.metrics.size();
  std::ranges::copy_if(names->of_sets, std::back_inserter(request.metrics), [&](const std::string& name) {
    return std::ranges::find(request.metrics, name) == request.metrics.end();
  });
  request.samples = names->samples;
  request.instructions = names->instructions || options.instruction_counts;
  const auto period = period_of(options);
  if (!period) return std::unexpected(period.error());
  request.period = *period;
  if (request.period && !request.samples) {
    return fail("--sampling-interval is that of samples: --set full or --section SourceCounters takes them");
  }
  if (request.metrics.empty() && !request.samples && !request.instructions) {
    return fail("--metrics names nothing that a GPU counts: sonde record writes down the launch's own facts anyway");
  }
  request.kernel = *kernel;
  request.skip = options.skip;
  if (options.count > 0) request.count = options.count;
  if (options.each > 0) request.each = options.each;
  SONDE_TRY(add_filters(request, options));
  note_start_end(request, remarks);
  if (!options.kernel_list.empty()) {
    auto listed = read_kernel_list(options.kernel_list);
    if (!listed) return std::unexpected(listed.error());
    request.listed = *std::move(listed);
  }
  return request;
}

}  // namespace sonde::record_cli
