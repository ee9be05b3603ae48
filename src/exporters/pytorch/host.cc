#include <algorithm>

#include "exporters/files/json_output.h"
#include "exporters/pytorch/writer.h"
#include "trace/recorded_inputs.h"

namespace sonde::pytorch_export {
namespace {

std::string_view category_of(DomainKind kind) {
  switch (kind) {
    case DomainKind::op: return "cpu_op";
    case DomainKind::module:
    case DomainKind::python: return "python_function";
    case DomainKind::nvtx:
    case DomainKind::annotation: break;
  }
  return "user_annotation";
}

/// Shapes are in the trace as the source wrote them: lists of numbers stay lists, anything else becomes a string.
bool is_list_of_numbers(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (depth <= 0 && c != ']') return false;
    if (std::string_view("[]0123456789,- ").find(c) == std::string_view::npos) return false;
  }
  return depth == 0 && text.starts_with("[[") && text.find(",]") == text.npos && text.find("[,") == text.npos;
}

void put_operator_details(Writer& w, Row row) {
  const Ranges& r = w.trace.ranges;
  if (!r.sequence.empty() && r.sequence[row] != kUnknown) {
    const int backward = !r.backward.empty() && r.backward[row] != 0 ? 1 : 0;
    w.put(FMT_COMPILE(",\"Sequence number\":{},\"Fwd thread id\":{}"), r.sequence[row], backward);
  }
  if (r.shapes.empty() || r.shapes[row] == kNone) return;
  const std::string_view shapes = line_of(w.trace.name(r.shapes[row]), InputLine::shapes);
  const bool list = is_list_of_numbers(shapes);
  w.put(FMT_COMPILE(",\"Input Dims\":{}{}{}"), list ? "" : "\"", json_escape(shapes), list ? "" : "\"");
}

void put_python_details(Writer& w, Row row) {
  const Ranges& r = w.trace.ranges;
  w.put(FMT_COMPILE("\"Python id\":{},\"Python parent id\":"), external_id(row));
  if (r.parent.empty() || r.parent[row] == kNone) {
    w.append("null");
  } else {
    w.put(FMT_COMPILE("{}"), external_id(r.parent[row]));
  }
}

/// Ranges that need not nest are asynchronous events: a begin and an end with an id.
void write_start_end(Writer& w, Row row) {
  const Ranges& r = w.trace.ranges;
  const auto half = [&](std::string_view phase, ThreadId thread, int64_t time) {
    const Place place = w.place_of_thread(thread);
    w.begin();
    w.put(FMT_COMPILE(
              "{{\"ph\":\"{}\",\"cat\":\"user_annotation\",\"name\":\"{}\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":"),
          phase, w.name(r.name[row]), row, place.pid, place.tid);
    w.microseconds(time);
    w.close("}");
  };
  half("b", r.thread[row], r.start[row]);
  const ThreadId end_thread = r.end_thread.empty() || r.end_thread[row] == kNone ? r.thread[row] : r.end_thread[row];
  if (r.end[row] != kUnknown) half("e", end_thread, r.end[row]);
}

void write_push_pop(Writer& w, Row row) {
  const Ranges& r = w.trace.ranges;
  const DomainKind kind = w.trace.domains[r.domain[row]].kind;
  const std::string_view name = w.name(r.name[row]);
  constexpr std::string_view kModule = "nn.Module: ";
  const bool prefix = kind == DomainKind::module && !name.starts_with(kModule);
  w.open(category_of(kind), prefix ? fmt::format("{}{}", kModule, name) : name, w.place_of_thread(r.thread[row]),
         r.start[row], r.end[row]);
  w.append(",\"args\":{");
  if (kind == DomainKind::module || kind == DomainKind::python) {
    put_python_details(w, row);
  } else {
    w.put(FMT_COMPILE("\"External id\":{}"), external_id(row));
    put_operator_details(w, row);
  }
  w.close("}}");
}

/// The arrow from a forward operator to the backward one of the same sequence number.
void write_backward_arrow(Writer& w, Row row) {
  const Ranges& r = w.trace.ranges;
  if (r.forward.empty() || r.forward[row] == kNone) return;
  const Row forward = r.forward[row];
  w.flow("s", "fwdbwd", external_id(row), w.place_of_thread(r.thread[forward]), r.start[forward]);
  w.flow("f", "fwdbwd", external_id(row), w.place_of_thread(r.thread[row]), r.start[row]);
}

/// `cudaLaunchKernel_v7000` is `cudaLaunchKernel` to torch; driver calls keep their `_v2`.
std::string_view without_abi_suffix(std::string_view name, bool runtime) {
  const size_t at = name.rfind("_v");
  if (!runtime || at == name.npos || at + 2 == name.size()) return name;
  const std::string_view digits = name.substr(at + 2);
  return std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }) ? name.substr(0, at) : name;
}

