#include "analyses/steps/range_turns.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <tuple>

#include "base/text/lower_case.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Part of the names of domains that libraries register for their own ranges, in lower case. Sources: the NVTX calls of
/// DALI, TensorRT, CCCL (CUB, Thrust), NCCL and RAPIDS, and the domains that Nsight Systems adds for its wrappers.
constexpr std::array<std::string_view, 14> kLibraryDomains = {"dali",  "tensorrt", "cccl",    "nccl",   "libcu",
                                                              "cub",   "thrust",   "cublas",  "cudnn",  "cusparse",
                                                              "cufft", "nvshmem",  "libkvik", "openacc"};

bool contains_any(std::string_view text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.contains(part); });
}

bool is_library(const Trace& trace, DomainId domain) {
  const Domain& d = trace.domains[domain];
  const std::string name = d.name == kNone ? std::string() : lower_case(trace.name(d.name));
  return d.kind == DomainKind::nvtx && (contains_any(name, kLibraryDomains) || name == "mpi");
}

/// An operator as torch.autograd.profiler.emit_nvtx() names it, or a collective as torch.distributed does.
bool is_operator(std::string_view name) {
  constexpr std::array<std::string_view, 4> kCollectives = {"nccl:", "gloo:", "mpi:", "ucc:"};
  return name.starts_with("aten::") || name.contains(", op_id = ") || name.contains(", seq = ") ||
         std::ranges::any_of(kCollectives, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// An operator is no step; but before 2021 torch.profiler recorded its steps as operators. A module inside another is a
/// layer.
bool can_be_step(const Trace& trace, Row range) {
  const DomainKind kind = trace.domains[trace.ranges.domain[range]].kind;
  const std::string_view name = trace.name(trace.ranges.name[range]);
  if (kind == DomainKind::op) return name.starts_with("ProfilerStep");
  if (kind == DomainKind::module) return trace.ranges.parent[range] == kNone;
  return kind != DomainKind::python && !is_operator(name);
}

RangeOrigin origin_of(const Trace& trace, DomainId domain, std::string_view label) {
  constexpr std::array<std::string_view, 3> kStepNames = {"step", "iter", "batch"};
  if (is_library(trace, domain)) return RangeOrigin::library;
  return contains_any(lower_case(label), kStepNames) ? RangeOrigin::step : RangeOrigin::program;
}

}  // namespace

std::string without_numbers(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) text += c;
    if (digit && !text.ends_with('#')) text += '#';
  }
  return text;
}

std::vector<RangeTurns> repeated_ranges(const Trace& trace, size_t least) {
  const Ranges& r = trace.ranges;
  std::vector<RangeTurns> all;
  if (r.parent.empty()) return all;
  std::vector<std::string> labels(trace.names.size());
  std::map<std::tuple<ThreadId, DomainId, std::string_view>, size_t> known;
  std::vector<bool> overlaps;
  for (Row row = 0; row < row_count(r); ++row) {
    if (r.end[row] == kUnknown || !can_be_step(trace, row)) continue;
    std::string& label = labels[r.name[row]];
    if (label.empty()) label = without_numbers(trace.name(r.name[row]));
    const auto [at, fresh] = known.try_emplace({r.thread[row], r.domain[row], label}, all.size());
    if (fresh) {
      all.push_back({label, r.thread[row], origin_of(trace, r.domain[row], label), true, {}});
      overlaps.push_back(false);
    }
    RangeTurns& turns = all[at->second];
    if (!turns.spans.empty() && r.start[row] < turns.spans.back().second) overlaps[at->second] = true;
    turns.outermost = turns.outermost && r.parent[row] == kNone;
    turns.spans.emplace_back(r.start[row], r.end[row]);
  }
  std::vector<RangeTurns> repeated;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!overlaps[i] && all[i].spans.size() >= least) repeated.push_back(std::move(all[i]));
  }
  return repeated;
}

}  // namespace sonde
