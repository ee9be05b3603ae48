#include "importers/torch_snapshot/torch_snapshot.h"

#include <algorithm>

#include "base/files/file.h"
#include "importers/torch_snapshot/free_pieces.h"
#include "importers/torch_snapshot/snapshot.h"
#include "importers/torch_snapshot/stacks.h"
#include "trace/align.h"
#include "trace/columns.h"
#include "trace/memory_shortage.h"

/// Memory snapshots of PyTorch (torch.cuda.memory._dump_snapshot()). Its allocator's calls become allocations; their
/// stacks are those of library calls with the same correlation id.
namespace sonde {
namespace torch_snapshot {
namespace {

/// Of a history without times: its order is all that is known of it.
constexpr int64_t kStepNs = 1000;
/// Above those that CUPTI gives to the calls of a process in hours.
constexpr uint32_t kFirstCorrelation = uint32_t{1} << 30;
/// A program that runs out of memory may try again for hours.
constexpr size_t kMaxMeasuredShortages = 64;

/// When each entry of a device happened, `base_us` being the time `base_ns`; never before the entry ahead of it.
Times times_of(const std::vector<Entry>& entries, int64_t base_us, int64_t base_ns) {
  Times times;
  int64_t last = base_ns;
  for (const Entry& entry : entries) {
    const int64_t next = entry.time_us == kUnknown ? last + kStepNs : base_ns + (entry.time_us - base_us) * 1000;
    times.push_back(last = std::max(last, next));
  }
  return times;
}

/// The earliest time of all, kUnknown where there is none.
int64_t base_time_us(const Snapshot& snapshot) {
  int64_t base = kUnknown;
  const auto include = [&](int64_t time) {
    if (time != kUnknown) base = base == kUnknown ? time : std::min(base, time);
  };
  for (const OfDevice& device : snapshot.devices) {
    for (const Entry& entry : device.entries) include(entry.time_us);
  }
  for (const Annotation& annotation : snapshot.annotations) include(annotation.time_us);
  return base;
}

/// Bytes of a device; computed without a sign, since a file may claim any sizes.
struct Levels {
  uint64_t allocated = 0;
  uint64_t reserved = 0;

  void undo(const Entry& entry) {
    const auto bytes = static_cast<uint64_t>(entry.bytes);
    switch (entry.action) {
      case Action::alloc: allocated -= bytes; break;
      case Action::free_requested: allocated += bytes; break;
      case Action::segment_alloc:
      case Action::segment_map: reserved -= bytes; break;
      case Action::segment_free:
      case Action::segment_unmap: reserved += bytes; break;
      default: break;
    }
  }
};

Levels levels_at_end(const OfDevice& device) {
  Levels levels;
  for (const Segment& segment : device.segments) {
    levels.reserved += static_cast<uint64_t>(segment.bytes);
    for (const Block& block : segment.blocks) {
      if (block.allocated) levels.allocated += static_cast<uint64_t>(block.requested_bytes);
    }
  }
  return levels;
}

/// The levels after each entry, from what the snapshot shows at its end. A history that does not fit it has none.
std::vector<Levels> levels_of(const OfDevice& device, Levels& before) {
  std::vector<Levels> levels(device.entries.size());
  Levels now = levels_at_end(device);
  for (size_t i = device.entries.size(); i-- > 0;) {
    levels[i] = now;
    now.undo(device.entries[i]);
  }
  before = now;
  const auto is_negative = [](const Levels& l) {
    return static_cast<int64_t>(l.allocated) < 0 || static_cast<int64_t>(l.reserved) < 0;
  };
  if (is_negative(before) || std::ranges::any_of(levels, is_negative)) levels.clear();
  return levels;
}

/// Where a snapshot's events go.
struct Target {
  ProcessId process = kNone;
  ThreadId thread = kNone;       ///< of calls, marks and annotations
  ThreadId allocations = kNone;  ///< the thread of allocations; kNone where it is unknown
  int64_t base_ns = 0;           ///< the trace's time of the snapshot's first entry
};

/// Writes what one snapshot says into a trace.
class Writer {
 public:
  Writer(const Pickle& pickle, const Snapshot& snapshot, const Fields& fields, const Target& target, Trace& trace)
      : snapshot_(snapshot),
        fields_(fields),
        target_(target),
        trace_(trace),
        stacks_(pickle, trace),
        base_us_(base_time_us(snapshot)) {}

