#include "record/cpu/perf_event.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <ctime>

#include "base/files/small_file.h"
#include "base/system/system_reason.h"
#include "record/cpu/perf_records.h"

namespace sonde::record {
namespace {

/// A file of /proc or /sys without the line's end; empty where it cannot be read.
std::string setting(const std::string& path) {
  constexpr size_t kMost = 4096;
  std::string text(kMost, '\0');
  FILE* const file = fopen(path.c_str(), "re");
  if (file == nullptr) return {};
  text.resize(fread(text.data(), 1, text.size(), file));
  fclose(file);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

/// The CPUs of a list as "0-3,8".
std::vector<int> online_cpus() {
  std::vector<int> cpus;
  const std::string list = setting("/sys/devices/system/cpu/online");
  const char* at = list.data();
  const char* const end = at + list.size();
  int first = 0;
  while (at < end) {
    const auto begin = std::from_chars(at, end, first);
    if (begin.ec != std::errc()) break;
    int last = first;
    at = begin.ptr;
    if (at < end && *at == '-') at = std::from_chars(at + 1, end, last).ptr;
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (at < end) ++at;
  }
  if (!cpus.empty()) return cpus;
  for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); ++cpu) cpus.push_back(cpu);
  return cpus;
}

void ask_for_samples(perf_event_attr& attributes, const CpuOptions& options) {
  attributes.freq = 1;
  attributes.sample_freq = static_cast<uint64_t>(options.frequency_hz);
  attributes.exclude_callchain_kernel = options.backtrace == Backtrace::none ? 1 : 0;
  attributes.exclude_callchain_user = options.backtrace == Backtrace::frame_pointer ? 0 : 1;
  if (options.backtrace != Backtrace::dwarf) return;
  attributes.sample_type |= kStackParts;
  attributes.sample_regs_user = kUserRegisters;
  attributes.sample_stack_user = kStackBytes;
}

perf_event_attr attributes_of(const CpuOptions& options, bool whole_system) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.sample_type = kSampleParts;
  attributes.disabled = 1;
  attributes.inherit = whole_system ? 0 : 1;
  attributes.enable_on_exec = whole_system ? 0 : 1;
  attributes.exclude_hv = 1;
  attributes.sample_id_all = 1;
  attributes.mmap = attributes.mmap2 = 1;
  attributes.comm = attributes.comm_exec = 1;
  attributes.task = 1;
  attributes.build_id = 1;
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.context_switch = options.switches != CpuScope::none ? 1 : 0;
  if (options.sample == CpuScope::none) return attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  ask_for_samples(attributes, options);
  return attributes;
}

/// Leaves out what an error speaks of; false where nothing more can be left out.
bool ask_for_less(perf_event_attr& attributes, int error) {
  if ((error == EACCES || error == EPERM) && attributes.exclude_kernel == 0) {
    attributes.exclude_kernel = 1;
    return true;
  }
  if (attributes.type == PERF_TYPE_HARDWARE) {  // a virtual machine without counters
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_CPU_CLOCK;
    return true;
  }
  if (error == EINVAL && attributes.build_id != 0) {  // older than Linux 5.12
    attributes.build_id = 0;
    return true;
  }
  return false;
}

/// Containers may filter the call itself; else it is a setting of the kernel.
std::string why_not(int error, bool whole_system) {
  const std::string paranoid = setting("/proc/sys/kernel/perf_event_paranoid");
  const int needed = whole_system ? 0 : 2;
  int level = needed;
  std::from_chars(paranoid.data(), paranoid.data() + paranoid.size(), level);
  const bool forbidden = error == EACCES || error == EPERM;
  if (forbidden && level > needed) {
    return fmt::format(
        "kernel.perf_event_paranoid is {}; 'sysctl kernel.perf_event_paranoid={}' permits it, or the "
        "capability CAP_PERFMON",
        level, needed);
  }
  if (forbidden || error == ENOSYS) {
    return fmt::format(
        "perf_event_open is not permitted: {}; in a container, use --cap-add PERFMON or a seccomp profile "
        "that allows the call",
        system_reason(error));
  }
  return fmt::format("perf_event_open failed: {}", system_reason(error));
}

}  // namespace

PerfEventOpen system_perf_event_open() {
  return [](perf_event_attr& attributes, pid_t process, int cpu) {
    return static_cast<int>(syscall(SYS_perf_event_open, &attributes, process, cpu, -1, PERF_FLAG_FD_CLOEXEC));
  };
}

Result<PerfEvents> open_perf_events(const CpuOptions& options, pid_t process, const PerfEventOpen& open) {
  const bool whole_system = options.sample == CpuScope::system_wide || options.switches == CpuScope::system_wide;
  perf_event_attr attributes = attributes_of(options, whole_system);
  PerfEvents opened;
  for (const int cpu : online_cpus()) {
    int event = open(attributes, whole_system ? -1 : process, cpu);
    while (event < 0 && opened.events.empty() && ask_for_less(attributes, errno)) {
      event = open(attributes, whole_system ? -1 : process, cpu);
    }
    if (event >= 0) {
      opened.events.push_back(event);
      continue;
    }
    if (errno == ENODEV) continue;  // the CPU went away
    const int error = errno;
    for (const int other : opened.events) close(other);
    return fail("{}", why_not(error, whole_system));
  }
  opened.kernel = attributes.exclude_kernel == 0;
  opened.cycles = attributes.type == PERF_TYPE_HARDWARE;
  return opened;
}

}  // namespace sonde::record
