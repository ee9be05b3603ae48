#include "importers/pytorch/merge.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "base/files/json_scan.h"
#include "base/system/parallel.h"
#include "importers/pytorch/entities.h"
#include "importers/pytorch/flows.h"
#include "importers/pytorch/owners.h"
#include "trace/columns.h"
#include "trace/kernel_name.h"

namespace sonde::pytorch {
namespace {

/// What the ids of one piece mean in the trace.
struct Meaning {
  std::vector<NameId> names;
  std::vector<NameId> inputs;
  std::vector<ThreadId> threads;
  std::vector<uint32_t> collectives;
  const std::vector<StreamKey>* streams = nullptr;

  [[nodiscard]] NameId name(uint32_t id) const { return id == kNone ? kNone : names[id]; }
  [[nodiscard]] NameId input(uint32_t id) const { return id == kNone ? kNone : inputs[id]; }
  [[nodiscard]] ThreadId thread(uint32_t id) const { return id == kNone ? kNone : threads[id]; }
  [[nodiscard]] Number number(Number n) const {
    return is_text(n) ? kTextPid + names[static_cast<size_t>(n - kTextPid)] : n;
  }
};

template <typename T>
constexpr T absent() {
  if constexpr (std::is_same_v<T, int64_t>) return kUnknown;
  if constexpr (std::is_same_v<T, int32_t>) return kUnknown32;
  if constexpr (std::is_same_v<T, uint32_t>) return kNone;
  if constexpr (std::is_same_v<T, uint8_t>) return 255;
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
  return T{};
}

/// Fills a column that only other ranks have, up to the length of the table.
template <typename Table>
void fill_absent(Table& table) {
  std::apply(
      [&](auto&... column) {
        const auto fill = [&]<typename T>(std::vector<T>& c) {
          if (!c.empty()) c.resize(table.start.size(), absent<T>());
        };
        (fill(column), ...);
      },
      table.columns());
}

class Merger {
 public:
  Merger(std::span<Piece> pieces, const Fields& fields, int64_t origin, Trace& trace)
      : pieces_(pieces),
        fields_(fields),
        origin_(origin),
        trace_(trace),
        entities_(trace, static_cast<RankId>(trace.ranks.size() - 1)) {}

  void run() {
    for (const Piece& piece : pieces_) meanings_.push_back(meaning(piece));
    place_streams();
    name_entities();
    short_kernel_names();
    plan();
    run_together(columns_);
    for_each_table(trace_, [](auto& table, std::string_view) { fill_absent(table); });
    follow_flows();
  }

 private:
  // What the ids of a piece mean.

  Meaning meaning(const Piece& piece) {
    Meaning m;
    for (const std::string_view raw : piece.names.texts()) m.names.push_back(intern(raw));
    for (const OperatorLists& lists : piece.inputs.keys()) m.inputs.push_back(intern_inputs(lists, piece.lists));
    for (const auto& [pid, tid] : piece.threads.keys()) {
      m.threads.push_back(entities_.thread({m.number(pid), m.number(tid)}));
    }
    for (const Collective& c : piece.collectives) m.collectives.push_back(collective(c, m));
    m.streams = &piece.streams.keys();
    return m;
  }

  NameId intern(std::string_view raw) {
    return trace_.names.intern(raw.contains('\\') ? std::string_view(unescaped_ = unescape_json(raw)) : raw);
  }

  /// Shapes, and below them types and values if the trace has one of them.
  NameId intern_inputs(const OperatorLists& lists, const LocalNames& raw) {
    const auto line = [&](size_t i) {
      return lists.at(i) == kNone ? std::string() : one_line_json(raw.texts()[lists.at(i)]);
    };
    std::string text = line(0);
    if (lists[1] != kNone || lists[2] != kNone) text += "\n" + line(1) + "\n" + line(2);
    return trace_.names.intern(text);
  }

  uint32_t collective(Collective c, const Meaning& m) {
    for (NameId* id : {&c.name, &c.dtype, &c.group, &c.group_ranks}) *id = m.name(*id);
    const auto found = std::ranges::find(trace_.collectives, c);
    const auto row = static_cast<uint32_t>(found - trace_.collectives.begin());
    if (found == trace_.collectives.end()) trace_.collectives.push_back(c);
    return row;
  }

  // Streams, names.

