#include "record/kept_definitions.h"

#include <linux/perf_event.h>

#include <cstring>

#include "record/cpu/perf_records.h"
#include "record/spool.h"
#include "wire/definitions.h"

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

/// Where code lay in each process, and what threads were called: it stays as it is until told otherwise.
bool tells_of_code(const PerfRecord& record) {
  return record.type == PERF_RECORD_MMAP2 || record.type == PERF_RECORD_COMM || record.type == PERF_RECORD_FORK;
}

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

void KeptDefinitions::note(const Slice& slice) {
  if (slice.mark == kCpuSliceMark) {
    note_code(slice);
  } else {
    note_records(slice);
  }
}

void KeptDefinitions::note_records(const Slice& slice) {
  wire::Kind kind{};
  auto rest = slice.records;
  for (auto record = first_record(rest, kind); !record.empty(); record = first_record(rest, kind)) {
    rest = rest.subspan(record.size());
    if (wire::is_definition(kind)) keep(slice, record);
  }
}

void KeptDefinitions::note_code(const Slice& slice) {
  PerfReader reader(slice.records, PerfReader::Samples::chain);
  PerfRecord record;
  while (reader.next(record)) {
    if (tells_of_code(record)) keep(slice, record.bytes);
  }
}

void KeptDefinitions::keep(const Slice& of, std::span<const std::byte> record) {
  const SliceHead head{of.process, of.thread, static_cast<uint32_t>(record.size()), of.mark};
  append(slices_, std::as_bytes(std::span(&head, 1)));
  append(slices_, record);
}

void KeptDefinitions::hand_to(Sink& sink) const {
  SpoolReader reader(slices_);
  while (const auto slice = reader.next()) sink.add(*slice);
}

}  // namespace sonde::record
