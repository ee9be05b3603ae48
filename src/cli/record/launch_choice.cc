#include "cli/record/launch_choice.h"

#include "cli/record/expression.h"
#include "cli/record/kernel_list.h"
#include "cli/record/nvtx_filter.h"

namespace sonde::record_cli {
namespace {

void add_names(CommandLine& command, const std::string& group, LaunchChoice& choice) {
  command.option("--kernel-regex", choice.kernel_regex, "REGEX", "only kernels whose function name matches")
      .group(group);
  command.option("-k,--kernel-name", choice.kernel_name, "NAME", "only kernels with this name, or regex:EXPRESSION")
      .group(group);
}

void add_numbers(CommandLine& command, const std::string& group, LaunchChoice& choice) {
  command.option("--launch-skip", choice.skip, "N", "skip the first N launches").not_negative().group(group);
  command.option("--launch-count", choice.count, "N", "measure N launches per process; 0: all")
      .not_negative()
      .group(group);
  command
      .option("--launches-each", choice.each, "N",
              "measure N launches of each kernel, grid, block and NVTX range; 0: all")
      .not_negative()
      .group(group);
}

void add_places(CommandLine& command, const std::string& group, LaunchChoice& choice) {
  command
      .option("--nvtx-include", choice.included_ranges, "RANGES",
              "only launches within [DOMAIN@]NAME/ (push/pop) or [DOMAIN@]NAME,NAME (start/end), as in ncu; repeatable")
      .repeatable()
      .group(group);
  command
      .option("--nvtx-exclude", choice.excluded_ranges, "RANGES",
              "no launches within these ranges, written as for --nvtx-include; repeatable")
      .repeatable()
      .group(group);
  command
      .option("--kernels-from", choice.kernel_list, "FILE",
              "only kernels listed in a file; a line is a kernel's name and the ranges around it, separated by tabs")
      .group(group);
}

/// An expression that finds the name alone.
std::string quoted(std::string_view name) {
  std::string text = "^";
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").contains(c)) text += '\\';
    text += c;
  }
  return text + "$";
}

/// The expression of -k: behind "regex:", else for the name.
std::string expression_of(std::string_view name) {
  constexpr std::string_view kRegex = "regex:";
  return name.starts_with(kRegex) ? std::string(name.substr(kRegex.size())) : quoted(name);
}

Status choose_kernel(record::MeasureRequest& request, const LaunchChoice& choice) {
  const bool by_name = !choice.kernel_name.empty();
  if (by_name && !choice.kernel_regex.empty()) {
    return fail("--kernel-regex and --kernel-name both choose kernels; give one");
  }
  request.kernel = by_name ? expression_of(choice.kernel_name) : choice.kernel_regex;
  const auto compiled = Expression::compile(request.kernel);
  if (compiled) return {};
  return fail("{} '{}': {}", by_name ? "-k,--kernel-name" : "--kernel-regex",
              by_name ? choice.kernel_name : choice.kernel_regex, compiled.error().message);
}

const char* option_of(bool exclude) { return exclude ? "--nvtx-exclude" : "--nvtx-include"; }

Status add_filters(record::MeasureRequest& request, bool exclude, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    auto filter = parse_range_filter(option_of(exclude), text);
    if (!filter) return std::unexpected(filter.error());
    filter->exclude = exclude;
    request.filters.push_back(*std::move(filter));
  }
  return {};
}

Status add_filters(record::MeasureRequest& request, const LaunchChoice& choice) {
  SONDE_TRY(add_filters(request, false, choice.included_ranges));
  SONDE_TRY(add_filters(request, true, choice.excluded_ranges));
  size_t elements = 0;
  for (const record::RangeFilter& filter : request.filters) elements += filter.ranges.size();
  if (request.filters.size() <= record::kMostRangeFilters && elements <= record::kMostRangeElements) return {};
  return fail(
      "--nvtx-include and --nvtx-exclude: at most {} options with {} ranges in total; regex: matches several names",
      record::kMostRangeFilters, record::kMostRangeElements);
}

/// A name without '/' means start/end ranges, as ncu has it; most programs have none.
void note_start_end(const record::MeasureRequest& request, std::vector<record::Remark>& remarks) {
  for (const record::RangeFilter& filter : request.filters) {
    if (filter.push_pop) continue;
    remarks.push_back({false, fmt::format("{} '{}' selects start/end ranges, as in ncu; '{}/' selects a push/pop range",
                                          option_of(filter.exclude), filter.text, filter.text)});
  }
}

Status add_listed(record::MeasureRequest& request, const LaunchChoice& choice) {
  if (choice.kernel_list.empty()) return {};
  auto listed = read_kernel_list(choice.kernel_list);
  if (!listed) return std::unexpected(listed.error());
  request.listed = *std::move(listed);
  return {};
}

}  // namespace

void add_launch_choice(CommandLine& command, const std::string& group, LaunchChoice& choice) {
  add_names(command, group, choice);
  add_numbers(command, group, choice);
  add_places(command, group, choice);
}

const char* first_choice(const LaunchChoice& choice) {
  if (!choice.kernel_regex.empty()) return "--kernel-regex";
  if (!choice.kernel_name.empty()) return "--kernel-name";
  if (choice.skip > 0) return "--launch-skip";
  if (choice.count > 0) return "--launch-count";
  if (choice.each > 0) return "--launches-each";
  if (!choice.kernel_list.empty()) return "--kernels-from";
  if (!choice.excluded_ranges.empty()) return "--nvtx-exclude";
  return choice.included_ranges.empty() ? nullptr : "--nvtx-include";
}

Status choose_launches(record::MeasureRequest& request, const LaunchChoice& choice,
                       std::vector<record::Remark>& remarks) {
  SONDE_TRY(choose_kernel(request, choice));
  request.skip = choice.skip;
  if (choice.count > 0) request.count = choice.count;
  if (choice.each > 0) request.each = choice.each;
  SONDE_TRY(add_filters(request, choice));
  note_start_end(request, remarks);
  return add_listed(request, choice);
}

}  // namespace sonde::record_cli
