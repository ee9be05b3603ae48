#include "analyses/memory/memory_phase.h"

#include <algorithm>

#include <fmt/format.h>

#include "analyses/ranges/range_label.h"
#include "analyses/steps/range_turns.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Names that PyTorch's profiler, its NVTX ranges and Sonde's recorder give to parts of a step.
MemoryPhase phase_of(std::string_view range) {
  if (range.starts_with("Optimizer.step#") || range == "optimizer.step") return MemoryPhase::optimizer;
  if (range == "backward" || range.starts_with("backward ") || range.starts_with("autograd::engine::")) {
    return MemoryPhase::backward;
  }
  return MemoryPhase::unknown;
}

bool is_of_torch(std::string_view file) { return file.contains("/torch/") || file.starts_with("torch/"); }

/// The phase that a frame of a stack is of, if it is of one.
MemoryPhase phase_of(std::string_view function, std::string_view file) {
  if (function.starts_with("torch::autograd::Engine::")) return MemoryPhase::backward;
  if (file.contains("/torch/optim/")) return MemoryPhase::optimizer;
  return function == "forward" ? MemoryPhase::forward : MemoryPhase::unknown;
}

void index_calls(const Trace& trace, const Calls& calls,
                 boost::unordered_flat_map<std::pair<ProcessId, uint32_t>, Row>& by_correlation) {
  for (Row row = 0; row < calls.correlation.size(); ++row) {
    if (calls.thread[row] == kNone || calls.correlation[row] == 0) continue;
    by_correlation.try_emplace({trace.threads[calls.thread[row]].process, calls.correlation[row]}, row);
  }
}

}  // namespace

MemoryPlaces::MemoryPlaces(const Trace& trace) : trace_(trace) {
  const Ranges& r = trace.ranges;
  for (Row row = 0; row < row_count(r); ++row) {
    if (is_push_pop(r, row) && r.thread[row] != kNone) ranges_[{r.thread[row], r.domain[row]}].push_back(row);
  }
  for (const auto& [place, rows] : ranges_) {
    if (trace.domains[place.second].kind == DomainKind::module) of_modules_.push_back(place);
  }
  std::ranges::sort(of_modules_);
  phase_of_name_.assign(trace.names.size(), 0);
  is_step_.assign(trace.names.size(), false);
  for (const NameId name : r.name) {
    const std::string_view text = trace.name(name);
    phase_of_name_[name] = static_cast<uint8_t>(phase_of(text));
    is_step_[name] = text.starts_with("ProfilerStep#") || text.starts_with("step ");
  }
  index_calls(trace, trace.api, api_);
  index_calls(trace, trace.library_calls, library_);
}

MemoryPlaceInCode MemoryPlaces::of(Row allocation) const {
  const Allocations& a = trace_.allocations;
  MemoryPlaceInCode place;
  const uint32_t correlation = a.correlation.empty() ? 0 : a.correlation[allocation];
  const std::pair key{a.process[allocation], correlation};
  const auto found = library_.find(key);
  const auto call = api_.find(key);
  if (correlation != 0 && found != library_.end()) {
    place.call = found->second;
    place.is_library_call = true;
    place.chain = value_or_absent(trace_.library_calls.chain, place.call);
  } else if (correlation != 0 && call != api_.end()) {
    place.call = call->second;
    place.chain = value_or_absent(trace_.api.chain, place.call);
  }
  const ThreadId thread = thread_of(allocation, place.is_library_call ? kNone : place.call);
  if (thread != kNone) place_in_ranges(thread, a.start[allocation], place);
  place_in_stack(place);
  return place;
}

/// The thread of the allocation, of the API call that made it, or the one that works then.
ThreadId MemoryPlaces::thread_of(Row allocation, Row call) const {
  const Allocations& a = trace_.allocations;
  const ThreadId own = value_or_absent(a.thread, allocation);
  if (own != kNone) return own;
  return call != kNone ? trace_.api.thread[call] : working_thread(a.process[allocation], a.start[allocation]);
}

/// PyTorch's history has no threads. Where one thread is in a module, or one beside the thread that waits for its
/// backward pass, that is the one; kNone otherwise.
ThreadId MemoryPlaces::working_thread(ProcessId process, int64_t time) const {
  ThreadId only = kNone;
  ThreadId waiting = kNone;
  for (const auto& [thread, domain] : of_modules_) {
    if (trace_.threads[thread].process != process) continue;
    const Row row = innermost(thread, domain, time);
    if (row == kNone) continue;
    if (trace_.name(trace_.ranges.name[row]) == "backward") {
      waiting = thread;
    } else if (only != kNone) {
      return kNone;
    } else {
      only = thread;
    }
  }
  return only != kNone ? only : waiting;
}

/// The innermost range of a domain that is open at a time: of ranges that began before, the last one or one around it.
Row MemoryPlaces::innermost(ThreadId thread, DomainId domain, int64_t time) const {
  const auto found = ranges_.find({thread, domain});
  if (found == ranges_.end()) return kNone;
  const Ranges& r = trace_.ranges;
  const auto after = std::ranges::upper_bound(found->second, time, {}, [&](Row row) { return r.start[row]; });
  Row row = after == found->second.begin() ? kNone : *std::prev(after);
  while (row != kNone && is_closed(r, row) && r.end[row] <= time) row = r.parent.empty() ? kNone : r.parent[row];
  return row;
}

