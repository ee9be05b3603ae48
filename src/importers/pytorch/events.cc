#include "importers/pytorch/events.h"

#include <cmath>

#include "base/files/json_scan.h"
#include "base/text/decimal.h"
#include "importers/pytorch/tokens.h"

namespace sonde::pytorch {
namespace {

/// Events of PyTorch's profiler before Kineto have no category; their process tells.
Category category_of_process(std::string_view pid) {
  const std::string_view text = without_quotes(pid);
  if (text == "CPU functions") return Category::op;
  if (text == "CUDA functions") return Category::kernel;
  return Category::unknown;
}

std::string_view name_without_category(char phase) {
  switch (phase) {
    case 'M': return "metadata";
    case 'C': return "counter";
    case 'i':
    case 'I': return "instant";
    case 's':
    case 't':
    case 'f': return "flow";
    default: return "(no category)";
  }
}

CallClass class_of(Category category) {
  if (category == Category::runtime) return CallClass::runtime;
  return category == Category::driver ? CallClass::driver : CallClass::overhead;
}

DomainKind domain_of(Category category, std::string_view name) {
  if (category == Category::annotation) return DomainKind::annotation;
  if (category == Category::op) return DomainKind::op;
  return name.starts_with("nn.Module: ") ? DomainKind::module : DomainKind::python;
}

void add_count(Counts& counts, std::string_view name) {
  for (auto& [known, count] : counts) {
    if (known != name) continue;
    ++count;
    return;
  }
  counts.emplace_back(name, 1);
}

}  // namespace

void Event::clear() {
  phase = category = name = pid = tid = time = duration = id = {};
  args.clear();
  series.clear();
}

void EventKeeper::keep(const Event& event) {
  const std::string_view phase = without_quotes(event.phase);
  if (phase.size() != 1) {
    ++piece_.malformed;
    return;
  }
  if (phase == "M") {
    metadata(event);
    return;
  }
  const auto time = time_of(event.time);
  if (!time) {
    ++piece_.malformed;
    return;
  }
  piece_.earliest = std::min(piece_.earliest, *time);
  keep_timed(event, phase.front(), *time);
}

void EventKeeper::keep_timed(const Event& event, char phase, int64_t time) {
  const Category category = count(event, phase);
  switch (phase) {
    case 'X': complete(event, category, time); break;
    case 'i':
    case 'I': instant(event, category, time); break;
    case 'C': counter(event, time); break;
    case 's':
    case 'f':
      if (category == Category::fwdbwd) flow(event, phase == 'f', time);
      break;
    case 't': break;  // a flow's middle says nothing that its ends do not
    default: leave_out("events of a phase other than X, i, C, M, s, t, f");
  }
}

/// Counts the event under its category and tells what that is.
Category EventKeeper::count(const Event& event, char phase) {
  std::string_view name = without_quotes(event.category);
  if (name.empty()) name = name_without_category(phase);
  if (last_kind_ >= kinds_.size() || piece_.holds[last_kind_].first != name) {
    const auto found = std::ranges::find(piece_.holds, name, &Counts::value_type::first);
    last_kind_ = static_cast<size_t>(found - piece_.holds.begin());
    if (found == piece_.holds.end()) {
      piece_.holds.emplace_back(name, 0);
      kinds_.push_back(category_of(name));
    }
  }
  ++piece_.holds[last_kind_].second;
  const Category kind = kinds_[last_kind_];
  return kind == Category::unknown && event.category.empty() ? category_of_process(event.pid) : kind;
}

void EventKeeper::leave_out(std::string_view name) { add_count(piece_.unknown, name); }

Number EventKeeper::number(std::string_view token) {
  const std::string_view text = without_quotes(token);
  if (const auto value = integer_of<int64_t>(text); value && !is_text(*value)) return *value;
  return kTextPid + piece_.names.intern(text);
}

uint32_t EventKeeper::thread(const Event& event) {
  if (last_thread_ != kNone && event.pid == last_pid_ && event.tid == last_tid_) return last_thread_;
  last_pid_ = event.pid;
  last_tid_ = event.tid;
  return last_thread_ = piece_.threads.id({number(event.pid), number(event.tid)});
}

uint32_t EventKeeper::name(const Event& event) { return piece_.names.intern(without_quotes(event.name)); }

void EventKeeper::metadata(const Event& event) {
  count(event, 'M');
  const std::string_view what = without_quotes(event.name);
  if ((what != "thread_name" && what != "process_name") || !event.args.has(Arg::name)) return;
  const uint32_t text = piece_.names.intern(without_quotes(event.args.token(Arg::name)));
  piece_.thread_names.push_back({number(event.pid), number(event.tid), text, what == "thread_name"});
}

void EventKeeper::complete(const Event& event, Category category, int64_t start) {
  if (category == Category::mirrored) return;
  if (category == Category::unknown) {
    leave_out(piece_.holds[last_kind_].first);
    return;
  }
  if (event.duration.empty()) {
    ++piece_.incomplete;
    return;
  }
  const auto end = end_of(start, event.duration);
  if (!end) {
    ++piece_.malformed;
    return;
  }
  on_gpu(event, category, {start, *end});
  on_host(event, category, {start, *end});
}

void EventKeeper::on_gpu(const Event& event, Category category, Span span) {
  switch (category) {
    case Category::kernel:
      if (wanted_.kernels) kernel(event, span);
      break;
    case Category::copy:
      if (wanted_.copies) copy(event, span);
      break;
    case Category::set:
      if (wanted_.sets) set(event, span);
      break;
    case Category::sync:
      if (wanted_.syncs) {
        piece_.syncs.push_back({gpu_row(event, span), sync_kind(without_quotes(event.name)),
                                id32(event.args.token(Arg::sync_event), kNone)});
      }
      break;
    case Category::cuda_event:
      if (wanted_.cuda_events) {
        piece_.cuda_events.push_back({gpu_row(event, span), id32(event.args.token(Arg::event_id), kNone)});
      }
      break;
    default: break;
  }
}

void EventKeeper::on_host(const Event& event, Category category, Span span) {
  switch (category) {
    case Category::op:
      if (wanted_.collectives && event.args.has(Arg::collective)) collective(event.args);
      [[fallthrough]];
    case Category::annotation:
    case Category::python:
      if (wanted_.ranges) range(event, category, span);
      break;
    case Category::runtime:
    case Category::driver:
      if (wanted_.api) {
        call(event, category, span);
      } else {
        thread(event);  // its process is the one that GPU work belongs to
      }
      break;
    case Category::overhead:
      if (wanted_.overheads) call(event, category, span);
      break;
    case Category::span:
      piece_.window.start = piece_.window.start == kUnknown ? span.start : std::min(piece_.window.start, span.start);
      piece_.window.end = std::max(piece_.window.end, span.end);
      break;
    default: break;
  }
}

GpuRow EventKeeper::gpu_row(const Event& event, Span span) {
  const Args& args = event.args;
  StreamKey key{};
  const auto device = whole(args.token(Arg::device));
  key.device = device ? *device : trailing_number(event.pid.starts_with('"') ? event.tid : event.pid);
  key.context = whole(args.token(Arg::context)).value_or(0);
  const auto stream = whole(args.token(Arg::stream));
  key.stream = stream ? *stream : (event.pid.starts_with('"') ? -1 : trailing_number(event.tid));
  if (args.has(Arg::priority)) piece_.priorities.emplace_back(key, whole32(args.token(Arg::priority)));
  return {span.start, span.end, piece_.streams.id(key), id32(args.token(Arg::correlation), 0)};
}

void EventKeeper::kernel(const Event& event, Span span) {
  const Args& args = event.args;
  KernelRow row{};
  static_cast<GpuRow&>(row) = gpu_row(event, span);
  row.name = name(event);
  row.grid = dimensions(args.token(Arg::grid));
  row.block = dimensions(args.token(Arg::block));
  row.registers = whole32(args.token(Arg::registers));
  row.shared_bytes = whole32(args.token(Arg::shared_memory));
  const auto occupancy = real_of(without_quotes(args.token(Arg::occupancy)));
  row.occupancy = occupancy ? static_cast<float>(*occupancy) : std::nanf("");
  // CUPTI numbers nodes from 1; 0 stands for a kernel that is in no graph.
  const auto node = whole(args.token(Arg::graph_node));
  row.graph_node = node && *node != 0 ? *node : kUnknown;
  row.collective = wanted_.collectives && args.has(Arg::collective) ? collective(args) : kNone;
  piece_.kernels.push_back(row);
}

void EventKeeper::copy(const Event& event, Span span) {
  const auto bytes = whole(event.args.token(Arg::bytes));
  piece_.copies.push_back({gpu_row(event, span), bytes.value_or(kUnknown), copy_shape(without_quotes(event.name))});
}

void EventKeeper::set(const Event& event, Span span) {
  const auto bytes = whole(event.args.token(Arg::bytes));
  piece_.sets.push_back({gpu_row(event, span), bytes.value_or(kUnknown), set_memory(without_quotes(event.name))});
}

void EventKeeper::call(const Event& event, Category category, Span span) {
  // What the profiler does on no thread of the program has the pid -1.
  const bool nowhere = category == Category::overhead && whole(event.pid).value_or(-1) <= 0;
  const CallRow row{span.start,
                    span.end,
                    name(event),
                    nowhere ? kNone : thread(event),
                    id32(event.args.token(Arg::correlation), 0),
                    class_of(category)};
  (category == Category::overhead ? piece_.overheads : piece_.api).push_back(row);
}

void EventKeeper::range(const Event& event, Category category, Span span) {
  const Args& args = event.args;
  const std::string_view text = without_quotes(event.name);
  RangeRow row{};
  row.start = span.start;
  row.end = span.end;
  row.name = piece_.names.intern(text);
  row.thread = thread(event);
  row.kind = domain_of(category, text);
  row.sequence = kUnknown;
  row.inputs = kNone;
  if (category == Category::op && wanted_.sequences) {
    const int64_t sequence = whole(args.token(Arg::sequence)).value_or(-1);
    if (sequence >= 0) row.sequence = sequence;
    row.backward = whole(args.token(Arg::forward_thread)).value_or(0) != 0 ||
                   text.starts_with("autograd::engine::evaluate_function: ");
  }
  if (wanted_.inputs) row.inputs = operator_inputs(args, text);
  piece_.ranges.push_back(row);
}

/// Types and values of PyTorch's own operators alone: those of others are of no known meaning.
uint32_t EventKeeper::operator_inputs(const Args& args, std::string_view name) {
  const Arg dims = args.has(Arg::input_dims) ? Arg::input_dims : Arg::input_dims_old;
  if (!args.has(dims)) return kNone;
  const auto list = [&](Arg arg) {
    return args.has(arg) ? piece_.lists.intern(without_quotes(args.token(arg))) : kNone;
  };
  const bool own = name.starts_with("aten::");
  return piece_.inputs.id({list(dims), own ? list(Arg::input_types) : kNone, own ? list(Arg::input_values) : kNone});
}

uint32_t EventKeeper::collective(const Args& args) {
  const auto text = [&](Arg arg) {
    return args.has(arg) ? piece_.names.intern(without_quotes(args.token(arg))) : kNone;
  };
  const auto count = [&](Arg arg) { return whole(args.token(arg)).value_or(kUnknown); };
  const Collective row{text(Arg::collective),  text(Arg::dtype),        text(Arg::group_name),   text(Arg::group_ranks),
                       count(Arg::group_size), count(Arg::in_elements), count(Arg::out_elements)};
  const auto found = std::ranges::find(piece_.collectives, row);
  if (found == piece_.collectives.end()) piece_.collectives.push_back(row);
  return static_cast<uint32_t>(std::ranges::find(piece_.collectives, row) - piece_.collectives.begin());
}

void EventKeeper::instant(const Event& event, Category category, int64_t time) {
  const std::string_view text = without_quotes(event.name);
  if (category == Category::memory && text == "[memory]") {
    if (wanted_.allocations) allocation(event, time);
  } else if (category == Category::unknown && text == "Record Window End") {
    piece_.window.end = std::max(piece_.window.end, time);
  } else if (!event.category.empty() && wanted_.marks) {
    piece_.marks.push_back({time, name(event), thread(event)});
  }
}

void EventKeeper::allocation(const Event& event, int64_t time) {
  const Args& args = event.args;
  const auto bytes = whole(args.token(Arg::allocated));
  if (!bytes || *bytes == kUnknown) {
    ++piece_.incomplete;
    return;
  }
  constexpr int64_t kCpu = 0;  // c10::DeviceType
  const bool on_host = whole(args.token(Arg::device_type)) == kCpu;
  const auto count = [&](Arg arg) { return whole(args.token(arg)).value_or(kUnknown); };
  piece_.allocations.push_back({time, *bytes, count(Arg::address), count(Arg::total_allocated),
                                count(Arg::total_reserved), thread(event),
                                on_host ? -1 : whole32(args.token(Arg::device_id)), on_host});
}

void EventKeeper::counter(const Event& event, int64_t time) {
  if (!wanted_.counters) return;
  for (const auto& [series, token] : event.series) {
    const auto value = real_of(without_quotes(token));
    if (!value) {
      ++piece_.incomplete;
      continue;
    }
    piece_.counter_values.push_back({time, *value, name(event), piece_.names.intern(series), number(event.pid)});
  }
}

void EventKeeper::flow(const Event& event, bool end, int64_t time) {
  if (!wanted_.ranges || !wanted_.sequences) return;
  if (const auto id = whole(event.id)) piece_.flows.push_back({*id, time, thread(event), end});
}

}  // namespace sonde::pytorch
