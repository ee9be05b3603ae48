#include "importers/nsys_report/part.h"

/// Bodies of field 108, calls on host threads, and of field 102, NVTX.
namespace sonde::nsys {
namespace {

struct Call {
  int64_t start = 0;
  int64_t end = kUnknown;
  int64_t correlation = 0;
  int64_t event_class = 0;
  int64_t name = -1;
  int64_t result = kUnknown;
  int64_t nesting = kUnknown;
  std::optional<uint64_t> thread;
  Message graph;       ///< what is said of a CUDA graph or its node
  int64_t frames = 0;  ///< of its call chain
};

Call read_call(Message m) {
  Call c;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(1): c.start = integer_of(m); break;
      case number_field(2): c.end = integer_of(m); break;
      case number_field(3): c.correlation = integer_of(m); break;
      case number_field(6): c.event_class = integer_of(m); break;
      case number_field(7): c.name = integer_of(m); break;
      case number_field(8): c.result = integer_of(m); break;
      case number_field(13): c.thread = m.get_uint64(); break;
      case number_field(20): c.nesting = integer_of(m); break;
      case bytes_field(15):
        ++c.frames;
        m.skip();
        break;
      case bytes_field(33):
      case bytes_field(37):
      case bytes_field(38): c.graph = m.get_message(); break;
      default: m.skip();
    }
  }
  return c;
}

/// The frames of a call, innermost first; valid until the next call on this thread.
std::span<const Frame> read_frames(Message m) {
  static thread_local std::vector<Frame> frames;
  frames.clear();
  while (m.next(15, protozero::pbf_wire_type::length_delimited)) frames.push_back(read_frame(m.get_message()));
  return frames;
}

/// Which of the optional columns of a call are read.
struct CallColumns {
  bool correlation = false;
  bool result = false;
  bool nesting = false;
};

void put_call(const Call& call, uint8_t call_class, CallColumns columns, Part<Calls>& part) {
  Calls& c = part.rows;
  c.start.push_back(call.start);
  c.end.push_back(call.end == kUnknown ? call.start : call.end);
  c.name.push_back(string_id(call.name));
  c.thread.push_back(call.thread ? part.threads.id(*call.thread) : kNone);
  c.call_class.push_back(call_class);
  if (columns.correlation) c.correlation.push_back(fit(call.correlation, 0U));
  if (columns.result) c.result.push_back(call.result);
  if (columns.nesting) c.nesting.push_back(fit(call.nesting, kUnknown32));
}

void put_call(const Call& call, CallClass call_class, CallColumns columns, Part<Calls>& part) {
  put_call(call, static_cast<uint8_t>(call_class), columns, part);
}

void put_with_chain(const Call& call, Message body, uint8_t call_class, CallColumns columns, bool wanted,
                    CallPart& part) {
  const auto frames = wanted && call.frames > 0 ? read_frames(body) : std::span<const Frame>();
  put_call(call, call_class, columns, part);
  if (wanted) part.rows.chain.push_back(add_chain(part.chains, frames));
}

/// What a graph event says: for a node its id and that of the node it was cloned from; else graph and executable.
void put_graph_event(const Call& call, Part<GraphEvents>& part) {
  int64_t first = kUnknown, second = kUnknown;
  Message m = call.graph;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(1): first = integer_of(m); break;
      case number_field(2): second = integer_of(m); break;
      default: m.skip();
    }
  }
  const bool node = call.event_class == kGraphNodeCreation;
  GraphEvents& g = part.rows;
  g.start.push_back(call.start);
  g.end.push_back(call.end);
  g.thread.push_back(part.threads.id(call.thread.value_or(0)));
  g.name.push_back(string_id(call.name));
  g.event_class.push_back(fit(call.event_class, kUnknown32));
  g.graph.push_back(first);
  g.original_graph.push_back(node ? second : kUnknown);
  g.executable.push_back(node ? kUnknown : second);
}

/// Classes that only say that a kind of recording began or ended.
bool is_marker(int64_t event_class) {
  return (event_class >= 6 && event_class <= 11) || (event_class >= 33 && event_class <= 36);
}

/// Type, thread and so on of an NVTX event.
struct Nvtx {
  int64_t type = 0;
  int64_t start = 0;
  int64_t end = kUnknown;
  uint64_t thread = 0;
  int64_t text_id = -1;
  int64_t domain = 0;
  std::optional<std::string_view> text;
  uint32_t unknown_field = 0;  ///< the last field that no sample explains

  [[nodiscard]] DomainKey domain_key() const { return {thread & ~uint64_t{0xFFFFFF}, domain}; }
  /// Inline text comes before a registered string.
  [[nodiscard]] NameId name(NvtxPart& part) const {
    return text ? part.texts.intern(*text) | kInlineText : string_id(text_id);
  }
};

