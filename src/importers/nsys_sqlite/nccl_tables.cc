#include <map>
#include <optional>

#include "importers/nsys/tables.h"

/// Sonde's own tables of what NCCL told its profiler plugin.
namespace sonde::nsys {
namespace {

std::optional<int> small_number(auto& row, const Cell& cell) {
  const int64_t value = row.integer(cell, kUnknown);
  return value == kUnknown ? std::nullopt : std::optional<int>(static_cast<int>(value));
}

/// Gives back the rows of the trace by the file's ids.
std::map<int64_t, uint32_t> read_communicators(NsysFile& file) {
  std::map<int64_t, uint32_t> rows;
  TableQuery query = file.query("SONDE_NCCL_COMMUNICATOR");
  if (!query.exists()) return rows;
  const Cell id = query.column("id");
  const Cell process = query.column("globalPid");
  const Cell number = query.column("number");
  const Cell hash = query.column("hash");
  const Cell name = query.column("nameId");
  const Cell ranks = query.column("ranks");
  const Cell rank = query.column("rank");
  const Cell nodes = query.column("nodes");
  const Cell interface = query.column("interface");
  std::vector<Communicator>& all = file.trace().communicators;
  const size_t first = all.size();
  file.each_row(query, [&](auto& row) {
    rows[row.integer(id, 0)] = static_cast<uint32_t>(all.size());
    all.push_back({.process = file.process(static_cast<uint64_t>(row.integer(process, 0))),
                   .id = row.integer(number, 0),
                   .hash = row.integer(hash, 0),
                   .name = kNone,
                   .ranks = small_number(row, ranks),
                   .rank = small_number(row, rank),
                   .nodes = small_number(row, nodes),
                   .interface = small_number(row, interface)});
    Ids text;
    row.put_name(name, text);
    all.back().name = text.front();
  });
  for (size_t i = first; i < all.size(); ++i) file.name_later(all[i].name);
  return rows;
}

void use_rows(Ids& column, size_t first, const std::map<int64_t, uint32_t>& rows) {
  for (size_t row = first; row < column.size(); ++row) {
    const auto found = rows.find(column[row]);
    column[row] = found == rows.end() ? kNone : found->second;
  }
}

}  // namespace

void read_nccl(NsysFile& file) {
  TableQuery query = file.query("SONDE_NCCL_OPERATION");
  if ((!file.wants(Field::nccl) && !file.wants(Field::kernel_resources)) || !query.exists()) return;
  const std::map<int64_t, uint32_t> communicators = read_communicators(file);
  const Cell start = query.column("start");
  const Cell end = query.column("end");
  const Cell thread = query.column("globalTid");
  const Cell communicator = query.column("communicatorId");
  const Cell kind = query.column("kind");
  const Cell function = query.column("functionId");
  const Cell count = query.column("count");
  const Cell datatype = query.column("datatypeId");
  const Cell algorithm = query.column("algorithmId");
  const Cell protocol = query.column("protocolId");
  const Cell channels = query.column("channels");
  const Cell warps = query.column("warps");
  const Cell peer = query.column("peer");
  const Cell sequence = query.column("sequence");
  const Cell group = query.column("groupId");
  const Cell captured = query.column("graphCaptured");
  const Cell launch_start = query.column("launchStart");
  const Cell launch_end = query.column("launchEnd");
  const Cell gpu_start = query.column("gpuStart");
  const Cell gpu_end = query.column("gpuEnd");
  const Cell gpu_channels = query.column("gpuChannels");
  NcclOperations& all = file.trace().nccl_operations;
  const size_t first = row_count(all);
  using O = NcclOperations;
  file.read_table(query, all, {&O::function, &O::datatype, &O::algorithm, &O::protocol},
                  [&](auto& row, Part<NcclOperations>& part) {
                    O& o = part.rows;
                    row.put(start, o.start, int64_t{0});
                    row.put(end, o.end, kUnknown);
                    o.thread.push_back(part.threads.id(static_cast<uint64_t>(row.integer(thread, 0))));
                    row.put(communicator, o.communicator, kNone);
                    row.put(kind, o.kind, uint8_t{0});
                    row.put_name(function, o.function);
                    row.put(count, o.count, kUnknown);
                    row.put_name(datatype, o.datatype);
                    row.put_name(algorithm, o.algorithm);
                    row.put_name(protocol, o.protocol);
                    row.put(channels, o.channels, kUnknown32);
                    row.put(warps, o.warps, kUnknown32);
                    row.put(peer, o.peer, kUnknown32);
                    row.put(sequence, o.sequence, kUnknown);
                    row.put(group, o.group, kUnknown);
                    row.put(captured, o.captured, uint8_t{0});
                    const int64_t launched = row.integer(launch_start, kUnknown);
                    const int64_t done = row.integer(launch_end, kUnknown);
                    o.launch_before.push_back(time_between(launched, o.start.back()));
                    const int64_t duration = time_between(launched, done);
                    if (duration == kUnknown) o.launch_before.back() = kUnknown;
                    o.launch_duration.push_back(duration);
                    row.put(gpu_start, o.gpu_start, kUnknown);
                    row.put(gpu_end, o.gpu_end, kUnknown);
                    row.put(gpu_channels, o.gpu_channels, kUnknown32);
                  });
  use_rows(all.communicator, first, communicators);
}

}  // namespace sonde::nsys
