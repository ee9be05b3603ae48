#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "importers/nsys/fields.h"
#include "importers/nsys/rules.h"

/// The events of a report, or of some of its blocks.
namespace sonde::nsys {

/// Tables of the SQLite export that the events of a report become: one line each names the table.
enum class ReportTable : uint8_t {
#define SONDE_REPORT_TABLE(id, table) id,
#include "importers/nsys_report/tables.inc"
#undef SONDE_REPORT_TABLE
  count_
};

inline constexpr size_t kReportTables = static_cast<size_t>(ReportTable::count_);
[[nodiscard]] std::string_view name_of(ReportTable table);

/// What of the events is wanted, asked once.
struct ReportWants {
  explicit ReportWants(const NsysRun& run);
  bool kernels, short_names, mangled_names, grid, resources, launch_details;
  bool copies, sets, graph_launches, syncs, cuda_events;
  bool streams, launches;
  bool api, results, os_calls, library_calls, overheads, graph_events;
  bool ranges, marks;
  bool samples, switches, diagnostics, chains;
  bool inventory;
};

/// Calls and the chains that led to them; their column `chain` counts the chains of this part.
struct CallPart : Part<Calls> {
  CallChains chains;
};

struct SamplePart : Part<Samples> {
  CallChains chains;
};

/// What tells one kind of event from another.
struct EventKind {
  int64_t type = 0;
  int64_t event_class = -1;  ///< of a call; -1 for other events
  auto operator<=>(const EventKind&) const = default;
};

/// "type 117: device memory usage"
[[nodiscard]] std::string describe(const EventKind& kind);

struct ProcessName {
  uint64_t process = 0;  ///< globalPid
  std::string name;
};

struct ReportPart {
  Part<Kernels> kernels;
  Part<Copies> copies;
  Part<Sets> sets;
  Part<GraphLaunches> graph_launches;
  Part<Syncs> syncs;
  Part<CudaEvents> cuda_events;
  CallPart api;
  CallPart os_calls;
  Part<Calls> syscalls, cublas, cudnn, profiler_overheads, cuda_overheads;
  Part<GraphEvents> graph_events;
  NvtxPart ranges;
  SamplePart samples;
  Part<Switches> switches;
  Part<Diagnostics> diagnostics;
  std::vector<ProcessName> processes;

  std::array<int64_t, kReportTables> rows{};  ///< of each table, wanted or not
  int64_t events = 0;                         ///< all, whatever came of them
  int64_t malformed = 0;                      ///< whose bytes are not a message
  int64_t damaged_blocks = 0;
  std::string damage;                               ///< of the first of them
  std::map<EventKind, int64_t> unknown;             ///< events that are not read
  std::map<uint32_t, int64_t> unknown_nvtx_fields;  ///< fields that are not read, by number

  int64_t& counted(ReportTable table) { return rows[static_cast<size_t>(table)]; }
  [[nodiscard]] int64_t of(ReportTable table) const { return rows[static_cast<size_t>(table)]; }
};

/// Calls `f` with a pointer to each member of a ReportPart that holds rows.
template <typename F>
void for_each_rows(F&& f) {
  f(&ReportPart::kernels);
  f(&ReportPart::copies);
  f(&ReportPart::sets);
  f(&ReportPart::graph_launches);
  f(&ReportPart::syncs);
  f(&ReportPart::cuda_events);
  f(&ReportPart::api);
  f(&ReportPart::os_calls);
  f(&ReportPart::syscalls);
  f(&ReportPart::cublas);
  f(&ReportPart::cudnn);
  f(&ReportPart::profiler_overheads);
  f(&ReportPart::cuda_overheads);
  f(&ReportPart::graph_events);
  f(&ReportPart::ranges);
  f(&ReportPart::samples);
  f(&ReportPart::switches);
  f(&ReportPart::diagnostics);
}

/// Puts the rows of `next` behind those of `whole` and adds its counts, then empties `next`, which keeps its memory.
void merge(ReportPart& whole, ReportPart& next);

/// Puts the chains of `next` behind those of `whole`.
void append_chains(CallChains& whole, const CallChains& next);
/// Numbers the chains of rows that will stand behind the chains of `whole`.
void place_chains(Ids& column, const CallChains& whole);

/// A frame of a call chain as it is in an event.
struct Frame {
  uint32_t symbol = kNone;
  uint32_t module = kNone;
  int64_t address = kUnknown;
  uint8_t kernel_mode = 0;
};

[[nodiscard]] Frame read_frame(Message m);
/// Appends a chain and gives its number in `chains`; kNone for one without frames.
[[nodiscard]] uint32_t add_chain(CallChains& chains, std::span<const Frame> frames);

/// Each reads the body of one event and appends its row. They throw protozero's exceptions before anything is appended.
void read_gpu_event(Message body, int64_t type, const ReportWants& wants, ReportPart& part);
void read_call_event(Message body, int64_t type, const ReportWants& wants, ReportPart& part);
void read_nvtx_event(Message body, const ReportWants& wants, ReportPart& part);
void read_switch(Message m, const ReportWants& wants, ReportPart& part);
void read_sample(Message m, const ReportWants& wants, ReportPart& part);
void read_diagnostic(Message m, const ReportWants& wants, ReportPart& part);
void read_process(Message m, ReportPart& part);

}  // namespace sonde::nsys