Nvtx read_nvtx(Message m) {
  Nvtx n;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case number_field(1): n.type = integer_of(m); break;
      case number_field(2): n.start = integer_of(m); break;
      case bytes_field(7): n.text = text_of(m); break;
      case number_field(9): n.thread = m.get_uint64(); break;
      case number_field(10): n.end = integer_of(m); break;
      case number_field(12): n.text_id = integer_of(m); break;
      case number_field(13): n.domain = integer_of(m); break;
      default: n.unknown_field = m.tag(); m.skip();
    }
  }
  return n;
}

void put_range(const Nvtx& n, RangeStyle style, NvtxPart& part) {
  Ranges& r = part.rows;
  r.start.push_back(n.start);
  r.end.push_back(n.end);
  r.name.push_back(n.name(part));
  r.thread.push_back(part.threads.id(n.thread));
  r.domain.push_back(static_cast<DomainId>(part.domains.id(n.domain_key())));
  r.style.push_back(static_cast<uint8_t>(style));
  // Where a start/end range ended is in no sample; the column exists from the first of them on, as in an export.
  if (style == RangeStyle::start_end || !r.end_thread.empty()) r.end_thread.resize(r.start.size(), kNone);
}

void put_mark(const Nvtx& n, NvtxPart& part) {
  Marks& m = part.marks;
  m.start.push_back(n.start);
  m.name.push_back(n.name(part));
  m.thread.push_back(part.threads.id(n.thread));
  m.domain.push_back(static_cast<DomainId>(part.domains.id(n.domain_key())));
}

}  // namespace

void read_call_event(Message body, int64_t type, const ReportWants& wants, ReportPart& part) {
  const Call c = read_call(body);
  const auto count = [&](ReportTable table) { ++part.counted(table); };
  const CallColumns overheads{.correlation = wants.launches, .result = wants.results};
  switch (c.event_class) {
    case kRuntime:
    case kDriver:
    case kBacktrace:
      // Correlation ids are read in any case: telling backtraces from calls needs them (drop_backtrace_twins()).
      if (wants.api) {
        const CallColumns columns{.correlation = true, .result = wants.results};
        put_with_chain(c, body, class_of_api(c.event_class), columns, wants.chains, part.api);
      }
      part.counted(ReportTable::api_frames) += c.frames;
      return count(ReportTable::api);
    case kOsRuntime:
    case kOsRuntimeStart:
    case kOsRuntimeFinish:
      if (wants.os_calls) {
        put_with_chain(c, body, static_cast<uint8_t>(CallClass::os), {.result = true, .nesting = true}, wants.chains,
                       part.os_calls);
      }
      part.counted(ReportTable::os_frames) += c.frames;
      return count(ReportTable::os_calls);
    case kSyscall:
      if (wants.os_calls) put_call(c, CallClass::syscall, {}, part.syscalls);
      return count(ReportTable::syscalls);
    case kCublas:
      if (wants.library_calls) put_call(c, CallClass::cublas, {}, part.cublas);
      return count(ReportTable::cublas);
    case kCudnn:
      if (wants.library_calls) put_call(c, CallClass::cudnn, {}, part.cudnn);
      return count(ReportTable::cudnn);
    case kProfilerOverhead:
      if (wants.overheads) put_call(c, CallClass::overhead, overheads, part.profiler_overheads);
      return count(ReportTable::profiler_overheads);
    case kCudaOverhead:
      if (wants.overheads) put_call(c, CallClass::overhead, overheads, part.cuda_overheads);
      return count(ReportTable::cuda_overheads);
    case kGraphNodeCreation:
    case kGraphExecCreation:
    case kGraphCreation:
      if (wants.graph_events) put_graph_event(c, part.graph_events);
      return count(ReportTable::graph_events);
    default:
      if (!is_marker(c.event_class)) ++part.unknown[{type, c.event_class}];
  }
}

void read_nvtx_event(Message body, const ReportWants& wants, ReportPart& part) {
  const Nvtx n = read_nvtx(body);
  if (n.unknown_field != 0) ++part.unknown_nvtx_fields[n.unknown_field];
  ++part.counted(ReportTable::nvtx);
  switch (n.type) {
    case kPushPop:
    case kExtendedPushPop:
      if (wants.ranges) put_range(n, RangeStyle::push_pop, part.ranges);
      return;
    case kStartEnd:
    case kExtendedStartEnd:
      if (wants.ranges) put_range(n, RangeStyle::start_end, part.ranges);
      return;
    case kMark:
      if (wants.marks) put_mark(n, part.ranges);
      return;
    case kDomainCreate: part.ranges.domain_names.push_back({n.domain_key(), std::string(n.text.value_or(""))}); return;
    default: return;  // categories, thread and resource names: nothing that happens in time
  }
}

}  // namespace sonde::nsys
