#include "base/system/event_count.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/system/system_reason.h"

namespace sonde {
namespace {

std::string advice(int error) {
  if (error == EACCES || error == EPERM) {
    return "; it needs kernel.perf_event_paranoid at 2 or lower or the capability PERFMON, and in a container a "
           "seccomp profile that allows it";
  }
  if (error == ENOENT || error == EOPNOTSUPP) return "; this machine, often a virtual one, does not count it";
  return "";
}

}  // namespace

Result<EventCount> EventCount::of_programs(uint32_t type, uint64_t event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = event;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.inherit = 1;
  // This thread itself stays uncounted: only what calls exec() begins to count.
  attributes.disabled = 1;
  attributes.enable_on_exec = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  constexpr int kThisThread = 0;
  constexpr int kAnyProcessor = -1;
  constexpr int kNoGroup = -1;
  Descriptor file(static_cast<int>(syscall(SYS_perf_event_open, &attributes, kThisThread, kAnyProcessor, kNoGroup,
                                           static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC))));
  if (!file) return fail("perf_event_open: {}{}", system_reason(errno), advice(errno));
  return EventCount(std::move(file));
}

Result<int64_t> EventCount::read() const {
  struct {
    uint64_t value, enabled_ns, running_ns;
  } reading{};
  if (::read(file_.get(), &reading, sizeof reading) != sizeof reading) {
    return fail("cannot read a perf event: {}", system_reason(errno));
  }
  if (reading.running_ns == 0) return fail("the event was not counted: other users of perf hold the counters");
  const double share = static_cast<double>(reading.enabled_ns) / static_cast<double>(reading.running_ns);
  return static_cast<int64_t>(static_cast<double>(reading.value) * share);
}

}  // namespace sonde
