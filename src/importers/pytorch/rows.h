#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/text/bytes_hash.h"
#include "importers/pytorch/kinds.h"
#include "trace/entities.h"
#include "trace/events.h"
#include "trace/fields.h"

/// What one piece of a trace's text holds: rows whose names, threads and streams are numbered within the piece.
/// Times are nanoseconds as in the file, before the origin is taken off.
namespace sonde::pytorch {

/// Texts of a piece by their raw bytes (escapes as they stand). They point into the file's text.
class LocalNames {
 public:
  [[nodiscard]] uint32_t intern(std::string_view raw) {
    const auto [at, fresh] = ids_.try_emplace(raw, static_cast<uint32_t>(texts_.size()));
    if (fresh) texts_.push_back(raw);
    return at->second;
  }
  [[nodiscard]] const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  boost::unordered_flat_map<std::string_view, uint32_t, BytesHash> ids_;
  std::vector<std::string_view> texts_;
};

/// Distinct keys in the order of their first use. The last one asked for is found without a look-up.
template <typename Key>
class LocalIds {
 public:
  [[nodiscard]] uint32_t id(const Key& key) {
    if (last_ < keys_.size() && keys_[last_] == key) return last_;
    const auto [at, fresh] = ids_.try_emplace(key, static_cast<uint32_t>(keys_.size()));
    if (fresh) keys_.push_back(key);
    return last_ = at->second;
  }
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

 private:
  boost::unordered_flat_map<Key, uint32_t> ids_;
  std::vector<Key> keys_;
  uint32_t last_ = kNone;
};

/// A pid or tid: mostly a number; else a text ("Spans"), kept as kTextPid + its id among the names.
using Number = int64_t;
inline constexpr Number kTextPid = std::numeric_limits<int64_t>::min();
[[nodiscard]] inline bool is_text(Number n) { return n < kTextPid + (int64_t{1} << 32); }

using ThreadKey = std::pair<Number, Number>;  ///< pid, tid

struct StreamKey {
  int64_t device;
  int64_t context;
  int64_t stream;
  auto operator<=>(const StreamKey&) const = default;
  friend size_t hash_value(const StreamKey& k) {
    return static_cast<size_t>((k.device * 1000003 + k.context) * 1000003 + k.stream);
  }
};

struct GpuRow {
  int64_t start;
  int64_t end;
  uint32_t stream;
  uint32_t correlation;
};

struct KernelRow : GpuRow {
  uint32_t name;
  Dim3 grid;
  Dim3 block;
  int32_t registers;
  int32_t shared_bytes;
  float occupancy;
  uint32_t collective;
  int64_t graph_node;
};

struct CopyRow : GpuRow {
  int64_t bytes;
  CopyShape shape;
};

struct SetRow : GpuRow {
  int64_t bytes;
  MemoryKind memory;
};

struct SyncRow : GpuRow {
  SyncKind kind;
  uint32_t event;
};

struct CudaEventRow : GpuRow {
  uint32_t event;
};

struct CallRow {
  int64_t start;
  int64_t end;
  uint32_t name;
  uint32_t thread;
  uint32_t correlation;
  CallClass call_class;
};

struct RangeRow {
  int64_t start;
  int64_t end;
  int64_t sequence;
  uint32_t name;
  uint32_t thread;
  uint32_t inputs;
  DomainKind kind;
  bool backward;
};

/// Shapes, types and values of an operator's inputs; kNone for a list that the trace lacks.
using OperatorLists = std::array<uint32_t, 3>;

struct MarkRow {
  int64_t start;
  uint32_t name;
  uint32_t thread;
};

struct AllocationRow {
  int64_t start;
  int64_t bytes;
  int64_t address;
  int64_t total;
  int64_t reserved;
  uint32_t thread;
  int32_t device;
  bool on_host;
};

struct CounterRow {
  int64_t start;
  double value;
  uint32_t name;
  uint32_t series;
  Number pid;
};

struct FlowRow {
  int64_t id;
  int64_t time;
  uint32_t thread;
  bool end;
};

/// A thread's or process's name.
struct NameRow {
  Number pid;
  Number tid;  ///< of a thread's name
  uint32_t text;
  bool of_thread;
};

/// How often something was met, by its name in the file.
using Counts = std::vector<std::pair<std::string_view, int64_t>>;

/// What the file says of its own recording: spans and instants without a thread.
struct Window {
  int64_t start = kUnknown;
  int64_t end = kUnknown;
};

struct Piece {
  size_t begin = 0;     ///< of its first event in the text
  size_t next = 0;      ///< where the event behind its last one begins
  bool ended = false;   ///< the list of events ends at `next`
  bool broken = false;  ///< the text breaks off at `next`

  LocalNames names;
  LocalNames lists;                ///< JSON lists of operators' inputs
  LocalIds<OperatorLists> inputs;  ///< of operators; lists are ids in `lists`
  LocalIds<ThreadKey> threads;
  LocalIds<StreamKey> streams;
  std::vector<Collective> collectives;  ///< texts are ids in `names`

  std::vector<KernelRow> kernels;
  std::vector<CopyRow> copies;
  std::vector<SetRow> sets;
  std::vector<SyncRow> syncs;
  std::vector<CudaEventRow> cuda_events;
  std::vector<CallRow> api;
  std::vector<CallRow> overheads;
  std::vector<RangeRow> ranges;
  std::vector<MarkRow> marks;
  std::vector<AllocationRow> allocations;
  std::vector<CounterRow> counter_values;
  std::vector<FlowRow> flows;
  std::vector<NameRow> thread_names;
  std::vector<std::pair<StreamKey, int>> priorities;

  Counts holds;    ///< events by category
  Counts unknown;  ///< of them, what was left out, by name
  int64_t malformed = 0;
  int64_t incomplete = 0;  ///< events without a value that they need
  int64_t earliest = std::numeric_limits<int64_t>::max();
  Window window;
};

/// Which parts of events are wanted, as plain flags.
struct Wanted {
  explicit Wanted(const Fields& fields)
      : kernels(fields.has(Field::kernels)),
        copies(fields.has(Field::copies)),
        sets(fields.has(Field::sets)),
        syncs(fields.has(Field::syncs)),
        api(fields.has(Field::api) || fields.has(Field::launches)),
        ranges(fields.has(Field::ranges) || fields.has(Field::range_links)),
        sequences(fields.has(Field::range_details) || fields.has(Field::range_links)),
        inputs(sequences),
        marks(fields.has(Field::marks)),
        overheads(fields.has(Field::overheads)),
        counters(fields.has(Field::counters)),
        allocations(fields.has(Field::allocations)),
        cuda_events(fields.has(Field::cuda_events)),
        collectives(fields.has(Field::kernel_resources)) {}
  bool kernels, copies, sets, syncs, api, ranges, sequences, inputs, marks, overheads, counters, allocations,
      cuda_events, collectives;
};

}  // namespace sonde::pytorch
