#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "findings/rule.h"
#include "trace/columns.h"

/// Gradients that are set to zero before each backward pass, which then adds to them: a gradient that is None is
/// written instead. The ceiling is what a replay (replay.h) saves without the operators that set them and as many of
/// the additions behind them: further ones accumulate gradients.
namespace sonde {
namespace zero_grad_finding {
namespace {

/// Fewer in a row are a program's own buffers.
constexpr size_t kMinOperators = 8;

/// Operators in a row on one thread that set gradients to zero.
struct Zeroing {
  ThreadId thread = kNone;
  Span time;
  size_t operators = 0;
  bool of_all = false;  ///< one operator sets many
};

struct Found {
  std::vector<Zeroing> zeroings;
  std::vector<Row> additions;  ///< of gradients: ranges, by start
};

bool is_operator(const Trace& trace, Row range) {
  return trace.domains[trace.ranges.domain[range]].kind == DomainKind::op;
}

bool accumulates(const Trace& trace, Row addition) {
  const Ranges& r = trace.ranges;
  for (Row row = r.parent[addition]; row != kNone; row = r.parent[row]) {
    if (trace.name(r.name[row]).contains("AccumulateGrad")) return true;
  }
  return false;
}

/// What zero_grad() itself calls beside it.
bool is_of_zero_grad(std::string_view name) { return name.contains("detach") || name.contains("requires_grad"); }

/// Reads operators in the order of time.
class Reader {
 public:
  explicit Reader(const Trace& trace)
      : trace_(trace),
        one_(trace.names.find("aten::zero_")),
        all_(trace.names.find("aten::_foreach_zero_")),
        add_(trace.names.find("aten::add_")) {}

  [[nodiscard]] bool has_any() const { return one_ != kNone || all_ != kNone; }
  void read(Row row) {
    const Ranges& r = trace_.ranges;
    if (r.name[row] == add_ && accumulates(trace_, row)) found_.additions.push_back(row);
    if (r.parent[row] != kNone) return;  // torch.zeros sets memory as a part of another operator
    if (r.name[row] == one_ || r.name[row] == all_) {
      add_zeroing(row);
    } else if (!is_of_zero_grad(trace_.name(r.name[row]))) {
      open_.erase(r.thread[row]);
    }
  }
  Found found() && {
    std::erase_if(found_.zeroings, [](const Zeroing& z) { return !z.of_all && z.operators < kMinOperators; });
    return std::move(found_);
  }

 private:
  void add_zeroing(Row row) {
    const Ranges& r = trace_.ranges;
    const auto [open, fresh] = open_.try_emplace(r.thread[row], found_.zeroings.size());
    if (fresh) found_.zeroings.push_back({r.thread[row], {r.start[row], r.end[row]}});
    Zeroing& z = found_.zeroings[open->second];
    z.time.second = r.end[row];
    z.of_all = z.of_all || r.name[row] == all_;
    ++z.operators;
  }

  const Trace& trace_;
  NameId one_;
  NameId all_;
  NameId add_;
  Found found_;
  std::map<ThreadId, size_t> open_;  ///< of found_.zeroings
};

Found find(const Facts& facts) {
  const Trace& trace = facts.trace;
  const Ranges& r = trace.ranges;
  Reader reader(trace);
  for (Row row = 0; reader.has_any() && row < row_count(r); ++row) {
    const bool known = r.name[row] != kNone && r.end[row] != kUnknown;
    if (known && is_operator(trace, row) && facts.judged_on_host(r.start[row])) reader.read(row);
  }
  return std::move(reader).found();
}

/// As many as there are gradients; further ones accumulate.
std::vector<Row> first_additions(const Trace& trace, const Found& found) {
  std::vector<Row> first;
  for (size_t i = 0; i < found.zeroings.size(); ++i) {
    const Zeroing& z = found.zeroings[i];
    const int64_t until =
        i + 1 < found.zeroings.size() ? found.zeroings[i + 1].time.first : std::numeric_limits<int64_t>::max();
    const size_t most = z.of_all ? found.additions.size() : z.operators;
    const auto start_of = [&](Row row) { return trace.ranges.start[row]; };
    auto addition = std::ranges::lower_bound(found.additions, z.time.second, {}, start_of);
    for (size_t n = 0; n < most && addition != found.additions.end() && start_of(*addition) < until; ++n) {
      first.push_back(*addition++);
    }
  }
  return first;
}

/// Work that was launched in some spans of threads.
class LaunchedIn {
 public:
  explicit LaunchedIn(const std::vector<Cut>& cuts) {
    for (const Cut& cut : cuts) spans_[cut.thread].emplace_back(cut.start_ns, cut.end_ns);
    for (auto& [thread, spans] : spans_) std::ranges::sort(spans);
  }
  [[nodiscard]] bool contains(const Calls& api, Row call) const {
    const auto of_thread = call == kNone ? spans_.end() : spans_.find(api.thread[call]);
    if (of_thread == spans_.end()) return false;
    const auto next = std::ranges::upper_bound(of_thread->second, api.start[call], {}, &Span::first);
    return next != of_thread->second.begin() && api.start[call] < std::prev(next)->second;
  }

