#include "trace/memory_shortage.h"

#include <array>

#include <nlohmann/json.hpp>

#include "trace/columns.h"

namespace sonde {
namespace {

struct ShortageValue {
  const char* key;
  std::optional<int64_t> MemoryShortage::* value;
};

constexpr std::array kShortageValues = {
    ShortageValue{"gpu_free_bytes", &MemoryShortage::gpu_free_bytes},
    ShortageValue{"allocated_bytes", &MemoryShortage::allocated_bytes},
    ShortageValue{"reserved_bytes", &MemoryShortage::reserved_bytes},
    ShortageValue{"largest_free_piece_bytes", &MemoryShortage::largest_free_piece_bytes},
};

std::optional<int64_t> number_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? std::optional(found->get<int64_t>()) : std::nullopt;
}

}  // namespace

void add_memory_shortage(Trace& trace, const MemoryShortage& shortage, DomainId domain, ThreadId thread) {
  nlohmann::ordered_json content = {{"device", shortage.device}, {"requested_bytes", shortage.requested_bytes}};
  for (const ShortageValue& v : kShortageValues) {
    if (shortage.*v.value) content[v.key] = *(shortage.*v.value);
  }
  Marks mark;
  mark.start = {shortage.time_ns};
  mark.name = {trace.names.intern(kShortageName)};
  mark.thread = {thread};
  mark.domain = {domain};
  mark.payload_kind = {static_cast<uint8_t>(PayloadKind::int64)};
  mark.payload = {shortage.requested_bytes};
  mark.payloads.emplace_back().json = content.dump();
  append_rows(trace.marks, std::move(mark));
}

std::vector<MemoryShortage> memory_shortages(const Trace& trace) {
  std::vector<MemoryShortage> shortages;
  const Marks& m = trace.marks;
  const NameId name = trace.names.find(kShortageName);
  for (Row row = 0; row < m.payloads.size() && name != kNone; ++row) {
    if (m.name[row] != name || trace.name(trace.domains[m.domain[row]].name) != kMemoryDomain) continue;
    const auto content = nlohmann::json::parse(m.payloads[row].json, nullptr, false);
    const auto requested = content.is_object() ? number_at(content, "requested_bytes") : std::nullopt;
    if (!requested || m.thread[row] == kNone) continue;
    MemoryShortage& s = shortages.emplace_back();
    s.time_ns = m.start[row];
    s.process = trace.threads[m.thread[row]].process;
    s.device = number_at(content, "device").value_or(0);
    s.requested_bytes = *requested;
    for (const ShortageValue& v : kShortageValues) s.*v.value = number_at(content, v.key);
  }
  return shortages;
}

}  // namespace sonde
