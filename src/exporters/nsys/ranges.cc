#include <algorithm>
#include <array>
#include <bit>

#include "exporters/nsys/sections.h"
#include "trace/recorded_inputs.h"

namespace sonde::nsys_export {
namespace {

/// Ranges, marks and domains share this table.
constexpr std::string_view kNvtxDefinition =
    "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER, "
    "color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, "
    "uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, "
    "floatValue REAL, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT";
const Target kNvtx("NVTX_EVENTS", {}, kNvtxDefinition);

/// ENUM_NSYS_EVENT_TYPE.
constexpr int64_t kCategory = 33;
constexpr int64_t kMark = 34;
constexpr int64_t kPushPop = 59;
constexpr int64_t kStartEnd = 60;
constexpr int64_t kDomainCreate = 75;

template <typename Table>
Cell text_of(const Context& c, const Table& table, size_t row) {
  const std::string_view text = table.name.empty() ? std::string_view() : c.trace.name(table.name[row]);
  return text.empty() ? Cell() : Cell(text);
}

template <typename Table>
Cell domain_of(const Context& c, const Table& table, size_t row) {
  if (table.domain.empty() || table.domain[row] == kNoDomain) return Cell();
  return c.domain_ids[table.domain[row]];
}

template <typename Table>
Cell category_of(const Context&, const Table& table, size_t row) {
  return cell(table.category, row);
}

template <typename Table>
bool has_payload(const Table& r, size_t row, PayloadKind kind) {
  return !r.payload_kind.empty() && r.payload_kind[row] == static_cast<uint8_t>(kind);
}

template <PayloadKind kind, typename Table>
Cell payload_of(const Context&, const Table& r, size_t row) {
  if (!has_payload(r, row, kind)) return {};
  const int64_t bits = r.payload[row];
  if constexpr (kind == PayloadKind::real64) return std::bit_cast<double>(bits);
  if constexpr (kind == PayloadKind::real32) return double{std::bit_cast<float>(static_cast<uint32_t>(bits))};
  if constexpr (kind == PayloadKind::uint32) return static_cast<int64_t>(static_cast<uint32_t>(bits));
  if constexpr (kind == PayloadKind::int32) return static_cast<int64_t>(static_cast<int32_t>(bits));
  return bits;
}

Cell end_of_range(const Context&, const Ranges& r, size_t row) { return r.end[row]; }

Cell type_of_range(const Context&, const Ranges& r, size_t row) {
  const bool start_end = !r.style.empty() && r.style[row] == static_cast<uint8_t>(RangeStyle::start_end);
  return start_end ? kStartEnd : kPushPop;
}

Cell end_thread_of(const Context& c, const Ranges& r, size_t row) {
  if (r.end_thread.empty() || r.end_thread[row] == r.thread[row]) return {};
  return c.ids.thread(r.end_thread[row]);
}

std::string quoted(std::string_view text) {
  std::string json = "\"";
  for (const char ch : text) {
    if (ch == '"' || ch == '\\') json += '\\';
    if (static_cast<unsigned char>(ch) >= 0x20) json += ch;
  }
  return json + '"';
}

template <typename Table>
const Payload* binary_payload(const Table& table, size_t row) {
  return table.payloads.empty() || table.payloads[row].schema == 0 ? nullptr : &table.payloads[row];
}

/// A payload's bytes behind a head of 32 bytes, as Nsight Systems writes them where it is asked to: domain, schema,
/// bytes of the payload and of all, 64 bits each.
template <typename Table>
Cell bytes_of(const Context& c, const Table& table, size_t row) {
  const Payload* const payload = binary_payload(table, row);
  if (payload == nullptr) return {};
  static thread_local std::string bytes;
  const uint64_t size = payload->bytes.size();
  const auto domain = static_cast<uint64_t>(c.domain_ids[table.domain[row]]);
  constexpr size_t kHeads = 4;
  const std::array<uint64_t, kHeads> head = {domain, payload->schema, size, size + sizeof(uint64_t) * kHeads};
  bytes.assign(reinterpret_cast<const char*>(head.data()), sizeof head);
  bytes += payload->bytes;
  return Cell::of_bytes(bytes);
}

/// What a payload says.
template <typename Table>
Cell text_of_payload(const Context&, const Table& table, size_t row) {
  const Payload* const payload = binary_payload(table, row);
  return payload == nullptr || payload->json.empty() ? Cell() : Cell(payload->json);
}

/// What a framework says of an operator beside its name, under the framework's own keys.
Cell json_of(const Context& c, const Ranges& r, size_t row) {
  if (const Cell text = text_of_payload(c, r, row); text.kind != Cell::Kind::null) return text;
  static thread_local std::string json;
  json.clear();
  if (!r.sequence.empty() && r.sequence[row] != kUnknown)
    json += fmt::format("\"Sequence number\":{}", r.sequence[row]);
  if (!r.shapes.empty() && r.shapes[row] != kNone) {
    json += fmt::format("{}\"Input Dims\":{}", json.empty() ? "" : ",",
                        quoted(line_of(c.trace.name(r.shapes[row]), InputLine::shapes)));
  }
  if (json.empty()) return {};
  json = '{' + json + '}';
  return std::string_view(json);
}

using RangeColumn = ColumnOf<Ranges>;
constexpr std::array kRangeColumns = {
    RangeColumn{"start", {}, start_of<Ranges>},
    RangeColumn{"end", {}, end_of_range},
    RangeColumn{"eventType", {}, type_of_range},
    RangeColumn{"category", {}, category_of<Ranges>},
    RangeColumn{"color", {}, [](const Context&, const Ranges& r, size_t row) { return cell(r.color, row); }},
    RangeColumn{"text", {}, text_of<Ranges>},
    RangeColumn{"globalTid", {}, thread_of<Ranges>},
    RangeColumn{"endGlobalTid", {}, end_thread_of},
    RangeColumn{"domainId", {}, domain_of<Ranges>},
    RangeColumn{"uint64Value", {}, payload_of<PayloadKind::uint64>},
    RangeColumn{"int64Value", {}, payload_of<PayloadKind::int64>},
    RangeColumn{"doubleValue", {}, payload_of<PayloadKind::real64>},
    RangeColumn{"uint32Value", {}, payload_of<PayloadKind::uint32>},
    RangeColumn{"int32Value", {}, payload_of<PayloadKind::int32>},
    RangeColumn{"floatValue", {}, payload_of<PayloadKind::real32>},
    RangeColumn{"jsonText", {}, json_of},
    RangeColumn{"binaryData", {}, bytes_of<Ranges>},
};

using MarkColumn = ColumnOf<Marks>;
constexpr std::array kMarkColumns = {
    MarkColumn{"start", {}, start_of<Marks>},
    MarkColumn{"eventType", {}, [](const Context&, const Marks&, size_t) { return Cell(kMark); }},
    MarkColumn{"category", {}, category_of<Marks>},
    MarkColumn{"color", {}, [](const Context&, const Marks& m, size_t row) { return cell(m.color, row); }},
    MarkColumn{"text", {}, text_of<Marks>},
    MarkColumn{"globalTid", {}, thread_of<Marks>},
    MarkColumn{"domainId", {}, domain_of<Marks>},
    MarkColumn{"uint64Value", {}, payload_of<PayloadKind::uint64>},
    MarkColumn{"int64Value", {}, payload_of<PayloadKind::int64>},
    MarkColumn{"doubleValue", {}, payload_of<PayloadKind::real64>},
    MarkColumn{"uint32Value", {}, payload_of<PayloadKind::uint32>},
    MarkColumn{"int32Value", {}, payload_of<PayloadKind::int32>},
    MarkColumn{"floatValue", {}, payload_of<PayloadKind::real32>},
    MarkColumn{"jsonText", {}, text_of_payload<Marks>},
    MarkColumn{"binaryData", {}, bytes_of<Marks>},
};

/// A domain as one thread of a process that uses it would have made it.
struct DomainUse {
  int64_t start;
  ThreadId thread;
  DomainId domain;
};
using DomainUses = std::vector<DomainUse>;

using DomainColumn = ColumnOf<DomainUses>;
constexpr std::array kDomainColumns = {
    DomainColumn{"start", {}, [](const Context&, const DomainUses& u, size_t row) { return Cell(u[row].start); }},
    DomainColumn{"eventType", {}, [](const Context&, const DomainUses&, size_t) { return Cell(kDomainCreate); }},
    DomainColumn{"text",
                 {},
                 [](const Context& c, const DomainUses& u, size_t row) {
                   return Cell(domain_name(c.trace, c.trace.domains[u[row].domain]));
                 }},
    DomainColumn{"globalTid",
                 {},
                 [](const Context& c, const DomainUses& u, size_t row) { return Cell(c.ids.thread(u[row].thread)); }},
    DomainColumn{"domainId",
                 {},
                 [](const Context& c, const DomainUses& u, size_t row) { return Cell(c.domain_ids[u[row].domain]); }},
};

/// Whether a domain has a name that its process was not said to have yet.
bool is_new_use(const Context& c, boost::unordered_flat_set<uint64_t>& seen, const DomainUse& use) {
  if (use.domain == kNoDomain || c.domain_ids[use.domain] == 0 || use.thread == kNone) return false;
  const uint64_t process = c.trace.threads[use.thread].process;
  const auto number = static_cast<uint64_t>(c.domain_ids[use.domain]);
  return seen.insert(process << 32U | number).second;
}

/// The first use of each named domain in each process, where that is not in `seen` yet.
DomainUses domain_uses(const Context& c, boost::unordered_flat_set<uint64_t>& seen) {
  DomainUses uses;
  const auto note = [&](const auto& table) {
    for (size_t row = 0; row < table.domain.size(); ++row) {
      const DomainUse use{table.start[row], table.thread[row], table.domain[row]};
      if (is_new_use(c, seen, use)) uses.push_back(use);
    }
  };
  note(c.trace.ranges);
  note(c.trace.marks);
  return uses;
}

using Categories = std::vector<Category>;
using CategoryColumn = ColumnOf<Categories>;
constexpr std::array kCategoryColumns = {
    CategoryColumn{"start", {}, [](const Context&, const Categories& all, size_t row) { return Cell(all[row].start); }},
    CategoryColumn{"eventType", {}, [](const Context&, const Categories&, size_t) { return Cell(kCategory); }},
    CategoryColumn{"category",
                   {},
                   [](const Context&, const Categories& all, size_t row) { return Cell(int64_t{all[row].number}); }},
    CategoryColumn{
        "text",
        {},
        [](const Context& c, const Categories& all, size_t row) { return Cell(c.trace.name(all[row].name)); }},
    CategoryColumn{
        "globalTid",
        {},
        [](const Context& c, const Categories& all, size_t row) { return Cell(c.ids.thread(all[row].thread)); }},
    CategoryColumn{
        "domainId",
        {},
        [](const Context& c, const Categories& all, size_t row) { return Cell(c.domain_ids[all[row].domain]); }},
};

Status write_categories(Output& out, const Context& c) {
  const Categories& all = c.trace.categories;
  DomainUses uses;
  for (const Category& category : all) {
    const DomainUse use{category.start, category.thread, category.domain};
    if (is_new_use(c, out.domains, use)) uses.push_back(use);
  }
  SONDE_TRY(write_rows<DomainUses>(out, kNvtx, kDomainColumns, c, uses, uses.size()));
  return write_rows<Categories>(out, kNvtx, kCategoryColumns, c, all, all.size());
}

std::string_view default_name(DomainKind kind) {
  switch (kind) {
    case DomainKind::nvtx:
    case DomainKind::annotation: return "";
    case DomainKind::op: return "torch.operator";
    case DomainKind::module: return "torch.module";
    case DomainKind::python: return "torch.python";
  }
  return "";
}

}  // namespace

std::string_view domain_name(const Trace& trace, const Domain& domain) {
  const std::string_view name = trace.name(domain.name);
  return name.empty() ? default_name(domain.kind) : name;
}

std::vector<int64_t> number_domains(const Trace& trace) {
  std::vector<std::string_view> names{""};
  std::vector<int64_t> numbers;
  for (const Domain& d : trace.domains) {
    const std::string_view name = domain_name(trace, d);
    const auto found = std::ranges::find(names, name);
    numbers.push_back(found - names.begin());
    if (found == names.end()) names.push_back(name);
  }
  return numbers;
}

Status write_range_definitions(Output& out, const Context& c) {
  SONDE_TRY(write_categories(out, c));
  return write_payload_schemas(out, c);
}

Status write_ranges(Output& out, const Context& c) {
  const DomainUses uses = domain_uses(c, out.domains);
  SONDE_TRY(write_rows<DomainUses>(out, kNvtx, kDomainColumns, c, uses, uses.size()));
  SONDE_TRY(write_rows<Ranges>(out, kNvtx, kRangeColumns, c, c.trace.ranges, row_count(c.trace.ranges)));
  return write_rows<Marks>(out, kNvtx, kMarkColumns, c, c.trace.marks, row_count(c.trace.marks));
}

}  // namespace sonde::nsys_export
