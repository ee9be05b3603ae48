#include <unistd.h>

#include <numeric>
#include <thread>

#include "cli/host/gpu_source.h"
#include "cli/output.h"
#include "cli/top/model.h"
#include "cli/top/terminal.h"

namespace sonde {
namespace top_cli {
namespace {

using std::chrono::steady_clock;

struct Options {
  GpuSourceChoice source;
  top::Choice choice;
  bool batch = false;
  int64_t count = 0;  ///< of looks in batch; 0: one
};

/// The GPUs, and all looks at them.
class Looks {
 public:
  Looks(const std::shared_ptr<device::DeviceSource>& source, double patience_s)
      : reader_(source), patience_(of_seconds(patience_s)), owners_(monitor::ProcessOwners::of_proc()) {
    model_.info = source->info();
    gpus_.resize(source->gpu_count());
    std::iota(gpus_.begin(), gpus_.end(), size_t{0});
  }

  void look() {
    top::add_round(model_, reader_.read(gpus_, device::identity | device::fast | device::processes, patience_),
                   *owners_);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    model_.moment_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    model_.utc_offset_s = utc_offset_s(model_.moment_ns / 1'000'000'000);
  }
  [[nodiscard]] const top::Model& model() const { return model_; }

 private:
  device::ParallelReader reader_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<monitor::ProcessOwners> owners_;
  std::vector<size_t> gpus_;
  top::Model model_;
};

/// As wide as the terminal, or 120 characters; as many lines as there is to show.
void print_screen(const top::Model& model, const top::Choice& choice) {
  constexpr size_t kWidth = 120;
  const size_t terminal = terminal_options().width;
  const size_t gpu_lines = 2 * model.gpus.size();
  auto lines =
      top::screen(model, choice, terminal == 0 ? kWidth : terminal, gpu_lines + model.processes.size() + 5, false);
  lines.pop_back();  // the keys
  while (!lines.empty() && lines.back().text.empty()) lines.pop_back();
  for (const top::Line& line : lines) {
    fmt::print("{}\n", std::string_view(line.text).substr(0, line.text.find_last_not_of(' ') + 1));
  }
}

int run_batch(Looks& looks, const Options& options) {
  auto next = steady_clock::now();
  for (int64_t round = 0;; ++round) {
    looks.look();
    if (round > 0) fmt::print("\n");
    print_screen(looks.model(), options.choice);
    std::fflush(stdout);
    if (round + 1 >= std::max<int64_t>(options.count, 1)) return kDone;
    next += of_seconds(options.choice.delay_s);
    std::this_thread::sleep_until(next);
  }
}

int run_live(Looks& looks, top::Choice choice) {
  auto terminal = top::Terminal::open();
  if (!terminal) return report_error(terminal.error());
  auto next = steady_clock::now();
  for (;;) {
    if (steady_clock::now() >= next) {
      if (!choice.paused) looks.look();
      next = std::max(next + of_seconds(choice.delay_s), steady_clock::now());
    }
    (*terminal)->draw(
        top::screen(looks.model(), choice, (*terminal)->width(), (*terminal)->height(), (*terminal)->ascii()));
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - steady_clock::now());
    const auto key = (*terminal)->key(std::max(left, std::chrono::milliseconds(1)));
    if (key && !top::press(*key, looks.model(), choice)) return kDone;
  }
}

int run(const Options& options) {
  auto source = open_gpu_source(options.source);
  if (!source) return report_error(source.error());
  Looks looks(*source, options.source.patience_s);
  return options.batch ? run_batch(looks, options) : run_live(looks, options.choice);
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.option("-d,--delay", options->choice.delay_s, "SECONDS", "seconds between updates")
      .between(0.1, 60.0)
      .shows_default();
  command.flag("-b,--batch", options->batch, "print the screen as text instead of using the full terminal");
  command.option("-n,--count", options->count, "N", "with --batch: print N times").above_zero();
  command.option("-f,--filter", options->choice.filter, "WORD",
                 "only processes with this word in user, command, container, pod, unit or PID");
  command.option("--simulated", options->source.simulated, "FILE",
                 "use simulated GPUs that FILE describes, instead of real ones");
  command.option("--at", options->source.at, "TIME", "with --simulated: time since its start, such as 90s")
      .shows_default();
  command.runs([options] { return run(*options); });
}

}  // namespace
}  // namespace top_cli

extern const Command top_command;
const Command top_command{"top", "Monitor GPUs and their processes in the terminal, with users and containers",
                          "sonde top", top_cli::set_up, CommandGroup::operate};

}  // namespace sonde
