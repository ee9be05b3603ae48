#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

#include "monitor/families/shared_family.h"

namespace sonde::monitor {
namespace own_process {
namespace {

/// /proc/self/stat, proc(5): fields counted from 1; those after the command, which can hold blanks.
struct Stat {
  double cpu_s = 0;           ///< 14 and 15
  double threads = 0;         ///< 20
  double started_s = 0;       ///< 22, since the boot
  double virtual_bytes = 0;   ///< 23
  double resident_bytes = 0;  ///< 24
};

std::optional<Stat> read_stat() {
  std::ifstream file("/proc/self/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const size_t command_end = text.rfind(')');
  if (command_end == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(command_end + 1));
  const std::vector<std::string> fields((std::istream_iterator<std::string>(rest)),
                                        std::istream_iterator<std::string>());
  constexpr size_t kFirst = 3;  // fields[0] is the third
  if (fields.size() <= 24 - kFirst) return std::nullopt;
  const auto field = [&](size_t number) { return std::strtod(fields[number - kFirst].c_str(), nullptr); };
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return Stat{.cpu_s = (field(14) + field(15)) / ticks,
              .threads = field(20),
              .started_s = field(22) / ticks,
              .virtual_bytes = field(23),
              .resident_bytes = field(24) * static_cast<double>(sysconf(_SC_PAGESIZE))};
}

/// Seconds since 1970.
std::optional<double> boot_moment() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("btime ")) return std::strtod(line.c_str() + 6, nullptr);
  }
  return std::nullopt;
}

template <double Stat::* kMember>
void of_stat(const Scrape& /*scrape*/, Samples& out) {
  const auto stat = read_stat();
  if (stat) out.add({}, *stat.*kMember);
}

/// Does not change: /proc/stat is long where there are many processors.
void start(const Scrape& /*scrape*/, Samples& out) {
  static const std::optional<double> boot = boot_moment();
  const auto stat = read_stat();
  if (stat && boot) out.add({}, *boot + stat->started_s);
}

void open_files(const Scrape& /*scrape*/, Samples& out) {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return;
  double count = 0;
  while (readdir(folder) != nullptr) ++count;  // NOLINT(concurrency-mt-unsafe): no other thread has this folder
  closedir(folder);
  out.add({}, count - 3);  // ".", ".." and the folder itself
}

void max_files(const Scrape& /*scrape*/, Samples& out) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) out.add({}, static_cast<double>(limit.rlim_cur));
}

constexpr auto kMetrics = std::to_array<Metric>({
    {.name = "process_cpu_seconds_total",
     .kind = MetricKind::counter,
     .detail = MetricDetail::basic,
     .help = "CPU time of the service, user and system.",
     .collect = of_stat<&Stat::cpu_s>},
    {.name = "process_resident_memory_bytes",
     .detail = MetricDetail::basic,
     .help = "Resident memory of the service.",
     .collect = of_stat<&Stat::resident_bytes>},
    {.name = "process_virtual_memory_bytes",
     .detail = MetricDetail::basic,
     .help = "Virtual memory of the service.",
     .collect = of_stat<&Stat::virtual_bytes>},
    {.name = "process_threads",
     .detail = MetricDetail::basic,
     .help = "Threads of the service.",
     .collect = of_stat<&Stat::threads>},
    {.name = "process_open_fds",
     .detail = MetricDetail::basic,
     .help = "Open file descriptors of the service.",
     .collect = open_files},
    {.name = "process_max_fds",
     .detail = MetricDetail::basic,
     .help = "Maximum number of open file descriptors of the service.",
     .collect = max_files},
    {.name = "process_start_time_seconds",
     .detail = MetricDetail::basic,
     .help = "Unix time when the service started.",
     .collect = start},
});

}  // namespace
}  // namespace own_process

extern constinit const Family own_process_family;
constinit const Family own_process_family{
    .name = "own_process", .title = "The service's process", .metrics = own_process::kMetrics};

}  // namespace sonde::monitor