bool MemoryPlaces::is_backward(Row op) const {
  const Ranges& r = trace_.ranges;
  return !r.backward.empty() && r.backward[op] == 1;
}

void MemoryPlaces::place_in_ranges(ThreadId thread, int64_t time, MemoryPlaceInCode& place) const {
  const Ranges& r = trace_.ranges;
  Row annotation = kNone;
  Row forward_op = kNone;
  const auto look = [&](Row innermost_range, auto&& visit) {
    for (Row row = innermost_range; row != kNone; row = r.parent.empty() ? kNone : r.parent[row]) {
      const auto phase = static_cast<MemoryPhase>(phase_of_name_[r.name[row]]);
      if (phase != MemoryPhase::unknown) place.phase = std::max(place.phase, phase);
      visit(row);
    }
  };
  for (size_t domain = 0; domain < trace_.domains.size(); ++domain) {
    const DomainKind kind = trace_.domains[domain].kind;
    const Row row = kind == DomainKind::python ? kNone : innermost(thread, static_cast<DomainId>(domain), time);
    if (row == kNone) continue;
    if (kind == DomainKind::op) {
      place.op = row;
      look(row, [&](Row op) {
        if (is_backward(op)) place.phase = std::max(place.phase, MemoryPhase::backward);
        if (forward_op == kNone && !r.forward.empty()) forward_op = r.forward[op];
      });
    } else if (kind == DomainKind::module) {
      place.module = row;
      look(row, [](Row) {});
    } else {
      look(row, [&](Row range) {
        const bool names_part = !is_step_[r.name[range]];
        if (names_part && (annotation == kNone || r.start[range] > r.start[annotation])) annotation = range;
      });
    }
  }
  if (place.module == kNone && forward_op != kNone && r.thread[forward_op] != kNone) {
    for (size_t domain = 0; domain < trace_.domains.size(); ++domain) {
      if (trace_.domains[domain].kind == DomainKind::module) {
        place.module = innermost(r.thread[forward_op], static_cast<DomainId>(domain), r.start[forward_op]);
      }
      if (place.module != kNone) break;
    }
  }
  const bool within_model = place.module != kNone || place.op != kNone;
  if (place.phase == MemoryPhase::unknown && within_model) place.phase = MemoryPhase::forward;
  if (place.module == kNone) place.module = annotation;
}

void MemoryPlaces::place_in_stack(MemoryPlaceInCode& place) const {
  if (place.chain == kNone) return;
  const CallChains& c = trace_.chains;
  for (uint32_t frame = c.first[place.chain]; frame < c.first[place.chain + 1]; ++frame) {
    place.phase = std::max(place.phase, phase_of(trace_.name(c.symbol[frame]), trace_.name(c.module[frame])));
  }
}

std::string MemoryPlaces::frame_text(uint32_t frame) const {
  const CallChains& c = trace_.chains;
  std::string_view file = trace_.name(c.module[frame]);
  if (!file.starts_with('<')) file.remove_prefix(file.rfind('/') + 1);
  const int32_t line = c.line_of(frame);
  if (line == kUnknown32) return std::string(trace_.name(c.symbol[frame]));
  return fmt::format("{} ({}:{})", trace_.name(c.symbol[frame]), file, line);
}

std::string MemoryPlaces::stack_text(ChainId chain) const {
  constexpr uint32_t kMaxFrames = 8;
  if (chain == kNone) return {};
  const CallChains& c = trace_.chains;
  std::string text;
  for (uint32_t frame = c.first[chain]; frame < c.first[chain + 1]; ++frame) {
    if (!text.empty()) text += " < ";
    if (frame - c.first[chain] == kMaxFrames) return text + "...";
    text += frame_text(frame);
  }
  return text;
}

uint32_t MemoryPlaces::program_frame(ChainId chain) const {
  if (chain == kNone) return kNone;
  const CallChains& c = trace_.chains;
  for (uint32_t frame = c.first[chain]; frame < c.first[chain + 1]; ++frame) {
    if (c.module[frame] != kNone && c.line_of(frame) != kUnknown32 && !is_of_torch(trace_.name(c.module[frame]))) {
      return frame;
    }
  }
  return kNone;
}

std::string MemoryPlaces::module_text(Row module) const {
  constexpr std::string_view kTorchModule = "nn.Module: ";
  std::string text;
  for (Row row = module; row != kNone; row = trace_.ranges.parent.empty() ? kNone : trace_.ranges.parent[row]) {
    std::string_view name = trace_.name(trace_.ranges.name[row]);
    if (is_step_[trace_.ranges.name[row]]) continue;
    const bool is_torch_module = name.starts_with(kTorchModule);
    if (is_torch_module) name.remove_prefix(kTorchModule.size());
    if (!text.empty()) text.insert(0, "/");
    text.insert(0, without_numbers(name));
    if (!is_torch_module) break;  // Sonde's modules and most programs' ranges name all that is around them
  }
  return text;
}

}  // namespace sonde
