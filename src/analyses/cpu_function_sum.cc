#include <algorithm>
#include <tuple>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/report_table.h"

namespace sonde {

extern const StatsReport cpu_function_sum_report;

namespace {

Fields fields(const ReportArguments&) { return {Field::samples, Field::call_chains}; }

struct Function {
  NameId symbol = kNone;
  NameId module = kNone;
  int64_t self = 0;   ///< samples that were taken in it
  int64_t total = 0;  ///< and in what it called
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

class Functions {
 public:
  explicit Functions(const CallChains& chains) : chains_(chains) {}

  void add(size_t chain, int64_t samples) {
    const uint32_t first = chains_.first[chain];
    met_.clear();
    for (uint32_t frame = first; frame < chains_.first[chain + 1]; ++frame) {
      const size_t row = row_of(frame);
      if (frame == first) all_[row].self += samples;
      if (std::ranges::find(met_, row) != met_.end()) continue;  // a function that called itself
      met_.push_back(row);
      all_[row].total += samples;
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

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(cpu_function_sum_report);
  const std::vector<int64_t> samples = samples_by_chain(trace);
  Functions functions(trace.chains);
  int64_t all = 0;
  for (size_t chain = 0; chain < samples.size(); ++chain) {
    if (samples[chain] == 0) continue;
    functions.add(chain, samples[chain]);
    all += samples[chain];
  }
  const auto percent = [all](int64_t part) { return 100 * static_cast<double>(part) / static_cast<double>(all); };
  auto& self = table.reals("Self", Unit::percent, 1);
  auto& self_samples = table.integers("Self Samples");
  auto& total = table.reals("Total", Unit::percent, 1);
  auto& total_samples = table.integers("Total Samples");
  auto& function = table.texts("Function");
  auto& module = table.texts("Module");
  for (const Function& f : std::move(functions).sorted(trace)) {
    self.push_back(percent(f.self));
    self_samples.push_back(f.self);
    total.push_back(percent(f.total));
    total_samples.push_back(f.total);
    function.emplace_back(trace.name(f.symbol));
    module.emplace_back(file_name(trace.name(f.module)));
  }
  return table;
}

}  // namespace

const StatsReport cpu_function_sum_report{
    .name = "cpu_function_sum",
    .usage = "cpu_function_sum",
    .title = "CPU Sample Summary by Function",
    .description = R"(In which functions the threads of the host were when they were sampled: where its CPU time went.

Self (%)       share of the samples that have a call chain which were taken in the function itself
Self Samples   how many
Total (%)      the same in the function or in what it called, at any depth; a sample counts once
Total Samples  how many
Function       as the recorder named it; an address where it found no name
Module         name of the file that holds it

Samples are taken at the recorder's rate while a thread is on a core: waiting is not in them (thread_sum, osrt_sum). A
share of few samples is a rough one: of n samples the error is about the square root of n. Where only some samples have
a whole chain (--samples-per-backtrace, --backtrace=none or fp), Total counts too little. A report of Sonde's own.)",
    .data = "CPU sample (nsys: --sample=process-tree)",
    .in_default_set = false,
    .fields = fields,
    .run = run,
};

}  // namespace sonde