 private:
  std::map<ThreadId, std::vector<Span>> spans_;
};

struct KernelSum {
  int64_t count = 0;
  int64_t ns = 0;
};

KernelSum kernels_in(const Facts& facts, const std::vector<Cut>& cuts) {
  const LaunchedIn launched(cuts);
  const Kernels& k = facts.trace.kernels;
  KernelSum sum;
  for (Row row = 0; row < k.launch.size(); ++row) {
    if (!facts.judged(k.start[row]) || !launched.contains(facts.trace.api, k.launch[row])) continue;
    ++sum.count;
    sum.ns += facts.shares.kernels[row];
  }
  return sum;
}

std::vector<Evidence> longest_zeroings(const Facts& facts, std::vector<Zeroing> zeroings) {
  std::ranges::stable_sort(zeroings, std::greater(), [](const Zeroing& z) { return z.time.second - z.time.first; });
  zeroings.resize(std::min(zeroings.size(), kMaxEvidence));
  std::vector<Evidence> evidence;
  for (const Zeroing& z : zeroings) {
    evidence.push_back({z.time.first, z.time.second, fmt::format("thread {}", facts.trace.threads[z.thread].tid),
                        z.of_all ? "aten::_foreach_zero_" : "aten::zero_"});
  }
  return evidence;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Found found = find(facts);
  if (found.zeroings.empty()) return;
  std::vector<Cut> zeroing;
  for (const Zeroing& z : found.zeroings) zeroing.push_back({z.thread, z.time.first, z.time.second});
  std::vector<Cut> adding;
  const Ranges& r = facts.trace.ranges;
  for (const Row row : first_additions(facts.trace, found)) {
    adding.push_back({r.thread[row], r.start[row], r.end[row]});
  }
  Change change;
  change.cuts = zeroing;
  change.cuts.insert(change.cuts.end(), adding.begin(), adding.end());
  const int64_t ceiling = facts.saving_ns(change);
  if (facts.percent_of_wall(ceiling) < kWorthPercent) return;
  const KernelSum set = kernels_in(facts, zeroing);
  const KernelSum added = kernels_in(facts, adding);
  diagnosis.findings.push_back(
      {.id = "zero_grad",
       .arguments = {count_argument("kernels", set.count), duration_argument("time", facts.per_gpu(set.ns)),
                     count_argument("additions", added.count), duration_argument("adding", facts.per_gpu(added.ns))},
       .ceiling_ns = ceiling,
       .evidence = longest_zeroings(facts, found.zeroings)});
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"zero_grad.says",
     "{kernels} kernels set gradients to zero in {time}, and {additions} kernels of the backward pass add to them in "
     "{adding}."},
    {"zero_grad.do",
     "Set gradients to None instead: optimizer.zero_grad(set_to_none=True), the default since PyTorch 2.0. The "
     "backward "
     "pass then writes each gradient once."},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"zero_grad"},
      .reports = "Kernels set gradients to zero, and the backward pass adds to them (PyTorch).",
      .when = fmt::format("At least {} operators `aten::zero_` follow each other outside of other operators, or one "
                          "`aten::_foreach_zero_`.",
                          kMinOperators),
      .not_when = "Memory that is set within another operator (`torch.zeros`) does not count.",
      .ceiling =
          "Replay without these operators, and without as many of the additions of `AccumulateGrad` behind them.",
      .evidence = "The longest of them, on the host."}};
}

}  // namespace
}  // namespace zero_grad_finding

extern const Rule zero_grad_rule;
const Rule zero_grad_rule{.name = "zero_grad",
                          .description = "gradients that are set to zero by kernels",
                          .fields = kReplayFields | Fields{Field::ranges, Field::range_links},
                          .checks = kLoopChecks,
                          .judge = &zero_grad_finding::judge,
                          .texts = zero_grad_finding::kTexts,
                          .docs = &zero_grad_finding::docs,
                          .saves = Saves::gpu_work};

}  // namespace sonde
