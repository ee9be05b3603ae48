// Measures the cost of monitoring: the processor time of the whole monitor, and of the reads alone.
//   monitor_cost NVML SECONDS INTERVAL_S FOLDER
// The GPUs are those of the NVML library at that path (the stand-in, configured by SONDE_FAKE_NVML). Prints, in percent
// of a core: reads alone (the source and its threads), then the whole monitor with history in FOLDER; then the number
// of rounds of the monitor and their mean time.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>

#include <fmt/format.h>

#include "config/live.h"
#include "device/parallel_reader.h"
#include "monitor/monitor.h"

namespace {

using namespace sonde;  // NOLINT(google-build-using-namespace): a program of its own
using std::chrono::steady_clock;

double processor_s() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

class Quiet : public Log {
 public:
  void write(LogLevel level, std::string_view message, std::span<const LogField>) override {
    if (level == LogLevel::error) fmt::print(stderr, "{}\n", message);
  }
  void set_level(LogLevel) override {}
};

class Fixed : public config::LiveConfig {
 public:
  explicit Fixed(double interval_s) { config_->gpu.monitoring.interval = interval_s; }
  std::shared_ptr<const config::Config> current() const override { return config_; }
  Status set(std::string_view, const std::string&, bool) override { return {}; }
  Result<config::Reload> reload() override { return config::Reload{}; }
  std::vector<config::KeyState> keys() const override { return {}; }
  void on_change(std::function<void(const config::Config&)>) override {}
  const std::string& file() const override { return file_; }

 private:
  std::shared_ptr<config::Config> config_ = std::make_shared<config::Config>();
  std::string file_;
};

/// Percent of a core that `work` takes over its time.
template <typename Work>
double share_of(const Work& work) {
  const auto began = steady_clock::now();
  const double before = processor_s();
  work();
  const double elapsed = std::chrono::duration<double>(steady_clock::now() - began).count();
  return 100 * (processor_s() - before) / elapsed;
}

double reads_alone(const std::string& library, int seconds, double interval_s) {
  const auto source = device::open_nvml(library);
  if (!source) {
    fmt::print(stderr, "{}\n", source.error().message);
    std::exit(1);
  }
  device::ParallelReader reader(*source);
  std::vector<size_t> gpus(reader.gpu_count());
  std::iota(gpus.begin(), gpus.end(), 0);
  (void)reader.read(gpus, device::kAllGroups, std::chrono::seconds(5));
  return share_of([&] {
    auto next = steady_clock::now();
    for (int i = 0; i < static_cast<int>(seconds / interval_s); ++i) {
      (void)reader.read(gpus, device::fast | device::gpm | device::processes, std::chrono::seconds(1));
      std::this_thread::sleep_until(
          next += std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(interval_s)));
    }
  });
}

int64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) return 2;
  const std::string library = words[1];
  const int seconds = std::atoi(words[2]);
  const double interval_s = std::atof(words[3]);
  const double reads = reads_alone(library, seconds, interval_s);

  Quiet log;
  Fixed config(interval_s);
  monitor::EventLog events;
  std::vector<std::string> notes;
  const auto history = monitor::History::open(words[4], {}, notes);
  if (!history) return 1;
  const auto owners = monitor::ProcessOwners::of_proc();
  const auto watch = monitor::Monitor::make({.config = &config,
                                             .log = &log,
                                             .history = history->get(),
                                             .events = &events,
                                             .alerts = nullptr,
                                             .owners = owners.get(),
                                             .open_source = [&] { return device::open_nvml(library); },
                                             .now_ns = now_ns});
  watch->start();
  while (watch->snapshot()->state.rounds < 2) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const int64_t first = watch->snapshot()->state.rounds;
  const double all = share_of([&] { std::this_thread::sleep_for(std::chrono::seconds(seconds)); });
  const auto host = watch->snapshot();
  fmt::print("{:.3f} {:.3f} {} {:.6f} {}\n", reads, all, host->state.rounds - first, host->state.last_duration_s,
             host->gpus.size());
  watch->stop();
  return 0;
}
