#include "exporters/nsys/global_ids.h"

#include <boost/unordered/unordered_flat_set.hpp>

namespace sonde {
namespace {

/// Linux gives no pid or tid above 2^22 (PID_MAX_LIMIT): numbers from there on are free for those we must invent.
constexpr int64_t kFirstInvented = int64_t{1} << 22;
/// Nsight numbers the first machine 1.
constexpr int64_t kFirstVm = 1;

using Taken = boost::unordered_flat_set<int64_t>;

}  // namespace

GlobalIds::GlobalIds(const Trace& trace) {
  number_processes(trace);
  number_threads(trace);
}

void GlobalIds::number_processes(const Trace& trace) {
  Taken pids;
  int64_t invented = kFirstInvented;
  for (const Process& p : trace.processes) {
    const auto given = static_cast<int64_t>(p.global_id);
    const bool kept = given > 0 && (given & kTidMask) == 0 && vm(given) > 0 && pids.insert(pid(given)).second;
    if (kept) {
      processes_.push_back(given);
      continue;
    }
    int64_t number = p.pid;
    while (number < 0 || number > kTidMask || !pids.insert(number).second) number = invented++;
    processes_.push_back((kFirstVm + p.rank) << kVmShift | number << kTidBits);
  }
}

void GlobalIds::number_threads(const Trace& trace) {
  Taken taken;
  int64_t invented = kFirstInvented;
  for (const Thread& t : trace.threads) {
    const int64_t process = this->process(t.process);
    const auto given = static_cast<int64_t>(t.global_id);
    if (process != kUnknown && (given & ~kTidMask) == process && taken.insert(given).second) {
      threads_.push_back(given);
      continue;
    }
    const int64_t base = process == kUnknown ? kFirstVm << kVmShift : process;
    int64_t number = t.tid;
    while (number < 0 || number > kTidMask || !taken.insert(base | number).second) number = invented++;
    threads_.push_back(base | number);
  }
}

}  // namespace sonde