  void write() {
    for (const OfDevice& device : snapshot_.devices) {
      times_ = times_of(device.entries, base_us_, target_.base_ns);
      levels_ = levels_of(device, before_);
      if (!device.entries.empty() && levels_.empty()) ++unfitting_;
      if (fields_.has(Field::allocations)) write_allocations(device);
      if (fields_.has(Field::marks)) write_shortages(device);
    }
    if (fields_.has(Field::ranges)) write_annotations();
    append_rows(trace_.allocations, std::move(rows_));
    append_rows(trace_.library_calls, std::move(calls_));
    note_times();
  }

 private:
  /// Blocks in use at the end whose allocation the history does not have, then the history.
  void write_allocations(const OfDevice& device) {
    write_earlier(device);
    for (size_t i = 0; i < device.entries.size(); ++i) {
      const Entry& entry = device.entries[i];
      if (entry.action != Action::alloc && entry.action != Action::free_requested) continue;
      const bool allocates = entry.action == Action::alloc;
      add_row(device.device, times_[i], allocates ? AllocationKind::allocate : AllocationKind::release, entry.bytes,
              entry.address);
      add_levels(levels_.empty() ? Levels() : levels_[i], !levels_.empty());
      add_stack(entry, times_[i]);
    }
  }

  /// Their thread and their time are unknown; they have a stack if the history was on, and has dropped their entry.
  /// Without one, the allocator's total tells of them, unless there is no history at all.
  void write_earlier(const OfDevice& device) {
    std::vector<const Block*> earlier = earlier_blocks(device);
    const bool has_totals = !levels_.empty() || device.entries.empty();
    if (!levels_.empty()) std::erase_if(earlier, [](const Block* block) { return !block->has_frames; });
    uint64_t allocated = before_.allocated;
    for (const Block* block : earlier) allocated -= static_cast<uint64_t>(block->requested_bytes);
    for (const Block* block : earlier) {
      allocated += static_cast<uint64_t>(block->requested_bytes);
      add_row(device.device, std::min<int64_t>(target_.base_ns, 0), AllocationKind::allocate, block->requested_bytes,
              block->address);
      rows_.thread.back() = kNone;
      add_levels({allocated, before_.reserved}, has_totals);
      add_stack(*block, std::min<int64_t>(target_.base_ns, 0));
    }
  }

  static std::vector<const Block*> earlier_blocks(const OfDevice& device) {
    boost::unordered_flat_map<int64_t, bool> in_use;  // by the history, at its end
    for (const Entry& entry : device.entries) {
      if (entry.action == Action::alloc) in_use[entry.address] = true;
      if (entry.action == Action::free_requested) in_use[entry.address] = false;
    }
    std::vector<const Block*> earlier;
    for (const Segment& segment : device.segments) {
      for (const Block& block : segment.blocks) {
        const auto found = in_use.find(block.address);
        if (block.allocated && (found == in_use.end() || !found->second)) earlier.push_back(&block);
      }
    }
    return earlier;
  }

  void add_row(int64_t device, int64_t time, AllocationKind kind, int64_t bytes, int64_t address) {
    rows_.start.push_back(time);
    rows_.process.push_back(target_.process);
    rows_.device.push_back(static_cast<int32_t>(device));
    rows_.thread.push_back(target_.allocations);
    rows_.kind.push_back(static_cast<uint8_t>(kind));
    rows_.memory.push_back(static_cast<uint8_t>(MemoryKind::device));
    rows_.bytes.push_back(bytes);
    rows_.address.push_back(address);
    rows_.name.push_back(kNone);
    rows_.correlation.push_back(0);
  }

  void add_levels(const Levels& levels, bool known) {
    rows_.total_bytes.push_back(known ? static_cast<int64_t>(levels.allocated) : kUnknown);
    rows_.reserved_bytes.push_back(known ? static_cast<int64_t>(levels.reserved) : kUnknown);
  }

  /// The stack is a part of the allocation, whether calls were asked for or not.
  template <typename Item>
  void add_stack(const Item& item, int64_t time) {
    if (!item.has_frames) return;
    const Stack stack = stacks_.of(item.frames);
    calls_.start.push_back(time);
    calls_.end.push_back(time);
    calls_.name.push_back(stack.op != kNone ? stack.op : trace_.names.intern("CUDACachingAllocator"));
    calls_.thread.push_back(target_.thread);
    calls_.call_class.push_back(static_cast<uint8_t>(CallClass::other_library));
    calls_.correlation.push_back(kFirstCorrelation + static_cast<uint32_t>(calls_.start.size()));
    calls_.chain.push_back(stack.chain);
    rows_.correlation.back() = calls_.correlation.back();
  }

