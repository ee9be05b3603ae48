#include "cli/record/cpu_sampling.h"

#include <array>
#include <optional>
#include <string_view>

#include "cli/record/number_check.h"

namespace sonde::record_cli {
namespace {

using record::Backtrace;
using record::CpuScope;

constexpr int kLeastHz = 100;
constexpr int kMostHz = 8000;
constexpr int kMostSamplesPerBacktrace = 32;

template <typename T>
struct Word {
  std::string_view word;
  T meaning;
};

/// nsys called process-tree "cpu" before 2021.4.
constexpr auto kScopes = std::to_array<Word<CpuScope>>({{"process-tree", CpuScope::process_tree},
                                                        {"cpu", CpuScope::process_tree},
                                                        {"system-wide", CpuScope::system_wide},
                                                        {"none", CpuScope::none}});

/// lbr needs counters of the processor that record calls; unwind tables give the same chains, deeper.
constexpr auto kBacktraces = std::to_array<Word<Backtrace>>({{"auto", record::kBestBacktrace},
                                                             {"dwarf", Backtrace::dwarf},
                                                             {"lbr", Backtrace::dwarf},
                                                             {"fp", Backtrace::frame_pointer},
                                                             {"none", Backtrace::none}});

template <typename Words>
auto meaning_of(const Words& words, std::string_view word) -> std::optional<decltype(words[0].meaning)> {
  for (const auto& w : words) {
    if (w.word == word) return w.meaning;
  }
  return {};
}

}  // namespace

std::shared_ptr<CpuArguments> add_cpu_options(CommandLine& command) {
  auto a = std::make_shared<CpuArguments>();
  command.option("-s,--sample", a->sample, "SCOPE", "sample CPUs: process-tree, system-wide or none").shows_default();
  command.option("--sampling-frequency", a->frequency_hz, "HZ", "samples per second of each running thread")
      .within(kLeastHz, kMostHz, "samples a second")
      .shows_default();
  command.option("--cpuctxsw", a->switches, "SCOPE",
                 "record when threads run and wait: process-tree, system-wide or none (default: as --sample)");
  command.option("-b,--backtrace", a->backtrace, "METHOD", "call stacks of samples: auto, dwarf, fp or none")
      .shows_default();
  command.option("--samples-per-backtrace", a->samples_per_backtrace, "N", "record a call stack every N samples")
      .within(1, kMostSamplesPerBacktrace, "samples")
      .shows_default();
  return a;
}

Result<record::CpuOptions> cpu_options_of(const CpuArguments& arguments) {
  record::CpuOptions options;
  const auto sample = meaning_of(kScopes, arguments.sample);
  if (!sample && is_whole_number(arguments.sample)) {
    return fail(
        "-s {}: -s is --sample, as in nsys (process-tree, system-wide or none); for ncu's -s use --launch-skip {}",
        arguments.sample, arguments.sample);
  }
  if (!sample) return fail("--sample: '{}' is not one of process-tree, cpu, system-wide, none", arguments.sample);
  const auto switches = meaning_of(kScopes, arguments.switches.empty() ? arguments.sample : arguments.switches);
  if (!switches) return fail("--cpuctxsw: '{}' is not one of process-tree, system-wide, none", arguments.switches);
  const auto backtrace = meaning_of(kBacktraces, arguments.backtrace);
  if (!backtrace) return fail("--backtrace: '{}' is not one of auto, dwarf, fp, lbr, none", arguments.backtrace);
  if (*backtrace == Backtrace::dwarf && !record::kCanUnwind) {
    return fail("--backtrace={}: unwinding by tables works on x86-64 only; use --backtrace=fp", arguments.backtrace);
  }
  options.sample = *sample;
  options.switches = *switches;
  options.backtrace = *backtrace;
  options.frequency_hz = arguments.frequency_hz;
  options.samples_per_backtrace = arguments.samples_per_backtrace;
  return options;
}

}  // namespace sonde::record_cli