  void place_streams() {
    if (std::ranges::all_of(pieces_, [](const Piece& p) { return p.streams.keys().empty(); })) return;
    std::vector<std::vector<ThreadId>> threads;
    for (const Meaning& m : meanings_) threads.push_back(m.threads);
    owners_.emplace(pieces_, threads, trace_, entities_);
    place_streams_of(&Piece::kernels);
    place_streams_of(&Piece::copies);
    place_streams_of(&Piece::sets);
    place_streams_of(&Piece::syncs);
    place_streams_of(&Piece::cuda_events);
    trace_.log.add(Issue::unknown_device, {}, entities_.streams_on_unknown_devices());
  }

  template <typename R>
  void place_streams_of(std::vector<R> Piece::* rows) {
    for (Piece& piece : pieces_) {
      for (R& row : piece.*rows) {
        const StreamKey& key = piece.streams.keys()[row.stream];
        row.stream = entities_.stream(owners_->owner(row, key), key);
      }
    }
  }

  void name_entities() {
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const Meaning& m = meanings_[i];
      for (const NameRow& row : pieces_[i].thread_names) {
        if (row.of_thread) {
          entities_.name_thread({m.number(row.pid), m.number(row.tid)}, m.name(row.text));
        } else {
          entities_.name_process(m.number(row.pid), m.name(row.text));
        }
      }
      for (const auto& [key, priority] : pieces_[i].priorities) entities_.set_priority(key, priority);
    }
  }

  void short_kernel_names() {
    if (!fields_.has(Field::kernel_short_names)) return;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      for (const KernelRow& row : pieces_[i].kernels) {
        const NameId name = meanings_[i].name(row.name);
        const auto [at, fresh] = short_names_.try_emplace(name, kNone);
        if (fresh) at->second = trace_.names.intern(std::string(short_kernel_name(trace_.name(name))));
      }
    }
  }

  // Columns. Each is filled on its own, so that several can be at once.

  template <typename T, typename R, typename Get>
  void column(std::vector<T>& column, std::vector<R> Piece::* rows, size_t before, Get get) {
    columns_.emplace_back([this, &column, rows, before, get] {
      size_t count = before;
      for (const Piece& piece : pieces_) count += (piece.*rows).size();
      reserve_column(column, count);
      column.resize(before, absent<T>());
      for (size_t i = 0; i < pieces_.size(); ++i) {
        const Meaning& m = meanings_[i];
        for (const R& row : pieces_[i].*rows) column.push_back(static_cast<T>(get(row, m)));
      }
    });
  }

  template <typename Table, typename R>
  void times(Table& table, std::vector<R> Piece::* rows, size_t before) {
    column(table.start, rows, before, [this](const R& r, const Meaning&) { return r.start - origin_; });
    if constexpr (requires { table.end; }) {
      column(table.end, rows, before, [this](const R& r, const Meaning&) { return r.end - origin_; });
    }
  }

  template <typename R>
  void gpu(GpuOps& ops, std::vector<R> Piece::* rows, size_t before) {
    times(ops, rows, before);
    if (fields_.has(Field::streams)) {
      column(ops.stream, rows, before, [](const R& r, const Meaning&) { return r.stream; });
    }
    if (fields_.has(Field::launches)) {
      column(ops.correlation, rows, before, [](const R& r, const Meaning&) { return r.correlation; });
    }
  }

  void plan() {
    plan_kernels();
    plan_other_gpu_work();
    plan_calls(trace_.api, &Piece::api);
    plan_calls(trace_.overheads, &Piece::overheads);
    plan_ranges();
    plan_marks();
    plan_allocations();
    plan_counters();
  }

  void plan_kernels() {
    if (!fields_.has(Field::kernels)) return;
    Kernels& t = trace_.kernels;
    const size_t before = t.start.size();
    const auto add = [&](auto& c, auto get) { column(c, &Piece::kernels, before, get); };
    gpu(t, &Piece::kernels, before);
    add(t.name, [](const KernelRow& r, const Meaning& m) { return m.name(r.name); });
    if (fields_.has(Field::kernel_mangled_names)) {
      add(t.mangled_name, [](const KernelRow& r, const Meaning& m) { return m.name(r.name); });
    }
    if (fields_.has(Field::kernel_short_names)) {
      add(t.short_name, [this](const KernelRow& r, const Meaning& m) { return short_names_.at(m.name(r.name)); });
    }
    if (fields_.has(Field::kernel_grid)) {
      add(t.grid, [](const KernelRow& r, const Meaning&) { return r.grid; });
      add(t.block, [](const KernelRow& r, const Meaning&) { return r.block; });
    }
    if (!fields_.has(Field::kernel_resources)) return;
    add(t.registers, [](const KernelRow& r, const Meaning&) { return r.registers; });
    add(t.shared_bytes, [](const KernelRow& r, const Meaning&) { return r.shared_bytes; });
    add(t.graph_node, [](const KernelRow& r, const Meaning&) { return r.graph_node; });
    add(t.occupancy_percent, [](const KernelRow& r, const Meaning&) { return r.occupancy; });
    add(t.collective, [](const KernelRow& r, const Meaning& m) {
      return r.collective == kNone ? kNone : m.collectives[r.collective];
    });
  }

