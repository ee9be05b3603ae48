#include "record/python/python_remarks.h"

#include <set>

#include <fmt/ranges.h>

#include "base/time_units.h"
#include "record/python/layout.h"

namespace sonde::record {
namespace {

std::string python_that_was_recorded(const PythonTally& t, const PythonOptions& options) {
  std::set<std::string> versions;
  size_t processes = 0;
  for (const PythonTally::Process& process : t.processes) {
    if (!process.problem.empty()) continue;
    ++processes;
    versions.insert("CPython " + process.version);
  }
  return fmt::format(
      "recorded {} samples of Python threads at {} Hz in {} {} ({}); the recorder used {:.0f} ms of CPU "
      "time for them",
      t.samples, options.frequency_hz, processes, processes == 1 ? "process" : "processes", fmt::join(versions, ", "),
      static_cast<double>(t.own_ns) / kMillisecondNs);
}

void add_python_losses(std::vector<Remark>& remarks, const PythonTally& t) {
  if (t.torn > 0 && t.samples > 0) {
    remarks.push_back(
        {false, fmt::format("{} of {} Python stacks ({:.2f} %) changed while they were read; their samples "
                            "have no stack",
                            t.torn, t.samples, 100 * static_cast<double>(t.torn) / static_cast<double>(t.samples))});
  }
  if (t.missed > 0) {
    remarks.push_back({false, fmt::format("{} times the recorder was too late to sample Python threads", t.missed)});
  }
  if (t.nameless > 0) {
    remarks.push_back(
        {true, fmt::format("{} samples of Python threads whose thread ID is not known are left out", t.nameless)});
  }
  if (t.samples > 0 && !t.states) {
    remarks.push_back({true,
                       "whether Python threads ran or waited, and for the GIL, is not known: Linux does not show "
                       "/proc/PID/task/TID/syscall"});
  }
  if (t.unread_bytes > 0) {
    remarks.push_back({true, fmt::format("{} bytes of Python samples could not be read", t.unread_bytes)});
  }
}

}  // namespace

void add_python_remarks(std::vector<Remark>& remarks, const PythonTally& tally, const PythonOptions& options) {
  if (!options.any()) return;
  for (const PythonTally::Process& process : tally.processes) {
    if (process.problem.empty()) continue;
    remarks.push_back(
        {true, fmt::format("Python threads of process {} are not sampled: {}", process.number, process.problem)});
  }
  if (tally.samples > 0) {
    remarks.push_back({false, python_that_was_recorded(tally, options)});
  } else if (tally.processes.empty()) {
    remarks.push_back(
        {true, fmt::format("no Python thread was sampled: no process of the program runs CPython 3.{} to 3.{}",
                           python::kFirstMinor, python::kLastMinor)});
  }
  add_python_losses(remarks, tally);
}

}  // namespace sonde::record
