#include <fstream>
#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "exporters/exporter.h"
#include "exporters/files/output_file.h"
#include "synth/synth.h"

namespace sonde {
namespace synth_cli {
namespace {

struct SynthArguments {
  synth::SynthOptions options;
  std::string events;
  std::string output;
  bool overwrite = false;
};

/// 5M is five million; k, M and G count thousands.
Result<int64_t> read_count(const std::string& text) {
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  const std::string suffix = text.substr(digits);
  const int64_t factor = suffix.empty()                   ? 1
                         : suffix == "k" || suffix == "K" ? 1000
                         : suffix == "M"                  ? 1'000'000
                         : suffix == "G"                  ? 1'000'000'000
                                                          : 0;
  constexpr size_t kMostDigits = 10;
  if (digits == 0 || digits > kMostDigits || factor == 0) {
    return fail("'{}' is not a number of events; write it as 5000000, 5000k or 5M", text);
  }
  return std::stoll(text.substr(0, digits)) * factor;
}

/// PyTorch traces name ranges as torch does.
synth::Form form_of(const Exporter& exporter) {
  return exporter.name == "pytorch_trace" ? synth::Form::torch : synth::Form::nvtx;
}

Status write_planted(const std::string& path, const std::string& text, const ExportOptions& options) {
  auto file = OutputFile::open(path, options);
  if (!file) return std::unexpected(file.error());
  std::ofstream stream(file->path(), std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) return fail("cannot write {}", path);
  return file->commit();
}

void tell(const synth::Synthesis& made, const std::string& output) {
  fmt::print("{}: {} iterations, {:.3f} s\n", output, made.iterations, static_cast<double>(made.total_ns) / 1e9);
  for (const synth::PlantedCost& p : made.planted) {
    fmt::print("planted {}: costs {:.3f} ms, {:.1f} us an iteration\n", p.name, static_cast<double>(p.cost_ns) / 1e6,
               static_cast<double>(p.step_cost_ns) / 1e3);
  }
}

Status make(const SynthArguments& arguments) {
  const auto exporter = exporter_for(arguments.output);
  if (!exporter) return std::unexpected(exporter.error());
  const auto progress = terminal_progress();
  synth::SynthOptions options = arguments.options;
  options.progress = progress.get();
  options.form = form_of(**exporter);
  if (!options.recorded_by.empty() && options.form != synth::Form::torch) {
    return fail("--recorded-by {} needs a PyTorch trace as output: FILE.json or FILE.json.gz", options.recorded_by);
  }
  if (!arguments.events.empty()) {
    const auto events = read_count(arguments.events);
    if (!events) return std::unexpected(events.error());
    options.events = *events;
  }
  const ExportOptions out{arguments.overwrite, {}, progress.get()};
  SONDE_TRY(check_target(arguments.output, out));
  const auto made = synth::synthesize_run(options);
  progress->end();
  if (!made) return std::unexpected(made.error());
  SONDE_TRY((*exporter)->write(made->trace, arguments.output, out));
  if (!made->planted.empty() || !options.recorded_by.empty()) {
    SONDE_TRY(write_planted(arguments.output + ".planted.json", planted_json(options, *made), out));
  }
  tell(*made, arguments.output);
  return {};
}

int run(const SynthArguments& arguments) {
  const Status made = make(arguments);
  if (made) return 0;
  return report_error(made.error());
}

std::string plant_help() {
  std::string text = "problem to plant; its cost is written next to the output; repeatable. One of:";
  for (const synth::Plant& p : synth::plants()) text += fmt::format("\n  {}: {}", p.name, p.description);
  return text;
}

void set_up(CommandLine& command) {
  const auto a = std::make_shared<SynthArguments>();
  command.option("-o,--output", a->output, "FILE", "file to write: .sqlite, .json or .json.gz").required();
  command.option("--program", a->options.program, "PROGRAM", "simulated program: inference, training or tuned")
      .shows_default();
  command.option("--seed", a->options.seed, "N", "seed of random numbers; the same seed gives the same file")
      .shows_default();
  command.option("--events", a->events, "N", "approximate number of events; suffixes k, M and G");
  command.option("--iterations", a->options.iterations, "N", "number of iterations, instead of --events");
  command.option("--gpus", a->options.gpus, "N", "number of GPUs, each with its own threads").shows_default();
  command.option("--streams", a->options.streams, "N", "number of compute streams per GPU (inference)").shows_default();
  command.option("--layers", a->options.layers, "N", "number of layers of the encoder, and of the decoder")
      .shows_default();
  command.flag("--graphs", a->options.graphs, "launch the model as CUDA graphs (inference)");
  command.option("--recorded-by", a->options.recorded_by, "RECORDER",
                 "slow the program down as a recorder of its operators does (.json): pytorch, whose cost is drawn from "
                 "the seed, or free, which costs nothing");
  command.option("--plant", a->options.plants, "PROBLEM", plant_help());
  command.flag("--force-overwrite", a->overwrite, "replace an output file that exists");
  command.runs([a] { return run(*a); });
}

}  // namespace
}  // namespace synth_cli

extern const Command synth_command;
const Command synth_command{"synth", "Make a profile of any size, with known problems planted in it",
                            "sonde synth --program training --gpus 2 --plant sync -o run.sqlite", synth_cli::set_up,
                            CommandGroup::other};

}  // namespace sonde