  void plan_other_gpu_work() {
    const size_t copies = trace_.copies.start.size();
    gpu(trace_.copies, &Piece::copies, copies);
    const auto copy = [&](auto& c, auto get) { column(c, &Piece::copies, copies, get); };
    copy(trace_.copies.bytes, [](const CopyRow& r, const Meaning&) { return r.bytes; });
    copy(trace_.copies.kind, [](const CopyRow& r, const Meaning&) { return r.shape.kind; });
    copy(trace_.copies.source, [](const CopyRow& r, const Meaning&) { return r.shape.source; });
    copy(trace_.copies.destination, [](const CopyRow& r, const Meaning&) { return r.shape.destination; });

    const size_t sets = trace_.sets.start.size();
    gpu(trace_.sets, &Piece::sets, sets);
    column(trace_.sets.bytes, &Piece::sets, sets, [](const SetRow& r, const Meaning&) { return r.bytes; });
    column(trace_.sets.memory, &Piece::sets, sets, [](const SetRow& r, const Meaning&) { return r.memory; });

    const size_t syncs = trace_.syncs.start.size();
    gpu(trace_.syncs, &Piece::syncs, syncs);
    column(trace_.syncs.kind, &Piece::syncs, syncs, [](const SyncRow& r, const Meaning&) { return r.kind; });
    column(trace_.syncs.event, &Piece::syncs, syncs, [](const SyncRow& r, const Meaning&) { return r.event; });

    CudaEvents& events = trace_.cuda_events;
    const size_t before = events.start.size();
    const auto event = [&](auto& c, auto get) { column(c, &Piece::cuda_events, before, get); };
    times(events, &Piece::cuda_events, before);
    event(events.stream, [](const CudaEventRow& r, const Meaning&) { return r.stream; });
    event(events.correlation, [](const CudaEventRow& r, const Meaning&) { return r.correlation; });
    event(events.event, [](const CudaEventRow& r, const Meaning&) { return r.event; });
  }

  void plan_calls(Calls& t, std::vector<CallRow> Piece::* rows) {
    const size_t before = t.start.size();
    const auto add = [&](auto& c, auto get) { column(c, rows, before, get); };
    times(t, rows, before);
    add(t.name, [](const CallRow& r, const Meaning& m) { return m.name(r.name); });
    add(t.thread, [](const CallRow& r, const Meaning& m) { return m.thread(r.thread); });
    add(t.call_class, [](const CallRow& r, const Meaning&) { return r.call_class; });
    if (!fields_.has(Field::launches)) return;
    add(t.correlation, [](const CallRow& r, const Meaning&) { return r.correlation; });
  }

  void plan_ranges() {
    for (const Piece& piece : pieces_) {
      for (const RangeRow& row : piece.ranges) {
        DomainId& domain = domains_.at(static_cast<size_t>(row.kind));
        if (domain == kNoDomain) domain = entities_.domain(row.kind);
      }
    }
    Ranges& t = trace_.ranges;
    const size_t before = first_range_ = t.start.size();
    const auto add = [&](auto& c, auto get) { column(c, &Piece::ranges, before, get); };
    times(t, &Piece::ranges, before);
    add(t.name, [](const RangeRow& r, const Meaning& m) { return m.name(r.name); });
    add(t.thread, [](const RangeRow& r, const Meaning& m) { return m.thread(r.thread); });
    add(t.end_thread, [](const RangeRow& r, const Meaning& m) { return m.thread(r.thread); });
    add(t.domain, [this](const RangeRow& r, const Meaning&) { return domains_.at(static_cast<size_t>(r.kind)); });
    add(t.style, [](const RangeRow&, const Meaning&) { return RangeStyle::push_pop; });
    if (!fields_.has(Field::range_links) && !fields_.has(Field::range_details)) return;
    add(t.backward, [](const RangeRow& r, const Meaning&) { return r.backward; });
    add(t.sequence, [](const RangeRow& r, const Meaning&) { return r.sequence; });
    add(t.shapes, [](const RangeRow& r, const Meaning& m) { return m.input(r.inputs); });
  }

