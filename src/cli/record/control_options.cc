#include "cli/record/control_options.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <ranges>

#include "cli/record/capture_range.h"
#include "cli/record/number_check.h"
#include "cli/record/other_options.h"
#include "cli/record/output_name.h"

namespace sonde::record_cli {
namespace {

constexpr auto kOtherFormats = std::to_array<std::string_view>(
    {"arrow", "arrowdir", "csv", "hdf", "info", "json", "jsonlines", "parquetdir", "text"});

bool is_own_format(std::string_view word) { return word == "sqlite" || word == "none"; }
bool is_other_format(std::string_view word) { return std::ranges::find(kOtherFormats, word) != kOtherFormats.end(); }

/// `--export` is nsys' formats to export to, and ncu's name of a file.
bool is_format(std::string_view value) {
  return std::ranges::all_of(value | std::views::split(','), [](const auto& part) {
    return is_own_format(std::string_view(part)) || is_other_format(std::string_view(part));
  });
}

/// Says where else nsys' other formats come from.
std::string other_format(const std::string& value) {
  if (!is_format(value)) return {};
  for (const auto part : value | std::views::split(',')) {
    const std::string_view word(part);
    if (!is_other_format(word)) continue;
    return fmt::format(
        "sonde record does not write {}; 'sonde convert PROFILE FILE.json' writes a PyTorch trace, 'sonde stats "
        "--format csv PROFILE' tables",
        word);
  }
  return {};
}

int64_t to_ns(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

/// ncu's --kill says whether the program ends with the last launch that is measured.
bool is_word_of_ncu(std::string_view text) {
  constexpr auto kWords = std::to_array<std::string_view>({"yes", "on", "true", "no", "off", "false"});
  return std::ranges::find(kWords, text) != kWords.end();
}

}  // namespace

Result<int> kill_signal(const std::string& text) {
  struct Named {
    std::string_view name;
    int number;
  };
  constexpr auto kSignals = std::to_array<Named>(
      {{"none", 0}, {"sigkill", SIGKILL}, {"sigterm", SIGTERM}, {"sigint", SIGINT}, {"sighup", SIGHUP}});
  for (const Named& s : kSignals) {
    if (text == s.name || text == fmt::format("{}", s.number)) return s.number;
  }
  if (is_word_of_ncu(text)) {
    return fail(
        "--kill {}: --kill is the signal to the program, as in nsys (none leaves it running, sigterm ends it). Ending "
        "the program after --launch-count, as in ncu, is not supported",
        text);
  }
  return fail("--kill: '{}' is not one of none, sigkill, sigterm, sigint, sighup or their numbers", text);
}

void add_control_options(CommandLine& command, ControlArguments& a) {
  command
      .option_taking(
          "--export",
          [&a](const std::string& value) {
            if (!is_format(value)) a.exported = value;
          },
          "FILE", "name of the profile, as in ncu; of nsys' formats sqlite (the profile's own) and none")
      .check([](const std::string& value) { return other_format(value); });
  command.option("-o,--output", a.output, "NAME",
                 "name of the profile (default: report%n); .sqlite is appended; %n: a number, %h: the host, %p: the "
                 "process ID, %q{VARIABLE}: an environment variable");
  command.flag("-f,--force-overwrite", a.overwrite, "replace an output file that exists");
  command.option("-y,--delay", a.delay_s, "SECONDS", "start recording after SECONDS")
      .between(0.0, static_cast<double>(kMaxSeconds), "seconds");
  command.option("-d,--duration", a.duration_s, "SECONDS", "record for SECONDS (default: until the program ends)")
      .between(0.0, static_cast<double>(kMaxSeconds), "seconds");
  command
      .option("--last", a.last_s, "SECONDS",
              "keep only the last SECONDS before the recording ends; for programs that run for days")
      .between(0.0, static_cast<double>(kMaxSeconds), "seconds");
  command
      .option("--duration-from", a.duration_from, "start|cuda",
              "count --duration from the recording's start, or from when the program initializes CUDA")
      .one_of({"start", "cuda"})
      .shows_default();
  command.option(
      "--kill", a.kill, "SIGNAL",
      fmt::format("signal to the program after the duration (default: {}) or the capture range (default: none)",
                  a.kill_of_duration));
  command.flag("-x,--stop-on-exit", a.stop_on_exit,
               "stop recording when the program exits; false also records processes that outlive it, for the duration");
  command
      .option("-c,--capture-range", a.capture_range, "RANGE",
              "record only a range that the program marks: none, nvtx or cudaProfilerApi")
      .shows_default();
  command.option("-p,--nvtx-capture", a.nvtx_capture, "RANGE",
                 "range for -c nvtx: RANGE of the default domain, RANGE@DOMAIN, or RANGE@* of any domain");
  command
      .option("--capture-range-end", a.capture_range_end, "WHAT",
              "after the capture range: none, stop, stop-shutdown, repeat[:N] or repeat-shutdown:N; each repetition "
              "writes a profile")
      .shows_default();
}

std::vector<record::Remark> control_remarks(const ControlArguments& a, std::string_view output) {
  std::vector<record::Remark> remarks;
  const std::string ending =
      word_of_ending(a.output ? "-o" : "--export", a.output ? *a.output : a.exported.value_or(""), output);
  if (!ending.empty()) remarks.push_back({false, ending});
  if (a.nvtx_capture && is_port_of_ncu(*a.nvtx_capture, a.capture_range)) {
    remarks.push_back({false, fmt::format("-p {}: without --capture-range nvtx this is ncu's --port: {}",
                                          *a.nvtx_capture, in_place_of_option("--port"))});
  }
  return remarks;
}

Result<record::RoundOptions> round_of(const ControlArguments& a) {
  record::RoundOptions round;
  if (!a.stop_on_exit && a.duration_s <= 0) return fail("-x false needs --duration, which ends the recording");
  auto capture = read_capture(a.capture_range, a.capture_range_end, a.nvtx_capture);
  if (!capture) return std::unexpected(capture.error());
  round.capture = std::move(*capture);
  const bool by_program = round.capture.trigger != wire::Trigger::none;
  if (by_program && a.delay_s > 0) return fail("--delay and --capture-range both set the start; give one");
  const auto signal = kill_signal(a.kill.value_or(by_program ? "none" : a.kill_of_duration));
  if (!signal) return std::unexpected(signal.error());
  round.kill_signal = *signal;
  if (a.output && a.exported)
    return fail("-o {} and --export {} both name the profile; give one", *a.output, *a.exported);
  auto output = recording_name(a.output ? *a.output : a.exported.value_or("report%n"));
  if (!output) return std::unexpected(output.error());
  round.output = std::move(*output);
  round.overwrite = a.overwrite;
  round.delay_ns = to_ns(a.delay_s);
  if (a.duration_s > 0) round.duration_ns = to_ns(a.duration_s);
  round.keep_ns = to_ns(a.last_s);
  round.from_cuda = a.duration_from == "cuda";
  round.stop_on_exit = a.stop_on_exit;
  return round;
}

}  // namespace sonde::record_cli
