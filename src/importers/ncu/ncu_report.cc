#include "base/files/file.h"
#include "base/files/protobuf.h"
#include "importers/files/gzip.h"
#include "importers/ncu/container.h"
#include "importers/ncu/messages.h"

namespace sonde {
namespace ncu_report {
namespace {

using ncu::Block;
using ncu::Container;
using ncu::Report;

bool recognizes(const Probe& probe) { return !is_gzip(probe.head()) && probe.plain_head().starts_with(ncu::kMagic); }

void read_block(const Block& block, Report& report, ncu::Code& code) {
  ncu::read_block_header(block.header, report);
  if (!report.wants(Field::kernel_profiles)) return;
  for (const std::string_view source : block.sources) code.read(source, report);
  for (const std::string_view result : block.results) ncu::read_result(result, report);
  ImportLog& log = report.trace->log;
  if (block.range_results > 0) log.add(Issue::range_result, {}, static_cast<int64_t>(block.range_results));
  if (block.unknown > 0) log.add(Issue::unknown_field, "message of a block", static_cast<int64_t>(block.unknown));
}

/// The device that each kernel says it ran on; in a report of one device, that one.
void assign_devices(const Report& report) {
  for (KernelProfile& kernel : report.trace->kernel_profiles) {
    if (kernel.rank != report.rank) continue;
    const auto index = metric_number(*report.trace, kernel, "device__attribute_device_index");
    const auto found = report.devices.find(index ? static_cast<int64_t>(*index) : 0);
    if (found != report.devices.end()) kernel.device = found->second;
  }
}

Rank rank_of(const std::string& path) {
  Rank rank;
  rank.file = short_path(path);
  rank.format = "ncu_report";
  rank.product = "NVIDIA Nsight Compute";
  return rank;
}

void take_inventory(const Container& container, const Report& report) {
  size_t results = 0;
  size_t sources = 0;
  for (const Block& block : container.blocks) {
    results += block.results.size();
    sources += block.sources.size();
  }
  Rank& rank = report.trace->ranks[report.rank];
  rank.holds = {{"profiled launches", static_cast<int64_t>(results)},
                {"metric names", static_cast<int64_t>(report.metric_names.size())},
                {"device code objects", static_cast<int64_t>(sources)}};
}

Status read_blocks(const Container& container, Report& report) {
  ncu::Code code;
  report.request->progress->begin(fmt::format("reading {}", report.trace->ranks[report.rank].file),
                                  static_cast<int64_t>(container.blocks.size()), "blocks");
  for (const Block& block : container.blocks) {
    read_block(block, report, code);
    report.request->progress->advance(1);
  }
  code.assign(report);
  assign_devices(report);
  ncu::choose_section_metrics(report);
  if (report.wants(Field::inventory)) take_inventory(container, report);
  if (!report.wants(Field::capture)) report.trace->ranks[report.rank].capture.clear();
  return {};
}

Status read(const std::string& path, const ImportRequest& request, Trace& trace) {
  const auto bytes = ncu::ReportBytes::open(path);
  if (!bytes) return std::unexpected(bytes.error());
  return walk_messages(path, [&]() -> Status {
    const auto container = ncu::split_container(bytes->bytes());
    if (!container) return fail("{} {}", path, container.error().message);
    if (container->blocks.empty()) return fail("{} is truncated before its first block", path);
    if (container->breaks_off) trace.log.add(Issue::truncated, *container->breaks_off);
    Report report{.request = &request, .trace = &trace, .rank = static_cast<RankId>(trace.ranks.size())};
    trace.ranks.push_back(rank_of(path));
    return read_blocks(*container, report);
  });
}

}  // namespace
}  // namespace ncu_report

extern const Importer ncu_report_importer;
const Importer ncu_report_importer{
    .name = "ncu_report",
    .description = "Nsight Compute report (.ncu-rep, .ncu-repz), 2020.3 to 2025.2",
    .recognizes = ncu_report::recognizes,
    .picks = ncu_report::recognizes,
    .read = ncu_report::read,
    .kernel_report = true,
};

}  // namespace sonde
