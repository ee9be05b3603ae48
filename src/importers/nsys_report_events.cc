#include "importers/nsys_report_events.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"

namespace sonde::nsys {
namespace {

/// Which message an event's body is: the number of its field tells the layout, the type only the name.
enum Body : uint32_t {
  kNvtxBody = 102,
  kSampleBody = 104,
  kSwitchBody = 106,
  kGpuBody = 107,
  kCallBody = 108,
  kMmapBody = 109,
  kDiagnosticBody = 110,
  kProcessBody = 113,
};

void read_body(uint32_t field, Message body, int64_t type, const ReportWants& wants, ReportPart& part) {
  switch (field) {
    case kGpuBody: return read_gpu_event(body, type, wants, part);
    case kCallBody: return read_call_event(body, type, wants, part);
    case kNvtxBody:
      if (wants.ranges || wants.marks || wants.inventory) read_nvtx_event(body, wants, part);
      return;
    case kSwitchBody: return read_switch(body, wants, part);
    case kSampleBody: return read_sample(body, wants, part);
    case kDiagnosticBody: return read_diagnostic(body, wants, part);
    case kProcessBody: return read_process(body, part);
    case kMmapBody: return;  // where libraries lie in memory: symbols are resolved already
    default: ++part.unknown[{type}];
  }
}

void read_event(Message event, const ReportWants& wants, ReportPart& part) {
  int64_t type = 0;
  uint32_t field = 0;
  Message body;
  while (event.next()) {
    if (event.tag_and_type() == number_field(1)) {
      type = integer_of(event);
    } else if (event.wire_type() == protozero::pbf_wire_type::length_delimited) {
      field = event.tag();
      body = event.get_message();
    } else {
      event.skip();
    }
  }
  read_body(field, body, type, wants, part);
}

/// Unpacks and reads one block; what is wrong with it is counted.
void read_block(const PackedBlock& block, Unpacker& unpacker, const ReportWants& wants, ReportPart& part) {
  const auto plain = unpacker.unpack(block);
  const Status read = !plain ? std::unexpected(plain.error()) : walk_messages("a block of events", [&]() -> Status {
    read_events(*plain, wants, part);
    return {};
  });
  if (read) return;
  if (part.damaged_blocks++ == 0) part.damage = read.error().message;
}

/// Plain bytes below which a second thread costs more than it saves: they are read in some 0.5 ms.
constexpr uint64_t kBytesWorthAThread = 256 << 10;

/// What the file says of a block's size, as far as it can be true.
uint64_t plain_bytes_of(const PackedBlock& block) { return std::min<uint64_t>(block.plain_bytes, uint64_t{1} << 31); }

uint64_t plain_bytes_of(std::span<const PackedBlock> blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), uint64_t{0},
                         [](uint64_t sum, const PackedBlock& b) { return sum + plain_bytes_of(b); });
}

/// Cuts the blocks into runs of about as many plain bytes each.
std::vector<std::span<const PackedBlock>> runs_of(std::span<const PackedBlock> blocks, uint64_t total) {
  const auto count = std::clamp<uint64_t>(total / kBytesWorthAThread, 1, worker_count());
  std::vector<std::span<const PackedBlock>> runs;
  size_t first = 0;
  uint64_t bytes = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    bytes += plain_bytes_of(blocks[i]);
    if (i + 1 < blocks.size() && bytes < total / count * (runs.size() + 1)) continue;
    runs.push_back(blocks.subspan(first, i + 1 - first));
    first = i + 1;
  }
  return runs;
}

uint64_t packed_bytes_of(std::span<const PackedBlock> blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), uint64_t{0},
                         [](uint64_t sum, const PackedBlock& b) { return sum + b.packed.size(); });
}

/// Makes room for `times` as many rows as each table of a part has, and `most` at most.
void reserve_part(ReportPart& part, double times, uint64_t most) {
  const auto reserve = [&](auto& rows) {
    const auto wanted = static_cast<double>(row_count(rows)) * times;
    reserve_rows(rows, static_cast<size_t>(std::min(wanted, static_cast<double>(most))));
  };
  reserve(part.kernels.rows);
  reserve(part.copies.rows);
  reserve(part.sets.rows);
  reserve(part.graph_launches.rows);
  reserve(part.syncs.rows);
  reserve(part.cuda_events.rows);
  reserve(part.api.rows);
  reserve(part.os_calls.rows);
  reserve(part.ranges.rows);
  reserve(part.samples.rows);
  reserve(part.switches.rows);
}

/// Reads one run of blocks. `following`: the packed bytes of this run and of all whose rows will be put behind its own.
void read_run(const NsysRun& run, std::span<const PackedBlock> blocks, uint64_t following, const ReportWants& wants,
              ReportPart& part) {
  // Columns that grow step by step are copied as often, and clearing fresh memory takes longer than reading events: a
  // sixteenth of the run tells how long they will be. An event takes some 20 packed bytes; none takes less than one, so
  // that room for more rows than bytes is never needed.
  constexpr uint64_t kSample = 16;
  constexpr double kMargin = 1.1;
  const uint64_t enough = packed_bytes_of(blocks) / kSample;
  uint64_t seen = 0;
  Unpacker unpacker;
  for (const PackedBlock& block : blocks) {
    read_block(block, unpacker, wants, part);
    run.progress().advance(static_cast<int64_t>(plain_bytes_of(block)));
    const bool sampled = seen <= enough && seen + block.packed.size() > enough;
    seen += block.packed.size();
    if (sampled) reserve_part(part, kMargin * static_cast<double>(following) / static_cast<double>(seen), following);
  }
}

}  // namespace

void read_events(std::string_view block, const ReportWants& wants, ReportPart& part) {
  Message m(block.data(), block.size());
  while (m.next(1, protozero::pbf_wire_type::length_delimited)) {
    const Message event = m.get_message();
    ++part.events;
    const Status read = walk_messages("an event", [&]() -> Status {
      read_event(event, wants, part);
      return {};
    });
    if (!read) ++part.malformed;
  }
}

std::vector<ReportPart> read_events(const NsysRun& run, std::span<const PackedBlock> blocks) {
  const ReportWants wants(run);
  const uint64_t total = plain_bytes_of(blocks);
  const auto runs = runs_of(blocks, total);
  std::vector<ReportPart> parts(runs.size());
  run.progress().begin(fmt::format("reading {}", run.file()), static_cast<int64_t>(total), "bytes");
  parallel_for(runs.size(), [&](size_t i) {
    // The rows of the first run are moved into the trace, and those of the others put behind them.
    read_run(run, runs[i], packed_bytes_of(i == 0 ? blocks : runs[i]), wants, parts[i]);
  });
  return parts;
}

}  // namespace sonde::nsys
