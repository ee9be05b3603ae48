#include "record/instructions/instruction_counts.h"

#include <cstring>

#include "record/rounds/body.h"

namespace sonde::record {
namespace {

/// Of wire::InstructionCountBody::counts, as Nsight Compute has them.
constexpr std::array<std::string_view, wire::kInstructionCounts> kMetrics = {"inst_executed", "thread_inst_executed",
                                                                             "thread_inst_executed_true"};

}  // namespace

void InstructionCounts::add(const wire::Record& record, uint32_t process) {
  if (record.head.kind == wire::Kind::instruction_count) return add_count(record, process);
  if (record.head.kind == wire::Kind::counted_launch) return add_launch(record, process);
  if (record.head.kind != wire::Kind::pc_state) return;
  const auto note = body_of<wire::PcStateBody>(record);
  if (note.state <= wire::PcState::code_full) return;  // of samples
  tally_.notes.insert({note.state, std::string(record.text), note.result});
}

void InstructionCounts::add_count(const wire::Record& record, uint32_t process) {
  const auto body = body_of<wire::InstructionCountBody>(record);
  Counted& counted = counted_[{process, body.counting}];
  counted.code = body.code;
  Counts& counts = counted.by_offset[body.offset];
  for (size_t i = 0; i < counts.size(); ++i) counts[i] += body.counts[i];
}

/// The begin stands before the end in its thread.
void InstructionCounts::add_launch(const wire::Record& record, uint32_t process) {
  const auto body = body_of<wire::CountedLaunchBody>(record);
  if (body.is_begin != 0) {
    begun_[{process, body.counting}] = record.text;
    return;
  }
  begun_.erase({process, body.counting});
  if (body.is_whole == 0) return;
  launches_.insert_or_assign({process, body.kernel}, body);
}

void InstructionCounts::give_metrics(Trace& trace, KernelProfile& kernel, const Counted& counted) {
  for (size_t i = 0; i < kMetrics.size(); ++i) {
    uint64_t total = 0;
    Metric metric{trace.names.intern(kMetrics[i]), {}, {}};
    metric.instances.reserve(counted.by_offset.size());
    for (const auto& [offset, counts] : counted.by_offset) {
      total += counts[i];
      metric.instances.push_back({MetricValue::integer(offset), MetricValue::integer(counts[i])});
    }
    metric.value = MetricValue::integer(total);
    kernel.metrics.push_back(std::move(metric));
  }
}

void InstructionCounts::give_to(Trace& trace, KernelProfile& kernel, uint32_t process, uint64_t id,
                                DeviceFunctions& functions) {
  const auto launch = launches_.find({process, id});
  if (launch == launches_.end()) {
    ++tally_.without;
    return;
  }
  ++tally_.launches;
  tally_.elsewhere += launch->second.elsewhere;
  tally_.dropped += launch->second.dropped;
  const auto node = counted_.extract({process, launch->second.counting});
  if (node.empty()) {
    ++tally_.empty;
    return;
  }
  const Counted& counted = node.mapped();
  give_metrics(trace, kernel, counted);
  tally_.instructions += static_cast<int64_t>(counted.by_offset.size());
  for (const auto& [offset, counts] : counted.by_offset) tally_.executed += counts[0];
  if (kernel.function == kNone) functions.give_to(trace, kernel, process, counted.code);
}

InstructionTally InstructionCounts::finish() {
  if (!begun_.empty()) tally_.unfinished = begun_.rbegin()->second;
  return std::move(tally_);
}

}  // namespace sonde::record
