#include "record/rounds/kept_definitions.h"

#include <linux/perf_event.h>

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "record/rounds/body.h"
#include "record/rounds/spool.h"
#include "wire/definitions.h"
#include "wire/gpu_metrics_record.h"
#include "wire/kernel_record.h"
#include "wire/payload_record.h"

namespace sonde::record {
namespace {

/// The first record's bytes; empty where there is none. Only heads are looked at: bodies are read with the profile.
std::span<const std::byte> first_record(std::span<const std::byte> records, wire::Kind& kind) {
  wire::RecordHead head{};
  if (records.size() < sizeof head) return {};
  std::memcpy(&head, records.data(), sizeof head);
  if (head.bytes < sizeof head || head.bytes % 8 != 0 || head.bytes > records.size()) return {};
  kind = head.kind;
  return records.first(head.bytes);
}

bool is_graph_without_launches(const wire::Record& record) {
  return record.head.kind == wire::Kind::cuda_graph &&
         body_of<wire::CudaGraphBody>(record).change != wire::CudaGraphChange::instantiated;
}

bool is_wait(const wire::Record& record) {
  return record.head.kind == wire::Kind::measure_state &&
         body_of<wire::MeasureStateBody>(record).state == wire::MeasureState::waited;
}

template <typename T>
void append(std::vector<std::byte>& to, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void append_slice(std::vector<std::byte>& to, const Slice& of, std::span<const std::byte> record) {
  append(to, SliceHead{of.process, of.thread, static_cast<uint32_t>(record.size()), of.mark});
  to.insert(to.end(), record.begin(), record.end());
}

void hand_slices(std::span<const std::byte> slices, Sink& sink) {
  SpoolReader reader(slices);
  while (const auto slice = reader.next()) sink.add(*slice);
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void KeptDefinitions::note(const Slice& slice) {
  if (slice.mark == kCpuSliceMark) {
    note_code(slice);
  } else if (slice.mark == kPythonDefinitionMark) {
    keep(slice, slice.records);
  } else if (slice.mark == kSliceMark) {
    note_records(slice);
  }
}

void KeptDefinitions::note_records(const Slice& slice) {
  wire::Kind kind{};
  auto rest = slice.records;
  for (auto bytes = first_record(rest, kind); !bytes.empty(); bytes = first_record(rest, kind)) {
    rest = rest.subspan(bytes.size());
    if (wire::is_definition(kind)) note_definition(slice, bytes);
  }
}

/// What is no whole record says nothing to a profile either.
void KeptDefinitions::note_definition(const Slice& slice, std::span<const std::byte> bytes) {
  wire::Record record;
  if (!wire::Reader(bytes).next(record) || is_graph_without_launches(record)) return;
  switch (record.head.kind) {
    case wire::Kind::code_mapping: return keep_first_and_last(slice, bytes, subject_of(slice, record));
    case wire::Kind::cuda_state:
    case wire::Kind::cuda_tally:
    case wire::Kind::sampling_tally:
    case wire::Kind::thread_name:
    case wire::Kind::category:
    case wire::Kind::payload_schema:
    case wire::Kind::payload_entry: return keep_last(slice, bytes, subject_of(slice, record));
    default: return is_wait(record) ? keep_last(slice, bytes, subject_of(slice, record)) : keep(slice, bytes);
  }
}

KeptDefinitions::Subject KeptDefinitions::subject_of(const Slice& slice, const wire::Record& record) {
  Subject subject{.kind = static_cast<uint32_t>(record.head.kind),
                  .process = slice.process,
                  .thread = slice.thread,
                  .domain = record.head.domain};
  switch (record.head.kind) {
    case wire::Kind::thread_name:
    case wire::Kind::category: subject.number = record.id; break;
    case wire::Kind::sampling_tally: subject.number = body_of<wire::SamplingTallyBody>(record).device; break;
    case wire::Kind::payload_schema: subject.number = body_of<wire::PayloadSchemaBody>(record).schema; break;
    case wire::Kind::payload_entry: {
      const auto entry = body_of<wire::PayloadEntryBody>(record);
      subject.number = entry.schema;
      subject.part = entry.index;
      break;
    }
    case wire::Kind::cuda_state:
    case wire::Kind::code_mapping:  // whichever thread tells it
      subject.thread = 0;
      subject.text = text_of(record.body) + std::string(record.text);
      break;
    default: break;
  }
  return subject;
}

KeptDefinitions::Subject KeptDefinitions::name_of(const PerfRecord& record) {
  return {.kind = kCpu | PERF_RECORD_COMM, .process = record.process, .thread = record.thread};
}

KeptDefinitions::Subject KeptDefinitions::place_of(const PerfRecord& record) {
  std::string file = fmt::format("{:x} {:x} {}", record.offset, record.inode, record.text);
  return {.kind = kCpu | PERF_RECORD_MMAP2,
          .process = record.process,
          .number = record.address,
          .part = record.length,
          .text = std::move(file) + text_of(record.build_id)};
}

void KeptDefinitions::note_code(const Slice& slice) {
  PerfReader reader(slice.records, PerfReader::Samples::chain);
  PerfRecord record;
  while (reader.next(record)) note_task(slice, record);
}

/// Where code lay in each process, and what threads are called that have not ended.
void KeptDefinitions::note_task(const Slice& slice, const PerfRecord& record) {
  const bool is_thread = record.thread != record.process;
  switch (record.type) {
    case PERF_RECORD_MMAP2: return keep_first_and_last(slice, record.bytes, place_of(record));
    case PERF_RECORD_COMM:
      if ((record.misc & PERF_RECORD_MISC_COMM_EXEC) == 0) return keep_last(slice, record.bytes, name_of(record));
      latest_.erase(name_of(record));
      return keep(slice, record.bytes);
    case PERF_RECORD_FORK:
      if (record.process != record.parent) keep(slice, record.bytes);
      return;
    case PERF_RECORD_EXIT:
      if (is_thread) latest_.erase(name_of(record));
      return;
    default: return;
  }
}

void KeptDefinitions::keep(const Slice& of, std::span<const std::byte> record) { append_slice(for_good_, of, record); }

void KeptDefinitions::keep_last(const Slice& of, std::span<const std::byte> record, Subject subject) {
  std::vector<std::byte>& kept = latest_[std::move(subject)];
  kept.clear();
  append_slice(kept, of, record);
}

void KeptDefinitions::keep_first_and_last(const Slice& of, std::span<const std::byte> record, Subject subject) {
  if (!latest_.contains(subject)) keep(of, record);
  keep_last(of, record, std::move(subject));
}

void KeptDefinitions::hand_to(Sink& sink) const {
  hand_slices(for_good_, sink);
  for (const auto& [subject, slice] : latest_) hand_slices(slice, sink);
}

}  // namespace sonde::record
