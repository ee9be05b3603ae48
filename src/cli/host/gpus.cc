#include <algorithm>
#include <ctime>
#include <limits>
#include <numeric>
#include <thread>

#include "base/text/decimal.h"
#include "base/text/suggest.h"
#include "cli/gpus/view.h"
#include "cli/host/gpu_source.h"
#include "cli/output.h"

namespace sonde {
namespace gpus_cli {
namespace {

using device::DeviceSource;
using gpus::View;
using std::chrono::milliseconds;

/// A line with what dmon's columns mean comes again after this many rounds, so that it stays in sight.
constexpr int64_t kRoundsPerHeader = 20;

struct Options {
  std::vector<std::string> ids;
  std::string query;
  std::string format = "csv";
  bool json = false;
  bool names = false;
  bool help_query = false;
  double loop_s = 0;
  int64_t count = 0;  ///< of rounds; 0: one, or for ever with a loop
  GpuSourceChoice source;
  std::string select = "puc";
  std::string stamp;
  double delay_s = 1;
  bool dmon = false;
};

bool is_named(const device::GpuReading& reading, std::string_view id) {
  return reading.uuid == id || reading.pci_bus_id == id;
}

/// The numbers that -i chooses; all where it does not stand.
Result<std::vector<size_t>> chosen_gpus(const Options& options, const std::vector<device::GpuState>& all) {
  std::vector<size_t> chosen;
  for (const std::string& id : options.ids) {
    const auto number = integer_of<size_t>(id);
    size_t gpu = all.size();
    for (size_t i = 0; i < all.size(); ++i) {
      if (number ? i == *number : is_named(all[i].reading, id)) gpu = i;
    }
    if (gpu == all.size()) {
      return fail("unknown GPU '{}': this host has {}; sonde gpus --query-gpu=index,uuid,pci.bus_id lists them", id,
                  all.size() == 1 ? "GPU 0 only" : fmt::format("{} GPUs, from 0", all.size()));
    }
    chosen.push_back(gpu);
  }
  for (size_t i = 0; options.ids.empty() && i < all.size(); ++i) chosen.push_back(i);
  return chosen;
}

/// Looks at the chosen GPUs again and again.
class Watch {
 public:
  Watch(std::shared_ptr<DeviceSource> source, milliseconds patience)
      : source_(std::move(source)), reader_(source_), patience_(patience) {}

  Status choose(const Options& options) {
    const bool by_name = std::ranges::any_of(options.ids, [](const auto& id) { return !integer_of<size_t>(id); });
    std::vector<device::GpuState> all(source_->gpu_count());
    if (by_name) {
      std::vector<size_t> every(all.size());
      std::iota(every.begin(), every.end(), 0);
      all = reader_.read(every, device::identity, patience_);
    }
    auto chosen = chosen_gpus(options, all);
    if (!chosen) return std::unexpected(chosen.error());
    chosen_ = std::move(*chosen);
    return {};
  }

  View look(device::ValueGroups groups) {
    View view{.info = &source_->info(), .states = {}, .moment_ns = 0, .utc_offset_s = 0};
    view.states = reader_.read(chosen_, groups | device::identity, patience_);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    view.moment_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    view.utc_offset_s = utc_offset_s(view.moment_ns / 1'000'000'000);
    for (size_t i = 0; i < chosen_.size(); ++i) {
      view.states[i].reading.index = static_cast<int64_t>(chosen_[i]);
      failed_ = failed_ || view.states[i].failure.has_value();
    }
    return view;
  }

  [[nodiscard]] bool simulated() const { return source_->info().simulated; }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] size_t gpu_count() const { return source_->gpu_count(); }

