#include <array>

#include "exporters/nsys/sections.h"

namespace sonde::nsys_export {
namespace {

using CallColumn = ColumnOf<Calls>;

/// ENUM_NSYS_EVENT_CLASS.
Cell event_class(const Context&, const Calls& calls, size_t row) {
  switch (static_cast<CallClass>(calls.call_class[row])) {
    case CallClass::runtime: return int64_t{0};
    case CallClass::driver: return int64_t{1};
    case CallClass::os: return int64_t{27};
    case CallClass::cudnn: return int64_t{28};
    case CallClass::cublas: return int64_t{29};
    case CallClass::overhead: return int64_t{103};
    case CallClass::syscall: return int64_t{107};
    case CallClass::nccl:
    case CallClass::other_library: break;
  }
  return int64_t{26};  // "CUDA API": the nearest that there is
}

Cell correlation_of(const Context&, const Calls& calls, size_t row) { return cell(calls.correlation, row); }
Cell result_of(const Context&, const Calls& calls, size_t row) { return cell(calls.result, row); }
Cell nesting_of(const Context&, const Calls& calls, size_t row) { return cell(calls.nesting, row); }
Cell zero(const Context&, const Calls&, size_t) { return int64_t{0}; }

/// Call chains are numbered from 1 in the file: 0 is Nsight's "none".
Cell chain_of(const Context&, const Calls& calls, size_t row) {
  const Cell chain = cell(calls.chain, row);
  return chain.kind == Cell::Kind::null ? chain : Cell(chain.integer + 1);
}
Cell chain_or_zero(const Context& c, const Calls& calls, size_t row) { return chain_of(c, calls, row).otherwise(0); }

constexpr std::array kApiColumns = {
    CallColumn{"start", kIntegerSet, start_of<Calls>},     CallColumn{"end", kIntegerSet, end_of<Calls>},
    CallColumn{"eventClass", kIntegerSet, event_class},    CallColumn{"globalTid", kInteger, thread_of<Calls>},
    CallColumn{"correlationId", kInteger, correlation_of}, CallColumn{"nameId", kIntegerSet, name_of<Calls>},
    CallColumn{"returnValue", kInteger, result_of},        CallColumn{"callchainId", kInteger, chain_of},
};

constexpr std::array kOsColumns = {
    CallColumn{"start", kIntegerSet, start_of<Calls>},  CallColumn{"end", kIntegerSet, end_of<Calls>},
    CallColumn{"eventClass", kIntegerSet, event_class}, CallColumn{"globalTid", kInteger, thread_of<Calls>},
    CallColumn{"nameId", kIntegerSet, name_of<Calls>},  CallColumn{"returnValue", kInteger, result_of},
    CallColumn{"nestingLevel", kInteger, nesting_of},   CallColumn{"callchainId", kIntegerSet, chain_or_zero},
    CallColumn{"argumentsId", kIntegerSet, zero},
};

constexpr std::array kLibraryColumns = {
    CallColumn{"start", kIntegerSet, start_of<Calls>},  CallColumn{"end", kIntegerSet, end_of<Calls>},
    CallColumn{"eventClass", kIntegerSet, event_class}, CallColumn{"globalTid", kInteger, thread_of<Calls>},
    CallColumn{"nameId", kIntegerSet, name_of<Calls>},
};

constexpr std::array kSyscallColumns = {
    CallColumn{"start", kIntegerSet, start_of<Calls>},   CallColumn{"end", kIntegerSet, end_of<Calls>},
    CallColumn{"globalTid", kInteger, thread_of<Calls>}, CallColumn{"nameId", kIntegerSet, name_of<Calls>},
    CallColumn{"returnValue", kInteger, result_of},
};

constexpr std::array kProfilerColumns = {
    CallColumn{"start", kIntegerSet, start_of<Calls>},
    CallColumn{"end", kIntegerSet, end_of<Calls>},
    CallColumn{"globalTid", kInteger, thread_of<Calls>},
    CallColumn{"nameId", kIntegerSet, name_of<Calls>},
    CallColumn{"overheadType", kInteger},
    CallColumn{"returnValue", kInteger, result_of},  // exports before 2026 have it in place of the type
};

constexpr std::array kCudaOverheadColumns = {
    CallColumn{"start", kIntegerSet, start_of<Calls>},
    CallColumn{"end", kIntegerSet, end_of<Calls>},
    CallColumn{"eventClass", kIntegerSet, event_class},
    CallColumn{"globalTid", kInteger, thread_of<Calls>},
    CallColumn{"correlationId", kInteger, correlation_of},
    CallColumn{"nameId", kInteger, name_of<Calls>},
    CallColumn{"overheadType", kInteger},
};

Status write_classes(Output& out, const Target& target, std::span<const CallColumn> columns, const Context& c,
                     const Calls& calls, CallClass wanted) {
  return write_rows<Calls>(out, target, columns, c, calls, row_count(calls),
                           [&](size_t row) { return calls.call_class[row] == static_cast<uint8_t>(wanted); });
}

/// Overhead inside a CUDA call has that call's correlation id; the rest is the profiler's own.
Status write_overheads(Output& out, const Context& c) {
  const Calls& calls = c.trace.overheads;
  const auto in_cuda = [&](size_t row) { return !calls.correlation.empty() && calls.correlation[row] != 0; };
  const size_t rows = row_count(calls);
  SONDE_TRY(write_rows<Calls>(out, "CUPTI_ACTIVITY_KIND_OVERHEAD", kCudaOverheadColumns, c, calls, rows, in_cuda));
  return write_rows<Calls>(out, "PROFILER_OVERHEAD", kProfilerColumns, c, calls, rows,
                           [&](size_t row) { return !in_cuda(row); });
}

}  // namespace

Status write_calls(Output& out, const Context& c) {
  const Trace& t = c.trace;
  SONDE_TRY(write_rows<Calls>(out, "CUPTI_ACTIVITY_KIND_RUNTIME", kApiColumns, c, t.api, row_count(t.api)));
  SONDE_TRY(write_classes(out, "OSRT_API", kOsColumns, c, t.os_calls, CallClass::os));
  SONDE_TRY(write_classes(out, "SYSCALL", kSyscallColumns, c, t.os_calls, CallClass::syscall));
  SONDE_TRY(write_classes(out, "CUBLAS_EVENTS", kLibraryColumns, c, t.library_calls, CallClass::cublas));
  SONDE_TRY(write_classes(out, "CUDNN_EVENTS", kLibraryColumns, c, t.library_calls, CallClass::cudnn));
  return write_overheads(out, c);
}

}  // namespace sonde::nsys_export