  void write_shortages(const OfDevice& device) {
    const size_t count = static_cast<size_t>(std::ranges::count(device.entries, Action::oom, &Entry::action));
    if (count == 0) return;
    FreePieces pieces(device);
    std::vector<MemoryShortage> shortages;
    for (size_t i = device.entries.size(); i-- > 0;) {
      const Entry& entry = device.entries[i];
      if (entry.action == Action::oom) {
        shortages.push_back(shortage_of(device.device, i, entry));
        if (shortages.size() <= kMaxMeasuredShortages) shortages.back().largest_free_piece_bytes = pieces.largest();
      }
      pieces.undo(entry);
    }
    const DomainId domain = domain_of(kMemoryDomain, DomainKind::nvtx);
    std::ranges::reverse(shortages);
    for (const MemoryShortage& shortage : shortages) add_memory_shortage(trace_, shortage, domain, target_.thread);
  }

  [[nodiscard]] MemoryShortage shortage_of(int64_t device, size_t index, const Entry& entry) const {
    MemoryShortage shortage;
    shortage.time_ns = times_[index];
    shortage.process = target_.process;
    shortage.device = device;
    shortage.requested_bytes = entry.bytes;
    if (entry.gpu_free_bytes != kUnknown) shortage.gpu_free_bytes = entry.gpu_free_bytes;
    if (!levels_.empty()) {
      shortage.allocated_bytes = static_cast<int64_t>(levels_[index].allocated);
      shortage.reserved_bytes = static_cast<int64_t>(levels_[index].reserved);
    }
    return shortage;
  }

  DomainId domain_of(std::string_view name, DomainKind kind) {
    const NameId id = trace_.names.intern(name);
    const auto found =
        std::ranges::find_if(trace_.domains, [&](const Domain& d) { return d.name == id && d.kind == kind; });
    if (found != trace_.domains.end()) return static_cast<DomainId>(found - trace_.domains.begin());
    trace_.domains.push_back({id, kind});
    return static_cast<DomainId>(trace_.domains.size() - 1);
  }

  /// A begin and the next end of the same name are a range.
  void write_annotations() {
    if (snapshot_.annotations.empty()) return;
    const DomainId domain = domain_of("torch.annotation", DomainKind::annotation);
    Ranges ranges;
    boost::unordered_flat_map<std::string_view, std::vector<int64_t>> open;
    for (const Annotation& annotation : snapshot_.annotations) {
      const int64_t time = target_.base_ns + (annotation.time_us - base_us_) * 1000;
      std::vector<int64_t>& starts = open[annotation.name];
      if (annotation.begins) {
        starts.push_back(time);
      } else if (!starts.empty()) {
        ranges.start.push_back(starts.back());
        ranges.end.push_back(time);
        ranges.name.push_back(trace_.names.intern(annotation.name));
        ranges.thread.push_back(target_.thread);
        ranges.domain.push_back(domain);
        ranges.style.push_back(static_cast<uint8_t>(RangeStyle::push_pop));
        starts.pop_back();
      }
    }
    append_rows(trace_.ranges, std::move(ranges));
  }

  void note_times() {
    const bool has_entries =
        std::ranges::any_of(snapshot_.devices, [](const OfDevice& d) { return !d.entries.empty(); });
    const auto note = [&](std::string_view text) { trace_.log.add(Issue::tool_warning, text); };
    if (!has_entries) note("the snapshot has no history: only the memory in use when it was taken is known");
    if (has_entries && base_us_ == kUnknown) {
      note("the snapshot's history has no times: its entries are shown a microsecond apart");
    }
    if (unfitting_ > 0) note("the snapshot's history does not fit the memory in use at its end");
  }

