#include <algorithm>
#include <tuple>

#include "analyses/steps/thread_ids.h"
#include "analyses/tables/report_table.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport python_thread_sum_report;

namespace python_thread_sum {
namespace {

Fields fields(const ReportArguments&) { return {Field::python_samples}; }

struct Counts {
  int64_t all = 0;
  int64_t running = 0;
  int64_t with_gil = 0;  ///< held the lock
  int64_t for_gil = 0;   ///< waited for it
  int64_t waiting = 0;   ///< for anything else
  int64_t state_known = 0;
  int64_t gil_known = 0;
};

std::vector<Counts> counts_by_thread(const Trace& trace) {
  std::vector<Counts> threads(trace.threads.size());
  const PythonSamples& samples = trace.python_samples;
  for (size_t row = 0; row < row_count(samples); ++row) {
    if (samples.thread[row] >= threads.size()) continue;
    Counts& c = threads[samples.thread[row]];
    const auto gil = static_cast<GilUse>(samples.gil[row]);
    const auto state = static_cast<ThreadState>(samples.state[row]);
    ++c.all;
    c.with_gil += gil == GilUse::holds ? 1 : 0;
    c.for_gil += gil == GilUse::waits ? 1 : 0;
    c.gil_known += gil == GilUse::unknown || state == ThreadState::unknown ? 0 : 1;
    c.running += state == ThreadState::running && gil != GilUse::waits ? 1 : 0;
    c.waiting += state == ThreadState::waiting && gil != GilUse::waits ? 1 : 0;
    c.state_known += state == ThreadState::unknown ? 0 : 1;
  }
  return threads;
}

/// Those that ran most first.
std::vector<ThreadId> listed(const std::vector<Counts>& counts) {
  std::vector<ThreadId> threads;
  for (ThreadId t = 0; t < counts.size(); ++t) {
    if (counts[t].all > 0) threads.push_back(t);
  }
  std::ranges::stable_sort(threads, {}, [&](ThreadId t) { return std::tuple(-counts[t].running, -counts[t].for_gil); });
  return threads;
}

double percent(int64_t part, int64_t all) {
  return all == 0 ? kAbsent : 100 * static_cast<double>(part) / static_cast<double>(all);
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(python_thread_sum_report);
  const std::vector<Counts> counts = counts_by_thread(trace);
  auto& running = table.reals("Running", Unit::percent, 1);
  auto& for_gil = table.reals("GIL Wait", Unit::percent, 1);
  auto& waiting = table.reals("Waiting", Unit::percent, 1);
  auto& with_gil = table.reals("GIL Held", Unit::percent, 1);
  auto& samples = table.integers("Samples");
  auto& pid = table.integers("Pid");
  auto& tid = table.integers("Tid");
  auto& name = table.texts("Thread");
  for (const ThreadId thread : listed(counts)) {
    const Counts& c = counts[thread];
    running.push_back(percent(c.running, c.state_known));
    for_gil.push_back(percent(c.for_gil, c.gil_known));
    waiting.push_back(percent(c.waiting, c.state_known));
    with_gil.push_back(percent(c.with_gil, c.gil_known));
    samples.push_back(c.all);
    pid.push_back(pid_of(trace, thread));
    tid.push_back(tid_of(trace, thread));
    const NameId of = trace.threads[thread].name;
    name.push_back(of == kNone ? std::string_view() : trace.name(of));
  }
  return table;
}

}  // namespace
}  // namespace python_thread_sum

const StatsReport python_thread_sum_report{
    .name = "python_thread_sum",
    .usage = "python_thread_sum",
    .title = "Python Thread Summary",
    .description =
        R"(How Python threads spend their time, from samples: running, waiting for the global interpreter lock (GIL), or waiting
for anything else.

Running (%)   of the thread's samples, share in which it ran or was ready to run
GIL Wait (%)  share in which it waited for the GIL, which another thread held
Waiting (%)   share in which it waited in a system call for anything else (I/O, sleep, locks)
GIL Held (%)  share in which it held the GIL: running Python, or C code that does not release the lock
Samples       number of samples
Pid, Tid, Thread  process, thread and its name

Every Python thread is sampled at a fixed rate from its start to its end, so a share of the samples is a share of that
time. The error of n samples is about the square root of n. Shares that Linux does not let the recorder see are -. This
report is specific to Sonde.)",
    .data = "Python sample (nsys: --trace=python-gil)",
    .in_default_set = false,
    .fields = python_thread_sum::fields,
    .run = python_thread_sum::run,
};

}  // namespace sonde