 private:
  std::shared_ptr<DeviceSource> source_;
  device::ParallelReader reader_;
  milliseconds patience_;
  std::vector<size_t> chosen_;
  bool failed_ = false;
};

/// Calls `show` once, or again and again. In step with the clock: the time that a look takes does not add up.
template <typename Show>
Status repeat(double every_s, int64_t count, const Show& show) {
  auto next = std::chrono::steady_clock::now();
  const int64_t rounds = count > 0 ? count : (every_s > 0 ? std::numeric_limits<int64_t>::max() : 1);
  for (int64_t round = 0; round < rounds; ++round) {
    if (round > 0) std::this_thread::sleep_until(next += of_seconds(every_s));
    Output output;
    show(round, output);
    SONDE_TRY(output.close());
  }
  return {};
}

Status show_query(const Options& options, Watch& watch) {
  const auto query = gpus::parse_query(options.query, options.format);
  if (!query) return std::unexpected(query.error());
  return repeat(options.loop_s, options.count, [&](int64_t round, Output& output) {
    if (round == 0 && query->header) output.write(gpus::query_header(*query));
    output.write(gpus::query_lines(*query, watch.look(query->groups)));
  });
}

Status show_dmon(const Options& options, Watch& watch) {
  auto dmon = gpus::Dmon::parse(options.select, options.stamp);
  if (!dmon) return std::unexpected(dmon.error());
  return repeat(options.delay_s, options.count, [&](int64_t round, Output& output) {
    if (round % kRoundsPerHeader == 0) output.write(dmon->header());
    output.write(dmon->lines(watch.look(dmon->groups())));
  });
}

Status show_names(const Options& options, Watch& watch) {
  return repeat(options.loop_s, options.count, [&](int64_t /*round*/, Output& output) {
    output.write(gpus::names_text(watch.look(device::identity | device::slow)));
  });
}

Status show_all(const Options& options, Watch& watch) {
  const size_t width = terminal_options().width;
  constexpr device::ValueGroups kAll = device::kAllGroups & ~static_cast<unsigned>(device::gpm);
  return repeat(options.loop_s, options.count, [&](int64_t round, Output& output) {
    const View view = watch.look(options.json ? device::kAllGroups : kAll);
    if (round > 0 && !options.json) output.write("\n");
    output.write(options.json ? gpus::json_text(view) : gpus::table_text(view, width));
  });
}

/// Mistakes of usage are found before any GPU is asked.
Status check(const Options& options) {
  if (options.dmon) {
    const auto dmon = gpus::Dmon::parse(options.select, options.stamp);
    if (!dmon) return std::unexpected(dmon.error());
  } else if (!options.query.empty()) {
    const auto query = gpus::parse_query(options.query, options.format);
    if (!query) return std::unexpected(query.error());
  }
  return {};
}

Result<bool> run(const Options& options) {
  auto source = open_gpu_source(options.source);
  if (!source) return std::unexpected(source.error());
  Watch watch(std::move(*source), of_seconds(options.source.patience_s));
  if (watch.gpu_count() == 0) {
    return fail(
        "the NVIDIA driver works, but no GPU was found; check with lspci that the host has one, and that a container "
        "has access to it (docker run --gpus all)");
  }
  SONDE_TRY(watch.choose(options));
  if (watch.simulated() && (options.dmon || !options.query.empty())) {
    fmt::print(stderr, "note: these GPUs are simulated; the values are not measurements\n");
  }
  if (options.dmon) {
    SONDE_TRY(show_dmon(options, watch));
  } else if (!options.query.empty()) {
    SONDE_TRY(show_query(options, watch));
  } else if (options.names) {
    SONDE_TRY(show_names(options, watch));
  } else {
    SONDE_TRY(show_all(options, watch));
  }
  return !watch.failed();
}

int exit_code_of(const Options& options) {
  if (options.help_query) {
    fmt::print("{}", gpus::query_help());
    return kDone;
  }
  if (const Status usage = check(options); !usage) {
    report_error(usage.error());
    return kUsage;
  }
  const auto readable = run(options);
  if (!readable) return report_error(readable.error());
  return *readable ? kDone : kCannot;
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.option("-i,--id", options->ids, "LIST", "only these GPUs: index, UUID or PCI bus ID, separated by commas")
      .list();
  command.flag("-L,--list-gpus", options->names, "list the GPUs and their MIG devices with name and UUID");
  command.option("--query-gpu", options->query, "LIST",
                 "fields to print, by the names of nvidia-smi, separated by commas");
  command.option("--format", options->format, "FORMAT", "format of --query-gpu: csv[,noheader][,nounits]")
      .shows_default();
  command.flag("--help-query-gpu", options->help_query, "list the fields of --query-gpu");
  command.flag("--json", options->json, "print all values as JSON; values that a GPU does not provide are null");
  command.option("-l,--loop", options->loop_s, "SECONDS", "repeat every SECONDS").between(0.01, 86400.0);
  command.option("-c,--count", options->count, "N", "repeat N times, then exit").above_zero();
  command.option("--patience", options->source.patience_s, "SECONDS", "seconds until a GPU counts as not responding")
      .between(0.05, 3600.0)
      .shows_default();
  command.option("--simulated", options->source.simulated, "FILE",
                 "use simulated GPUs that FILE describes, instead of real ones");
  command.option("--at", options->source.at, "TIME", "with --simulated: time since its start, such as 90s")
      .shows_default();
  CommandLine dmon = command.command("dmon", "Print a line per GPU and second, in the columns of nvidia-smi dmon");
  dmon.passes_options_up();
  dmon.footer("Example:\n  sonde gpus dmon -s pu -d 5\n");
  dmon.option("-s,--select", options->select, "GROUPS", "groups of columns to print: p u c v m e t").shows_default();
  dmon.option("-d,--delay", options->delay_s, "SECONDS", "seconds between two lines").between(0.01, 86400.0);
  dmon.option("-o,--options", options->stamp, "STAMPS", "add columns: D date, T time");
  dmon.runs([options] {
    options->dmon = true;
    return exit_code_of(*options);
  });
  command.runs([options] { return exit_code_of(*options); });
}

}  // namespace
}  // namespace gpus_cli

extern const Command gpus_command;
const Command gpus_command{
    "gpus",
    "Show the GPUs of this host as a table or JSON, or with the fields of nvidia-smi and the columns of its dmon",
    "sonde gpus --query-gpu=name,utilization.gpu,memory.used --format=csv -l 5", gpus_cli::set_up,
    CommandGroup::operate};

}  // namespace sonde