  const Snapshot& snapshot_;
  const Fields& fields_;
  Target target_;
  Trace& trace_;
  Stacks stacks_;
  int64_t base_us_;
  Times times_;                 ///< of the device's entries
  std::vector<Levels> levels_;  ///< after each of them; empty where they do not fit the end
  Levels before_;               ///< before the first
  Allocations rows_;
  Calls calls_;
  int64_t unfitting_ = 0;
};

ProcessId add_process(Trace& trace, int64_t pid) {
  Process process;
  process.rank = static_cast<RankId>(trace.ranks.size() - 1);
  process.pid = pid;
  trace.processes.push_back(process);
  return static_cast<ProcessId>(trace.processes.size() - 1);
}

/// The first thread of a process, made where it has none.
ThreadId thread_of(Trace& trace, ProcessId process) {
  const auto found = std::ranges::find(trace.threads, process, &Thread::process);
  if (found != trace.threads.end()) return static_cast<ThreadId>(found - trace.threads.begin());
  Thread thread;
  thread.process = process;
  trace.threads.push_back(thread);
  return static_cast<ThreadId>(trace.threads.size() - 1);
}

std::string_view name_of(Action action) {
  switch (action) {
    case Action::alloc: return "alloc";
    case Action::free_requested: return "free_requested";
    case Action::free_completed: return "free_completed";
    case Action::segment_alloc: return "segment_alloc";
    case Action::segment_free: return "segment_free";
    case Action::segment_map: return "segment_map";
    case Action::segment_unmap: return "segment_unmap";
    case Action::oom: return "oom";
    default: return "snapshot";
  }
}

void describe(const Snapshot& snapshot, Rank& rank) {
  int64_t segments = 0;
  int64_t blocks = 0;
  std::vector<int64_t> counts(static_cast<size_t>(Action::unknown), 0);
  for (const OfDevice& device : snapshot.devices) {
    segments += static_cast<int64_t>(device.segments.size());
    for (const Segment& segment : device.segments) blocks += static_cast<int64_t>(segment.blocks.size());
    for (const Entry& entry : device.entries) ++counts[static_cast<size_t>(entry.action)];
  }
  rank.holds = {{"segments", segments}, {"blocks", blocks}};
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) rank.holds.emplace_back(name_of(static_cast<Action>(i)), counts[i]);
  }
}

bool recognizes(const Probe& probe) {
  const std::string_view head = probe.head();
  constexpr char kFirstProtocol = 2;
  constexpr char kLastProtocol = 5;
  return head.size() > 2 && head[0] == '\x80' && head[1] >= kFirstProtocol && head[1] <= kLastProtocol &&
         (head.contains("segments") || head.contains("device_traces"));
}

Status read(const std::string& path, const ImportRequest& request, Trace& trace) {
  const auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  return read_bytes(file->bytes(), path, request, trace);
}

}  // namespace

Status read_bytes(std::string_view bytes, const std::string& file, const ImportRequest& request, Trace& trace) {
  const auto pickle = Pickle::read(bytes);
  if (!pickle) return fail("{} {}", file, pickle.error().message);
  const auto snapshot = snapshot_of(*pickle);
  if (!snapshot) return fail("{} {}", file, snapshot.error().message);
  Rank rank;
  rank.file = short_path(file);
  rank.format = "torch_snapshot";
  rank.product = "PyTorch";
  if (const int64_t base = base_time_us(*snapshot); base != kUnknown) rank.utc_ns = utc_of_clock(base * 1000);
  describe(*snapshot, rank);
  if (request.fields.has(Field::capture) && !snapshot->allocator_settings.empty()) {
    rank.capture.emplace_back("PYTORCH_CUDA_ALLOC_CONF", snapshot->allocator_settings);
  }
  trace.ranks.push_back(std::move(rank));
  trace.log.add(Issue::missing_value, "entries of the snapshot", snapshot->incomplete);
  trace.log.add(Issue::unknown_event, "entries of the snapshot", snapshot->unknown_actions);
  Target target;
  target.process = add_process(trace, 0);
  target.thread = target.allocations = thread_of(trace, target.process);
  Writer(*pickle, *snapshot, request.fields, target, trace).write();
  return {};
}

Status add_to_rank(std::string_view bytes, int64_t pid, const Fields& fields, Trace& trace) {
  const auto pickle = Pickle::read(bytes);
  if (!pickle) return std::unexpected(pickle.error());
  const auto snapshot = snapshot_of(*pickle);
  if (!snapshot) return std::unexpected(snapshot.error());
  const auto rank = static_cast<RankId>(trace.ranks.size() - 1);
  const auto found =
      std::ranges::find_if(trace.processes, [&](const Process& p) { return p.rank == rank && p.pid == pid; });
  Target target;
  target.process = found == trace.processes.end() ? add_process(trace, pid)
                                                  : static_cast<ProcessId>(found - trace.processes.begin());
  target.thread = thread_of(trace, target.process);
  const int64_t base_us = base_time_us(*snapshot);
  const std::optional<int64_t> utc = trace.ranks.back().utc_ns;
  const bool has_clock = base_us != kUnknown && utc;
  if (has_clock && __builtin_sub_overflow(base_us * 1000, *utc, &target.base_ns)) target.base_ns = 0;
  Writer(*pickle, *snapshot, fields, target, trace).write();
  return {};
}

}  // namespace torch_snapshot

extern const Importer torch_snapshot_importer;
constinit const Importer torch_snapshot_importer{
    .name = "torch_snapshot",
    .description = "memory snapshots of PyTorch (torch.cuda.memory._dump_snapshot()), which are Python pickles",
    .recognizes = torch_snapshot::recognizes,
    .picks = torch_snapshot::recognizes,
    .read = torch_snapshot::read,
};

}  // namespace sonde
