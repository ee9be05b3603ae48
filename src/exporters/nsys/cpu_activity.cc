#include <array>

#include "exporters/nsys/sections.h"

namespace sonde::nsys_export {
namespace {

using SwitchColumn = ColumnOf<Switches>;
constexpr std::array kSwitchColumns = {
    SwitchColumn{"start", kIntegerSet, start_of<Switches>},
    SwitchColumn{"cpu", kIntegerSet,
                 [](const Context&, const Switches& s, size_t row) { return cell(s.cpu, row).otherwise(0); }},
    SwitchColumn{"isSchedIn", kIntegerSet,
                 [](const Context&, const Switches& s, size_t row) { return code(s.in, row).otherwise(0); }},
    SwitchColumn{"globalTid", kInteger, thread_of<Switches>},
    SwitchColumn{"threadState", kInteger,
                 [](const Context&, const Switches& s, size_t row) { return code(s.state, row); }},
    SwitchColumn{"threadBlock", kInteger,
                 [](const Context&, const Switches& s, size_t row) { return code(s.block, row); }},
};

using SampleColumn = ColumnOf<Samples>;
constexpr std::array kSampleColumns = {
    SampleColumn{
        "id", kIntegerKey,
        [](const Context& c, const Samples&, size_t row) { return Cell(c.samples_before + int64_t(row) + 1); }},
    SampleColumn{"start", kIntegerSet, start_of<Samples>},
    SampleColumn{"cpu", kInteger, [](const Context&, const Samples& s, size_t row) { return cell(s.cpu, row); }},
    SampleColumn{"threadState", kInteger,
                 [](const Context&, const Samples& s, size_t row) { return code(s.state, row); }},
    SampleColumn{"globalTid", kInteger, thread_of<Samples>},
    SampleColumn{"cpuCycles", kIntegerSet,
                 [](const Context&, const Samples& s, size_t row) { return cell(s.cycles, row).otherwise(0); }},
};

/// Nsight samples Python too, but says nowhere how it exports that.
using PythonColumn = ColumnOf<PythonSamples>;
constexpr std::array kPythonSampleColumns = {
    PythonColumn{"start", kIntegerSet, start_of<PythonSamples>},
    PythonColumn{"globalTid", kInteger, thread_of<PythonSamples>},
    PythonColumn{"threadState", kInteger,
                 [](const Context&, const PythonSamples& s, size_t row) { return code(s.state, row); }},
    PythonColumn{"gil", kInteger, [](const Context&, const PythonSamples& s, size_t row) { return code(s.gil, row); }},
    PythonColumn{"callchainId", kInteger,
                 [](const Context&, const PythonSamples& s, size_t row) {
                   const bool none = s.chain.empty() || s.chain[row] == kNone;
                   return none ? Cell() : Cell(int64_t{s.chain[row]} + 1);
                 }},
};

using DiagnosticColumn = ColumnOf<Diagnostics>;
constexpr std::array kDiagnosticColumns = {
    DiagnosticColumn{"timestamp", kIntegerSet, start_of<Diagnostics>},
    DiagnosticColumn{"timestampType", kIntegerSet,
                     [](const Context&, const Diagnostics&, size_t) { return Cell(int64_t{1}); }},
    DiagnosticColumn{"source", kIntegerSet,
                     [](const Context&, const Diagnostics&, size_t) { return Cell(int64_t{0}); }},
    DiagnosticColumn{
        "severity", kIntegerSet,
        [](const Context&, const Diagnostics& d, size_t row) { return cell(d.severity, row).otherwise(0); }},
    DiagnosticColumn{"text", kTextSet,
                     [](const Context& c, const Diagnostics& d, size_t row) {
                       const std::string_view text = d.text.empty() ? "" : c.trace.name(d.text[row]);
                       return Cell(text.data() == nullptr ? std::string_view("") : text);
                     }},
    DiagnosticColumn{"globalPid", kInteger,
                     [](const Context& c, const Diagnostics& d, size_t row) {
                       return d.process.empty() ? Cell() : Cell(c.ids.process(d.process[row]));
                     }},
};

/// ENUM_NSYS_EVENT_CLASS of graph events, for rows whose source does not say: an executable, or a graph.
Cell graph_class(const Context&, const GraphEvents& g, size_t row) {
  const bool executable = !g.executable.empty() && g.executable[row] != kUnknown;
  return cell(g.event_class, row).otherwise(executable ? 94 : 95);
}

using GraphEventColumn = ColumnOf<GraphEvents>;
constexpr std::array kGraphEventColumns = {
    GraphEventColumn{"start", kIntegerSet, start_of<GraphEvents>},
    GraphEventColumn{"end", kIntegerSet, end_of<GraphEvents>},
    GraphEventColumn{"eventClass", kIntegerSet, graph_class},
    GraphEventColumn{"globalTid", kInteger, thread_of<GraphEvents>},
    GraphEventColumn{"nameId", kIntegerSet, name_of<GraphEvents>},
    GraphEventColumn{"graphId", kInteger,
                     [](const Context&, const GraphEvents& g, size_t row) { return cell(g.graph, row); }},
    GraphEventColumn{"originalGraphId", kInteger,
                     [](const Context&, const GraphEvents& g, size_t row) { return cell(g.original_graph, row); }},
    GraphEventColumn{"graphExecId", kInteger,
                     [](const Context&, const GraphEvents& g, size_t row) { return cell(g.executable, row); }},
};

}  // namespace

Status write_cpu_activity(Output& out, const Context& c) {
  const Trace& t = c.trace;
  SONDE_TRY(write_rows<Switches>(out, "SCHED_EVENTS", kSwitchColumns, c, t.switches, row_count(t.switches)));
  SONDE_TRY(write_rows<Samples>(out, "COMPOSITE_EVENTS", kSampleColumns, c, t.samples, row_count(t.samples)));
  SONDE_TRY(write_rows<PythonSamples>(out, "SONDE_PYTHON_SAMPLE", kPythonSampleColumns, c, t.python_samples,
                                      row_count(t.python_samples)));
  SONDE_TRY(write_rows<GraphEvents>(out, "CUDA_GRAPH_EVENTS", kGraphEventColumns, c, t.graph_events,
                                    row_count(t.graph_events)));
  return write_rows<Diagnostics>(out, "DIAGNOSTIC_EVENT", kDiagnosticColumns, c, t.diagnostics,
                                 row_count(t.diagnostics));
}

}  // namespace sonde::nsys_export
