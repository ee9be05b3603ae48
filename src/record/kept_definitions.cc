#include "record/kept_definitions.h"

#include <cstring>

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

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

void KeptDefinitions::note(uint32_t process, uint32_t thread, std::span<const std::byte> records) {
  wire::Kind kind{};
  for (auto record = first_record(records, kind); !record.empty(); record = first_record(records, kind)) {
    records = records.subspan(record.size());
    if (!wire::is_definition(kind)) continue;
    const SliceHead head{process, thread, static_cast<uint32_t>(record.size()), kSliceMark};
    append(slices_, std::as_bytes(std::span(&head, 1)));
    append(slices_, record);
  }
}

void KeptDefinitions::hand_to(Sink& sink) const {
  SpoolReader reader(slices_);
  while (const auto slice = reader.next()) sink.add(slice->process, slice->thread, slice->records);
}

}  // namespace sonde::record