  void plan_marks() {
    const bool any = std::ranges::any_of(pieces_, [](const Piece& p) { return !p.marks.empty(); });
    if (!any) return;
    const DomainId domain = entities_.domain(DomainKind::annotation);
    Marks& t = trace_.marks;
    const size_t before = t.start.size();
    times(t, &Piece::marks, before);
    column(t.name, &Piece::marks, before, [](const MarkRow& r, const Meaning& m) { return m.name(r.name); });
    column(t.thread, &Piece::marks, before, [](const MarkRow& r, const Meaning& m) { return m.thread(r.thread); });
    column(t.domain, &Piece::marks, before, [domain](const MarkRow&, const Meaning&) { return domain; });
  }

  void plan_allocations() {
    Allocations& t = trace_.allocations;
    const size_t before = t.start.size();
    const auto add = [&](auto& c, auto get) { column(c, &Piece::allocations, before, get); };
    using R = AllocationRow;
    times(t, &Piece::allocations, before);
    add(t.process, [this](const R& r, const Meaning& m) { return trace_.threads[m.thread(r.thread)].process; });
    add(t.device, [](const R& r, const Meaning&) { return r.device; });
    add(t.thread, [](const R& r, const Meaning& m) { return m.thread(r.thread); });
    add(t.kind,
        [](const R& r, const Meaning&) { return r.bytes < 0 ? AllocationKind::release : AllocationKind::allocate; });
    add(t.memory, [](const R& r, const Meaning&) { return r.on_host ? MemoryKind::absent : MemoryKind::device; });
    add(t.bytes, [](const R& r, const Meaning&) { return std::abs(r.bytes); });
    add(t.address, [](const R& r, const Meaning&) { return r.address; });
    add(t.total_bytes, [](const R& r, const Meaning&) { return r.total; });
    add(t.reserved_bytes, [](const R& r, const Meaning&) { return r.reserved; });
    add(t.name, [](const R&, const Meaning&) { return kNone; });
    add(t.correlation, [](const R&, const Meaning&) { return 0U; });
  }

  void plan_counters() {
    CounterValues& t = trace_.counter_values;
    const size_t before = t.start.size();
    for (size_t i = 0; i < pieces_.size(); ++i) {
      for (CounterRow& row : pieces_[i].counter_values) row.name = counter(row, meanings_[i]);
    }
    times(t, &Piece::counter_values, before);
    column(t.counter, &Piece::counter_values, before, [](const CounterRow& r, const Meaning&) { return r.name; });
    column(t.value, &Piece::counter_values, before, [](const CounterRow& r, const Meaning&) { return r.value; });
  }

  /// The counter that a row belongs to: one for each name, series and process.
  uint32_t counter(const CounterRow& row, const Meaning& m) {
    const std::string_view name = trace_.name(m.name(row.name));
    const std::string_view series = trace_.name(m.name(row.series));
    const bool plain = series.empty() || series == "value" || series == name;
    const NameId full = trace_.names.intern(plain ? std::string(name) : fmt::format("{} {}", name, series));
    const auto id = static_cast<uint32_t>(trace_.counters.size());
    const auto [at, fresh] = counters_.try_emplace({full, m.number(row.pid)}, id);
    if (fresh) {
      Counter counter;
      counter.name = full;
      counter.rank = static_cast<RankId>(trace_.ranks.size() - 1);
      trace_.counters.push_back(counter);
    }
    return at->second;
  }

  void follow_flows() {
    std::vector<FlowEnd> ends;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      for (const FlowRow& row : pieces_[i].flows) {
        ends.push_back({row.id, row.time - origin_, meanings_[i].thread(row.thread), row.end});
      }
    }
    apply_flows(ends, first_range_, trace_);
  }

  std::span<Piece> pieces_;
  const Fields& fields_;
  int64_t origin_;
  Trace& trace_;
  Entities entities_;
  std::optional<Owners> owners_;
  std::vector<Meaning> meanings_;
  std::string unescaped_;
  boost::unordered_flat_map<NameId, NameId> short_names_;
  boost::unordered_flat_map<std::pair<NameId, Number>, uint32_t> counters_;
  std::array<DomainId, 5> domains_{kNoDomain, kNoDomain, kNoDomain, kNoDomain, kNoDomain};
  size_t first_range_ = 0;
  std::vector<std::function<void()>> columns_;
};

}  // namespace

void merge(std::span<Piece> pieces, const Fields& fields, int64_t origin, Trace& trace) {
  Merger(pieces, fields, origin, trace).run();
}

}  // namespace sonde::pytorch
