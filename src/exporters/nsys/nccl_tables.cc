#include <array>

#include "exporters/nsys/sections.h"

/// Sonde's own tables of what NCCL told its profiler plugin.
namespace sonde::nsys_export {
namespace {

using Operations = NcclOperations;
using OperationColumn = ColumnOf<Operations>;

Cell launch_start(const Context&, const Operations& o, size_t row) {
  const int64_t before = value_or_absent(o.launch_before, row);
  return before == kUnknown ? Cell() : Cell(o.start[row] - before);
}

Cell launch_end(const Context& c, const Operations& o, size_t row) {
  const Cell start = launch_start(c, o, row);
  return start.kind == Cell::Kind::null ? Cell() : Cell(start.integer + o.launch_duration[row]);
}

Cell bytes_of(const Context& c, const Operations&, size_t row) {
  return bytes_of_operation(c.trace, static_cast<Row>(row));
}

constexpr std::array kOperationColumns = {
    OperationColumn{"start", kIntegerSet, start_of<Operations>},
    OperationColumn{"end", kInteger, plain<&Operations::end, Operations>},
    OperationColumn{"globalTid", kInteger, thread_of<Operations>},
    OperationColumn{"communicatorId", kInteger, plain<&Operations::communicator, Operations>},
    OperationColumn{"kind", kInteger, code_of<&Operations::kind, Operations>},
    OperationColumn{"functionId", kInteger, plain<&Operations::function, Operations>},
    OperationColumn{"count", kInteger, plain<&Operations::count, Operations>},
    OperationColumn{"datatypeId", kInteger, plain<&Operations::datatype, Operations>},
    OperationColumn{"bytes", kInteger, bytes_of},
    OperationColumn{"algorithmId", kInteger, plain<&Operations::algorithm, Operations>},
    OperationColumn{"protocolId", kInteger, plain<&Operations::protocol, Operations>},
    OperationColumn{"channels", kInteger, plain<&Operations::channels, Operations>},
    OperationColumn{"warps", kInteger, plain<&Operations::warps, Operations>},
    OperationColumn{"peer", kInteger, plain<&Operations::peer, Operations>},
    OperationColumn{"sequence", kInteger, plain<&Operations::sequence, Operations>},
    OperationColumn{"groupId", kInteger, plain<&Operations::group, Operations>},
    OperationColumn{"graphCaptured", kInteger, code_of<&Operations::captured, Operations>},
    OperationColumn{"launchStart", kInteger, launch_start},
    OperationColumn{"launchEnd", kInteger, launch_end},
    OperationColumn{"gpuStart", kInteger, plain<&Operations::gpu_start, Operations>},
    OperationColumn{"gpuEnd", kInteger, plain<&Operations::gpu_end, Operations>},
    OperationColumn{"gpuChannels", kInteger, plain<&Operations::gpu_channels, Operations>},
};

using Communicators = std::vector<Communicator>;
using CommunicatorColumn = ColumnOf<Communicators>;

template <auto field>
Cell field_of(const Context&, const Communicators& all, size_t row) {
  return all[row].*field;
}

constexpr std::array kCommunicatorColumns = {
    CommunicatorColumn{
        "id", kIntegerKey,
        [](const Context&, const Communicators&, size_t row) { return Cell(static_cast<int64_t>(row)); }},
    CommunicatorColumn{"globalPid", kInteger,
                       [](const Context& c, const Communicators& all, size_t row) {
                         return all[row].process == kNone ? Cell() : Cell(c.ids.process(all[row].process));
                       }},
    CommunicatorColumn{"number", kInteger, field_of<&Communicator::id>},
    CommunicatorColumn{"hash", kInteger, field_of<&Communicator::hash>},
    CommunicatorColumn{"nameId", kInteger, field_of<&Communicator::name>},
    CommunicatorColumn{"ranks", kInteger, field_of<&Communicator::ranks>},
    CommunicatorColumn{"rank", kInteger, field_of<&Communicator::rank>},
    CommunicatorColumn{"nodes", kInteger, field_of<&Communicator::nodes>},
    CommunicatorColumn{"interface", kInteger, field_of<&Communicator::interface>},
};

}  // namespace

Status write_nccl_operations(Output& out, const Context& c) {
  const Operations& all = c.trace.nccl_operations;
  return write_rows<Operations>(out, "SONDE_NCCL_OPERATION", kOperationColumns, c, all, row_count(all));
}

Status write_communicators(Output& out, const Context& c) {
  const Communicators& all = c.trace.communicators;
  return write_rows<Communicators>(out, "SONDE_NCCL_COMMUNICATOR", kCommunicatorColumns, c, all, all.size());
}

}  // namespace sonde::nsys_export
