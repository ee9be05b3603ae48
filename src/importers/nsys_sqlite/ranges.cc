#include <array>
#include <bit>
#include <cstring>

#include "importers/nsys/fields.h"
#include "importers/nsys/rules.h"
#include "importers/nsys/tables.h"

/// NVTX_EVENTS: ranges, marks, and the names of domains and categories.
namespace sonde::nsys {
namespace {

/// The columns of NVTX_EVENTS, and how a row of each kind is read.
class NvtxCells {
 public:
  NvtxCells(const NsysFile& file, TableQuery& q)
      : ranges_(file.wants(Field::ranges)),
        marks_(file.wants(Field::marks)),
        details_(file.wants(Field::range_details)),
        start_(q.column("start")),
        end_(q.column("end")),
        type_(q.column("eventType")),
        text_(q.column("text")),
        text_id_(q.column("textId")),
        thread_(q.column("globalTid")),
        end_thread_(q.column("endGlobalTid")),
        domain_(q.column("domainId")),
        category_(q.column_if(details_, "category")),
        color_(q.column_if(details_, "color")),
        json_(q.column_if(details_, "jsonText")),
        binary_(q.column_if(details_, "binaryData")) {
    if (!details_) return;
    payloads_ = {{PayloadKind::uint64, q.column("uint64Value")}, {PayloadKind::int64, q.column("int64Value")},
                 {PayloadKind::real64, q.column("doubleValue")}, {PayloadKind::uint32, q.column("uint32Value")},
                 {PayloadKind::int32, q.column("int32Value")},   {PayloadKind::real32, q.column("floatValue")}};
  }

  void read(auto& row, NvtxPart& part) const {
    switch (row.integer(type_, 0)) {
      case kPushPop:
      case kExtendedPushPop: return read_range(row, part, RangeStyle::push_pop);
      case kStartEnd:
      case kExtendedStartEnd: return read_range(row, part, RangeStyle::start_end);
      case kMark: return read_mark(row, part);
      case kDomainCreate: return read_domain_name(row, part);
      case kCategory: return read_category_name(row, part);
      default: return;  // thread and resource names: nothing that happens in time
    }
  }

 private:
  [[nodiscard]] uint64_t thread_of(auto& row) const { return static_cast<uint64_t>(row.integer(thread_, 0)); }
  [[nodiscard]] DomainKey domain_of(auto& row) const {
    return {thread_of(row) & ~uint64_t{0xFFFFFF}, row.integer(domain_, 0)};
  }
  /// Inline text comes before a registered string.
  [[nodiscard]] NameId name_of(auto& row, NvtxPart& part) const {
    if (row.is_null(text_)) return row.string_id(text_id_);
    return part.texts.intern(row.text(text_)) | kInlineText;
  }

  void read_range(auto& row, NvtxPart& part, RangeStyle style) const {
    if (!ranges_) return;
    Ranges& r = part.rows;
    row.put(start_, r.start, int64_t{0});
    r.end.push_back(row.integer(end_, kUnknown));
    r.name.push_back(name_of(row, part));
    r.thread.push_back(part.threads.id(thread_of(row)));
    r.domain.push_back(static_cast<DomainId>(part.domains.id(domain_of(row))));
    r.style.push_back(static_cast<uint8_t>(style));
    read_end_thread(row, part, style);
    if (details_) read_details(row, r);
  }

  /// Most files have push/pop ranges only, which end where they began: the column exists from the first range on that
  /// does not.
  void read_end_thread(auto& row, NvtxPart& part, RangeStyle style) const {
    Ids& column = part.rows.end_thread;
    if (style == RangeStyle::push_pop && column.empty()) return;
    column.resize(part.rows.start.size() - 1, kNone);
    const int64_t ended_on = style == RangeStyle::start_end ? row.integer(end_thread_, 0) : 0;
    column.push_back(ended_on == 0 ? kNone : part.threads.id(static_cast<uint64_t>(ended_on)));
  }

  [[nodiscard]] static int64_t bits_of(auto& row, PayloadKind kind, const auto& cell) {
    if (kind == PayloadKind::real64) return std::bit_cast<int64_t>(row.real(cell, 0));
    if (kind == PayloadKind::real32) return std::bit_cast<int32_t>(static_cast<float>(row.real(cell, 0)));
    return row.integer(cell, 0);
  }

  /// Of ranges and marks.
  template <typename Table>
  void read_details(auto& row, Table& r) const {
    row.put(category_, r.category, kNone);
    row.put(color_, r.color, kUnknown);
    PayloadKind kind = PayloadKind::none;
    int64_t bits = 0;
    for (const auto& [candidate, cell] : payloads_) {
      if (row.is_null(cell)) continue;
      kind = candidate;
      bits = bits_of(row, kind, cell);
      break;
    }
    r.payload_kind.push_back(static_cast<uint8_t>(kind));
    r.payload.push_back(bits);
    read_payload(row, r.payloads, r.start.size());
  }

  /// Its bytes stand behind a head of four numbers: domain, schema, bytes, bytes with the head. The column exists from
  /// the first payload on.
  void read_payload(auto& row, Payloads& column, size_t rows) const {
    constexpr size_t kHeads = 4;
    const std::string_view bytes = row.is_null(binary_) ? std::string_view() : row.text(binary_);
    std::array<uint64_t, kHeads> head{};
    if (bytes.size() >= sizeof head) std::memcpy(head.data(), bytes.data(), sizeof head);
    const auto [domain, schema, payload_bytes, all_bytes] = head;
    const bool is_whole = all_bytes == bytes.size() && payload_bytes == bytes.size() - sizeof head;
    if (column.empty() && (bytes.empty() || !is_whole)) return;
    column.resize(rows);
    if (!bytes.empty() && is_whole) {
      column.back() = {schema, std::string(bytes.substr(sizeof head)), std::string(row.text(json_))};
    }
  }

  void read_mark(auto& row, NvtxPart& part) const {
    if (!marks_) return;
    Marks& m = part.marks;
    row.put(start_, m.start, int64_t{0});
    m.name.push_back(name_of(row, part));
    m.thread.push_back(part.threads.id(thread_of(row)));
    m.domain.push_back(static_cast<DomainId>(part.domains.id(domain_of(row))));
    if (details_) read_details(row, m);
  }

  void read_category_name(auto& row, NvtxPart& part) const {
    if (!details_) return;
    part.categories.push_back({thread_of(row), domain_of(row), row.integer(start_, 0),
                               fit(row.integer(category_, kUnknown), 0U), std::string(row.text(text_))});
  }

  void read_domain_name(auto& row, NvtxPart& part) const {
    part.domain_names.push_back({domain_of(row), std::string(row.text(text_))});
  }

  bool ranges_, marks_, details_;
  Cell start_, end_, type_, text_, text_id_, thread_, end_thread_, domain_, category_, color_, json_, binary_;
  std::vector<std::pair<PayloadKind, Cell>> payloads_;
};

}  // namespace

void read_ranges(NsysFile& file) {
  TableQuery query = file.query("NVTX_EVENTS");
  if (!query.exists() || (!file.wants(Field::ranges) && !file.wants(Field::marks))) return;
  const NvtxCells cells(file, query);
  auto parts = file.scan<NvtxPart>(query, [&](auto& row, NvtxPart& part) { cells.read(row, part); });
  append_ranges(file, parts);
}

}  // namespace sonde::nsys
