#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/tables/report_table.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport python_function_sum_report;

namespace python_function_sum {
namespace {

Fields fields(const ReportArguments&) { return {Field::python_samples, Field::call_chains}; }

constexpr int64_t kDefaultRows = 20;

/// What the samples of a stack say.
struct Counts {
  int64_t running = 0;
  int64_t gil = 0;      ///< waited for the lock
  int64_t waiting = 0;  ///< for anything else
  int64_t unknown = 0;

  [[nodiscard]] int64_t all() const { return running + gil + waiting + unknown; }
  /// Those in which its thread did something, as far as that is known.
  [[nodiscard]] int64_t active() const { return running + unknown; }
  void add(const Counts& more) {
    running += more.running;
    gil += more.gil;
    waiting += more.waiting;
    unknown += more.unknown;
  }
};

struct Function {
  NameId name = kNone;
  NameId file = kNone;
  Counts self = {};
  int64_t total = 0;                      ///< active samples in it and in what it called
  std::map<int32_t, int64_t> lines = {};  ///< its own samples by line
};

void count(Counts& counts, const PythonSamples& samples, size_t row) {
  const auto is = [&](ThreadState state) { return samples.state[row] == static_cast<uint8_t>(state); };
  if (samples.gil[row] == static_cast<uint8_t>(GilUse::waits)) {
    ++counts.gil;
  } else if (is(ThreadState::running)) {
    ++counts.running;
  } else {
    ++(is(ThreadState::unknown) ? counts.unknown : counts.waiting);
  }
}

std::vector<Counts> counts_by_chain(const Trace& trace) {
  std::vector<Counts> counts(trace.chains.size());
  const PythonSamples& samples = trace.python_samples;
  for (size_t row = 0; row < samples.chain.size(); ++row) {
    if (samples.chain[row] < counts.size()) count(counts[samples.chain[row]], samples, row);
  }
  return counts;
}

class Functions {
 public:
  explicit Functions(const CallChains& chains) : chains_(chains) {}

  void add(size_t chain, const Counts& counts) {
    const uint32_t first = chains_.first[chain];
    Function& own = all_[row_of(first)];
    own.self.add(counts);
    own.lines[chains_.line_of(first)] += counts.all();
    met_.clear();
    for (uint32_t frame = first; frame < chains_.first[chain + 1]; ++frame) {
      const size_t row = row_of(frame);
      if (std::ranges::find(met_, row) != met_.end()) continue;  // a function that called itself
      met_.push_back(row);
      all_[row].total += counts.active();
    }
  }

  /// Those that ran most first.
  [[nodiscard]] std::vector<Function> sorted(const Trace& trace) && {
    std::ranges::sort(all_, {}, [&](const Function& f) {
      return std::tuple(-f.self.active(), -f.self.gil, -f.self.waiting, -f.total, trace.name(f.name),
                        trace.name(f.file));
    });
    return std::move(all_);
  }

 private:
  size_t row_of(uint32_t frame) {
    const NameId name = chains_.symbol[frame];
    const NameId file = chains_.module[frame];
    const auto [found, fresh] = rows_.try_emplace(uint64_t{name} << 32U | file, all_.size());
    if (fresh) all_.push_back({.name = name, .file = file});
    return found->second;
  }

  const CallChains& chains_;
  std::vector<Function> all_;
  boost::unordered_flat_map<uint64_t, size_t> rows_;
  std::vector<size_t> met_;
};

/// The line of a function in which most of its own samples were taken.
int64_t hottest_line(const Function& function) {
  const auto most = std::ranges::max_element(function.lines, {}, [](const auto& entry) { return entry.second; });
  return most == function.lines.end() || most->first == kUnknown32 ? kUnknown : most->first;
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

double percent(int64_t part, int64_t all) {
  return all == 0 ? kAbsent : 100 * static_cast<double>(part) / static_cast<double>(all);
}

void add_columns(Table& table, const Trace& trace, std::span<const Function> functions, int64_t active) {
  auto& self = table.reals("Self", Unit::percent, 1);
  auto& running = table.integers("Running");
  auto& gil = table.integers("GIL Waits");
  auto& waiting = table.integers("Waiting");
  auto& total = table.reals("Total", Unit::percent, 1);
  auto& name = table.texts("Function");
  auto& file = table.texts("File");
  auto& line = table.integers("Line");
  for (const Function& f : functions) {
    self.push_back(percent(f.self.active(), active));
    running.push_back(f.self.active());
    gil.push_back(f.self.gil);
    waiting.push_back(f.self.waiting);
    total.push_back(percent(f.total, active));
    name.emplace_back(trace.name(f.name));
    file.emplace_back(file_name(trace.name(f.file)));
    line.push_back(hottest_line(f));
  }
}

std::string note_of(const Counts& all, int64_t stackless, size_t left_out) {
  std::string note;
  const auto add = [&note](const std::string& line) { note += (note.empty() ? "" : "\n") + line; };
  if (left_out > 0) {
    add(fmt::format("{} more {}; -r python_function_sum:rows=-1 lists all.", left_out,
                    left_out == 1 ? "function" : "functions"));
  }
  if (stackless > 0) add(fmt::format("{} samples have no stack.", stackless));
  if (all.unknown > 0)
    add(fmt::format("Of {} samples it is not known whether they ran; they count as such.", all.unknown));
  return note;
}

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  Table table = table_of(python_function_sum_report);
  const std::vector<Counts> counts = counts_by_chain(trace);
  Functions functions(trace.chains);
  Counts all;
  for (size_t chain = 0; chain < counts.size(); ++chain) {
    if (counts[chain].all() == 0 || trace.chains.first[chain] == trace.chains.first[chain + 1]) continue;
    functions.add(chain, counts[chain]);
    all.add(counts[chain]);
  }
  const std::vector<Function> sorted = std::move(functions).sorted(trace);
  const int64_t rows = arguments.rows.value_or(kDefaultRows);
  const size_t listed = rows < 0 ? sorted.size() : std::min(sorted.size(), static_cast<size_t>(rows));
  add_columns(table, trace, std::span(sorted).first(listed), all.active());
  const int64_t stackless = static_cast<int64_t>(row_count(trace.python_samples)) - all.all();
  if (!sorted.empty()) table.note = note_of(all, stackless, sorted.size() - listed);
  return table;
}

}  // namespace
}  // namespace python_function_sum

const StatsReport python_function_sum_report{
    .name = "python_function_sum",
    .usage = "python_function_sum[:rows=<limit>]",
    .title = "Python Sample Summary by Function",
    .description = R"(What Python threads did, by function, from samples of their Python stacks.

  :rows=<limit>  number of functions to list (default: 20; -1 lists all)

Self (%)   of the samples of running threads, share taken while the function itself was the innermost Python function:
           its own bytecode, or C code that it called
Running    number of these samples
GIL Waits  samples of the function while its thread waited for the global interpreter lock (GIL)
Waiting    samples of the function while its thread waited in a system call for anything else (I/O, sleep, locks)
Total (%)  of the samples of running threads, share taken in the function or in its callees at any depth; a sample counts
           once
Function   qualified name from CPython 3.11 on, else the bare name
File       file of the function
Line       line of the function in which most of the samples were taken

Every Python thread is sampled at a fixed rate, whether it runs or waits, so each sample stands for the same time. A
thread that is ready but not on a core counts as running. A share from few samples is imprecise: the error of n samples
is about the square root of n. This report is specific to Sonde.)",
    .data = "Python sample (nsys: --python-sampling=true)",
    .in_default_set = false,
    .fields = python_function_sum::fields,
    .run = python_function_sum::run,
};

}  // namespace sonde
