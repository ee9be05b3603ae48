#include "inject/nvtx_payloads.h"

#include <atomic>
#include <cstring>

#include "inject/attachment.h"
#include "inject/name_table.h"
#include "inject/text_record.h"

namespace sonde::inject {
namespace {

static_assert(3 * sizeof(wire::RecordHead) + sizeof(wire::RangeBody) + sizeof(wire::EventBody) +
                      sizeof(wire::AttributeBody) + wire::kMaxText + sizeof(wire::PayloadBody) + wire::kMaxPayload <=
                  wire::kRecordBytes,
              "an event and its payload lie in one chunk");

constinit std::atomic<uint64_t> next_schema{nvtx::kFirstDynamicSchema};

size_t bytes_of(const nvtx::PayloadData& payload) noexcept {
  if (payload.bytes != nvtx::kUnknownBytes) return payload.bytes;
  const bool is_text = payload.schema == nvtx::kText || payload.schema == nvtx::kTextUtf8;
  if (!is_text || payload.data == nullptr) return nvtx::kUnknownBytes;
  return strnlen(static_cast<const char*>(payload.data), wire::kMaxPayload + 1);
}

bool fits(const nvtx::PayloadData& payload, size_t bytes) noexcept {
  return payload.schema != 0 && bytes <= wire::kMaxPayload && (payload.data != nullptr || bytes == 0);
}

/// A value that counts, else 0.
template <typename T>
T if_told(uint64_t fields, uint64_t field, T value) noexcept {
  return (fields & field) != 0 ? value : T{};
}

uint64_t number_of(uint64_t reported) noexcept {
  return reported != 0 ? reported : next_schema.fetch_add(1, std::memory_order_relaxed);
}

bool write_schema(uint16_t domain, const wire::PayloadSchemaBody& body, const char* name) noexcept {
  if (domain != 0) static_cast<void>(known_name(domains, domain));
  return write_with_text({wire::Kind::payload_schema, 0, domain, 0, now_ns()}, body, text_of(name));
}

/// A name and what describes it as one text.
struct TwoTexts {
  char bytes[wire::kMaxText];
  Text text{bytes, 0};
  void add(const Text& more) noexcept {
    const auto room = static_cast<uint16_t>(sizeof bytes - text.bytes);
    const uint16_t taken = more.bytes < room ? more.bytes : room;
    memcpy(bytes + text.bytes, more.data, taken);
    text.bytes = static_cast<uint16_t>(text.bytes + taken);
  }
};

void write_entry(uint16_t domain, wire::PayloadEntryBody body, const char* name, const char* description) noexcept {
  TwoTexts texts;
  texts.add(text_of(name));
  body.name_bytes = texts.text.bytes;
  texts.add(text_of(description));
  write_with_text({wire::Kind::payload_entry, 0, domain, 0, now_ns()}, body, texts.text);
}

}  // namespace

Payload payload_of(const nvtx::PayloadData* all, size_t count) noexcept {
  Payload found;
  for (size_t i = 0; all != nullptr && i < count; ++i) {
    if (all[i].schema == nvtx::kReferenced) continue;
    const size_t bytes = bytes_of(all[i]);
    if (found.schema == 0 && fits(all[i], bytes)) {
      found = {all[i].schema, all[i].data, static_cast<uint32_t>(bytes)};
    } else {
      inject::count(wire::Loss::payload);
    }
  }
  return found;
}

void put_payload(std::byte* at, const Payload& payload, int64_t time) noexcept {
  at = put_head(at, wire::Kind::payload, payload_record_bytes(payload), 0, 0, time);
  at = put(at, wire::PayloadBody{payload.schema, payload.bytes, 0});
  if (payload.bytes == 0) return;
  const uint64_t zero = 0;
  memcpy(at + wire::padded(payload.bytes) - sizeof zero, &zero, sizeof zero);
  memcpy(at, payload.data, payload.bytes);
}

uint64_t register_schema(uint16_t domain, const nvtx::SchemaAttributes& schema) noexcept {
  const auto reported = [&](nvtx::SchemaField field, auto value) { return if_told(schema.fields, field, value); };
  const uint64_t number = number_of(reported(nvtx::kSchemaNumber, schema.number));
  if (phase() == wire::Phase::ended) return number;
  const size_t count = schema.entries == nullptr ? 0 : reported(nvtx::kSchemaCount, schema.count);
  const wire::PayloadSchemaBody body{number,
                                     reported(nvtx::kSchemaType, schema.type),
                                     reported(nvtx::kSchemaFlags, schema.flags),
                                     count,
                                     reported(nvtx::kSchemaBytes, schema.bytes),
                                     reported(nvtx::kSchemaAlign, schema.align),
                                     0,
                                     0,
                                     0};
  write_schema(domain, body, reported(nvtx::kSchemaName, schema.name));
  for (size_t i = 0; i < count; ++i) {
    const nvtx::SchemaEntry& entry = schema.entries[i];
    write_entry(domain, {number, entry.type, entry.flags, entry.detail, entry.offset, static_cast<uint32_t>(i), 0, 0},
                entry.name, entry.description);
  }
  return number;
}

uint64_t register_enum(uint16_t domain, const nvtx::EnumAttributes& enumeration) noexcept {
  const auto reported = [&](nvtx::EnumField field, auto value) { return if_told(enumeration.fields, field, value); };
  const uint64_t number = number_of(reported(nvtx::kEnumNumber, enumeration.number));
  if (phase() == wire::Phase::ended) return number;
  const size_t count = enumeration.entries == nullptr ? 0 : reported(nvtx::kEnumCount, enumeration.count);
  const wire::PayloadSchemaBody body{number, 0, 0, count, reported(nvtx::kEnumBytes, enumeration.bytes), 0, 0, 1, 0};
  write_schema(domain, body, reported(nvtx::kEnumName, enumeration.name));
  for (size_t i = 0; i < count; ++i) {
    const nvtx::EnumEntry& entry = enumeration.entries[i];
    const uint64_t is_flag = entry.is_flag != 0 ? 1 : 0;
    write_entry(domain, {number, entry.value, is_flag, 0, 0, static_cast<uint32_t>(i), 0, 0}, entry.name, nullptr);
  }
  return number;
}

}  // namespace sonde::inject
