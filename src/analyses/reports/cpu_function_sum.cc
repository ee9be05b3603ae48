#include <algorithm>
#include <span>
#include <tuple>

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/tables/report_table.h"
#include "trace/thread_starts.h"

namespace sonde {

extern const StatsReport cpu_function_sum_report;

namespace cpu_function_sum {
namespace {

Fields fields(const ReportArguments&) { return {Field::samples, Field::call_chains}; }

constexpr int64_t kDefaultRows = 20;

struct Function {
  NameId symbol = kNone;
  NameId module = kNone;
  int64_t self = 0;     ///< samples that were taken in it
  int64_t total = 0;    ///< and in what it called, of those that tell of callers
  bool called = false;  ///< there are such
};

/// How much of the samples tells of callers.
struct Known {
  int64_t all = 0;      ///< samples with a place
  int64_t chained = 0;  ///< with callers
  int64_t broken = 0;   ///< of these those that do not reach the start of their thread
};

/// Samples by the chain that they were taken in.
std::vector<int64_t> samples_by_chain(const Trace& trace) {
  std::vector<int64_t> samples(trace.chains.size());
  for (const ChainId chain : trace.samples.chain) {
    if (chain < samples.size()) ++samples[chain];
  }
  return samples;
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view outermost(const Trace& trace, size_t chain) {
  return trace.name(trace.chains.symbol[trace.chains.first[chain + 1] - 1]);
}

/// Where the outermost function of a file has no name, as in stripped programs, nobody knows.
bool is_broken(const Trace& trace, size_t chain) {
  const std::string_view name = outermost(trace, chain);
  const std::string_view module = trace.name(trace.chains.module[trace.chains.first[chain + 1] - 1]);
  const bool nameless = name.starts_with("0x") && !module.empty() && !module.starts_with('[');
  return !is_thread_start(name) && !nameless;
}

/// Of a sample in the kernel, the kernel's own frames alone do not tell which function of the program called it.
bool has_callers(const Trace& trace, size_t chain) {
  const CallChains& chains = trace.chains;
  const uint32_t last = chains.first[chain + 1] - 1;
  if (last == chains.first[chain]) return false;
  return chains.kernel_mode.empty() || chains.kernel_mode[last] != 1 || is_thread_start(outermost(trace, chain));
}

class Functions {
 public:
  explicit Functions(const CallChains& chains) : chains_(chains) {}

  void add_self(size_t chain, int64_t samples) { all_[row_of(chains_.first[chain])].self += samples; }

  void add_callers(size_t chain, int64_t samples) {
    const uint32_t first = chains_.first[chain];
    met_.clear();
    for (uint32_t frame = first; frame < chains_.first[chain + 1]; ++frame) {
      const size_t row = row_of(frame);
      if (std::ranges::find(met_, row) != met_.end()) continue;  // a function that called itself
      met_.push_back(row);
      all_[row].total += samples;
      all_[row].called = true;
    }
  }

  /// Those in which most samples were taken first.
  [[nodiscard]] std::vector<Function> sorted(const Trace& trace) && {
    const auto order = [&](const Function& f) {
      return std::tuple(-f.self, -f.total, trace.name(f.symbol), trace.name(f.module));
    };
    std::ranges::sort(all_, {}, order);
    return std::move(all_);
  }

 private:
  size_t row_of(uint32_t frame) {
    const NameId symbol = chains_.symbol[frame];
    const NameId module = chains_.module[frame];
    const auto [found, fresh] = rows_.try_emplace(uint64_t{symbol} << 32U | module, all_.size());
    if (fresh) all_.push_back({.symbol = symbol, .module = module});
    return found->second;
  }

  const CallChains& chains_;
  std::vector<Function> all_;
  boost::unordered_flat_map<uint64_t, size_t> rows_;
  std::vector<size_t> met_;
};

/// What a reader must know of Total, and how many functions are not listed.
std::string note_of(const Known& known, size_t left_out) {
  std::string note;
  if (left_out > 0) {
    note = fmt::format("{} more {}; -r cpu_function_sum:rows=-1 lists all.", left_out,
                       left_out == 1 ? "function" : "functions");
  }
  if (known.chained == 0) return note + (note.empty() ? "" : "\n") + "No sample has callers, so there is no Total.";
  if (known.chained < known.all) {
    note += fmt::format("{}Total covers the {} of {} samples that have callers.", note.empty() ? "" : "\n",
                        known.chained, known.all);
  }
  if (known.broken > 0) {
    note += fmt::format(
        "{}{} of {} call stacks do not end in a thread's start function, so Total is too low for the callers of "
        "these.",
        note.empty() ? "" : "\n", known.broken, known.chained);
  }
  return note;
}

double percent(int64_t part, int64_t all) { return 100 * static_cast<double>(part) / static_cast<double>(all); }

void add_columns(Table& table, const Trace& trace, std::span<const Function> functions, const Known& known) {
  auto& self = table.reals("Self", Unit::percent, 1);
  auto& self_samples = table.integers("Self Samples");
  auto& total = table.reals("Total", Unit::percent, 1);
  auto& total_samples = table.integers("Total Samples");
  auto& function = table.texts("Function");
  auto& module = table.texts("Module");
  for (const Function& f : functions) {
    self.push_back(percent(f.self, known.all));
    self_samples.push_back(f.self);
    total.push_back(f.called ? percent(f.total, known.chained) : kAbsent);
    total_samples.push_back(f.called ? f.total : kUnknown);
    function.emplace_back(trace.name(f.symbol));
    module.emplace_back(file_name(trace.name(f.module)));
  }
}

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  Table table = table_of(cpu_function_sum_report);
  const std::vector<int64_t> samples = samples_by_chain(trace);
  Functions functions(trace.chains);
  Known known;
  for (size_t chain = 0; chain < samples.size(); ++chain) {
    if (samples[chain] == 0 || trace.chains.first[chain] == trace.chains.first[chain + 1]) continue;
    functions.add_self(chain, samples[chain]);
    known.all += samples[chain];
    if (!has_callers(trace, chain)) continue;
    functions.add_callers(chain, samples[chain]);
    known.chained += samples[chain];
    if (is_broken(trace, chain)) known.broken += samples[chain];
  }
  const std::vector<Function> sorted = std::move(functions).sorted(trace);
  const int64_t rows = arguments.rows.value_or(kDefaultRows);
  const size_t listed = rows < 0 ? sorted.size() : std::min(sorted.size(), static_cast<size_t>(rows));
  add_columns(table, trace, std::span(sorted).first(listed), known);
  if (!sorted.empty()) table.note = note_of(known, sorted.size() - listed);
  return table;
}

}  // namespace
}  // namespace cpu_function_sum

const StatsReport cpu_function_sum_report{
    .name = "cpu_function_sum",
    .usage = "cpu_function_sum[:rows=<limit>]",
    .title = "CPU Sample Summary by Function",
    .description = R"(CPU time of the host threads by function, from CPU samples.

  :rows=<limit>  number of functions to list (default: 20; -1 lists all)

Self (%)       of the samples that have a call stack, share taken in the function itself
Self Samples   number of these samples
Total (%)      of the samples that have callers, share taken in the function or in its callees at any depth; a sample
               counts once. Absent if no such sample contains the function
Total Samples  number of these samples
Function       name from the recorder, or the address if it found no name
Module         name of the file that contains the function

Samples are taken at a fixed rate while a thread is on a core, so they do not include waiting (see thread_sum,
osrt_sum). A share from few samples is imprecise: the error of n samples is about the square root of n. If some samples
have no callers (--samples-per-backtrace, --backtrace=none), a line below the table reports how many samples Total
covers. If call stacks end before the start of their thread (--backtrace=fp in code without frame pointers), a line
reports how many. This report is specific to Sonde.)",
    .data = "CPU sample (nsys: --sample=process-tree)",
    .in_default_set = false,
    .fields = cpu_function_sum::fields,
    .run = cpu_function_sum::run,
};

}  // namespace sonde