std::vector<bool> launching_calls(const Trace& trace) {
  std::vector<bool> launching(row_count(trace.api), false);
  for_each_gpu_table(trace, [&](const auto& ops) {
    for (const Row row : ops.launch) {
      if (row != kNone) launching[row] = true;
    }
  });
  return launching;
}

void write_call(Writer& w, Row row, bool launches) {
  const Calls& c = w.trace.api;
  const bool runtime = c.call_class[row] == static_cast<uint8_t>(CallClass::runtime);
  const Place place = w.place_of_thread(c.thread[row]);
  const ProcessId process = c.thread[row] == kNone ? kNone : w.trace.threads[c.thread[row]].process;
  const uint64_t correlation = c.correlation.empty() ? 0 : w.correlation(process, c.correlation[row]);
  w.open(runtime ? "cuda_runtime" : "cuda_driver", without_abi_suffix(w.name(c.name[row]), runtime), place,
         c.start[row], c.end[row]);
  w.append(",\"args\":{");
  const Row around = operator_around(w.trace, row);
  if (around != kNone) w.put(FMT_COMPILE("\"External id\":{},"), external_id(around));
  w.put(FMT_COMPILE("\"correlation\":{}"), correlation);
  w.close("}}");
  if (launches) w.flow("s", "ac2g", correlation, place, c.start[row]);
}

void write_allocation(Writer& w, Row row) {
  const Allocations& a = w.trace.allocations;
  const ThreadId thread = a.thread.empty() ? kNone : a.thread[row];
  const Place place = thread == kNone ? Place{w.pid_of(a.process[row]), 0} : w.place_of_thread(thread);
  const bool release = a.kind[row] == static_cast<uint8_t>(AllocationKind::release);
  const int32_t device = a.device.empty() ? -1 : a.device[row];
  w.begin();
  w.put(FMT_COMPILE(
            "{{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":{},\"tid\":{},"
            "\"ts\":"),
        place.pid, place.tid);
  w.microseconds(a.start[row]);
  w.put(FMT_COMPILE(",\"args\":{{\"Device Type\":{},\"Device Id\":{},\"Bytes\":{}"), device < 0 ? 0 : 1, device,
        release ? -a.bytes[row] : a.bytes[row]);
  const auto optional = [&](std::string_view key, const Longs& column) {
    if (!column.empty() && column[row] != kUnknown) w.put(FMT_COMPILE(",\"{}\":{}"), key, column[row]);
  };
  optional("Addr", a.address);
  optional("Total Allocated", a.total_bytes);
  optional("Total Reserved", a.reserved_bytes);
  w.close("}}");
}

}  // namespace

void write_ranges(Writer& w) {
  const Ranges& r = w.trace.ranges;
  for (Row row = 0; row < row_count(r); ++row) {
    if (!r.style.empty() && r.style[row] == static_cast<uint8_t>(RangeStyle::start_end)) {
      write_start_end(w, row);
    } else {
      write_push_pop(w, row);
      write_backward_arrow(w, row);
    }
  }
}

void write_calls(Writer& w) {
  const std::vector<bool> launching = launching_calls(w.trace);
  for (Row row = 0; row < row_count(w.trace.api); ++row) write_call(w, row, launching[row]);
}

void write_allocations(Writer& w) {
  for (Row row = 0; row < row_count(w.trace.allocations); ++row) {
    if (w.trace.allocations.bytes[row] != kUnknown) write_allocation(w, row);
  }
}

}  // namespace sonde::pytorch_export
