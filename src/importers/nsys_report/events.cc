#include "importers/nsys_report/events.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>

#include "base/system/parallel.h"

namespace sonde::nsys {
namespace {

/// Which message an event's body is: the number of its field tells the layout, the type only the name.
enum Body : uint32_t {
  kNvtxBody = 102,
  kSampleBody = 104,
  kSwitchBody = 106,
  kGpuBody = 107,
  kCallBody = 108,
  kMmapBody = 109,
  kDiagnosticBody = 110,
  kProcessBody = 113,
};

void read_body(uint32_t field, Message body, int64_t type, const ReportWants& wants, ReportPart& part) {
  switch (field) {
    case kGpuBody: return read_gpu_event(body, type, wants, part);
    case kCallBody: return read_call_event(body, type, wants, part);
    case kNvtxBody:
      if (wants.ranges || wants.marks || wants.inventory) read_nvtx_event(body, wants, part);
      return;
    case kSwitchBody: return read_switch(body, wants, part);
    case kSampleBody: return read_sample(body, wants, part);
    case kDiagnosticBody: return read_diagnostic(body, wants, part);
    case kProcessBody: return read_process(body, part);
    case kMmapBody: return;  // where libraries lie in memory: symbols are resolved already
    default: ++part.unknown[{type}];
  }
}

void read_event(Message event, const ReportWants& wants, ReportPart& part) {
  int64_t type = 0;
  uint32_t field = 0;
  Message body;
  while (event.next()) {
    if (event.tag_and_type() == number_field(1)) {
      type = integer_of(event);
    } else if (event.wire_type() == protozero::pbf_wire_type::length_delimited) {
      field = event.tag();
      body = event.get_message();
    } else {
      event.skip();
    }
  }
  read_body(field, body, type, wants, part);
}

/// Unpacks and reads one block; what is wrong with it is counted.
void read_block(const PackedBlock& block, Unpacker& unpacker, const ReportWants& wants, ReportPart& part) {
  const auto plain = unpacker.unpack(block);
  const Status read = !plain ? std::unexpected(plain.error()) : walk_messages("a block of events", [&]() -> Status {
    read_events(*plain, wants, part);
    return {};
  });
  if (read) return;
  if (part.damaged_blocks++ == 0) part.damage = read.error().message;
}

/// What the file says of a block's size, as far as it can be true.
uint64_t plain_bytes_of(const PackedBlock& block) { return std::min<uint64_t>(block.plain_bytes, uint64_t{1} << 31); }

uint64_t plain_bytes_of(std::span<const PackedBlock> blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), uint64_t{0},
                         [](uint64_t sum, const PackedBlock& b) { return sum + plain_bytes_of(b); });
}

/// Cuts the blocks into runs whose rows stay in a processor's cache until they are merged.
std::vector<std::span<const PackedBlock>> runs_of(std::span<const PackedBlock> blocks) {
  constexpr uint64_t kPlainBytes = 1 << 18;
  std::vector<std::span<const PackedBlock>> runs;
  size_t first = 0;
  uint64_t bytes = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    bytes += plain_bytes_of(blocks[i]);
    if (i + 1 < blocks.size() && bytes < kPlainBytes) continue;
    runs.push_back(blocks.subspan(first, i + 1 - first));
    first = i + 1;
    bytes = 0;
  }
  return runs;
}

uint64_t packed_bytes_of(std::span<const PackedBlock> blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), uint64_t{0},
                         [](uint64_t sum, const PackedBlock& b) { return sum + b.packed.size(); });
}

struct Reader {
  Unpacker unpacker;
  ReportPart part;
};

/// Puts what the threads read behind each other in the order of the file. Memory that a reader once took is used again:
/// fresh memory costs more than reading the events that fill it.
class Merger {
 public:
  explicit Merger(std::span<const PackedBlock> blocks) : packed_bytes_(packed_bytes_of(blocks)) {}

  /// One with an empty part to fill.
  [[nodiscard]] std::unique_ptr<Reader> reader() {
    const std::scoped_lock lock(mutex_);
    if (empty_.empty()) return std::make_unique<Reader>();
    auto reader = std::move(empty_.back());
    empty_.pop_back();
    return reader;
  }

  /// Takes run number `i` with so many packed bytes, and merges what can be merged now: one thread at a time does.
  void give(size_t i, uint64_t packed_bytes, std::unique_ptr<Reader> reader) {
    std::unique_lock lock(mutex_);
    waiting_.emplace(i, Run{packed_bytes, std::move(reader)});
    if (merging_) return;
    merging_ = true;
    for (auto next = waiting_.begin(); next != waiting_.end() && next->first == merged_; next = waiting_.begin()) {
      Run run = std::move(next->second);
      waiting_.erase(next);
      lock.unlock();
      merge_one(run);
      lock.lock();
      empty_.push_back(std::move(run.reader));
      ++merged_;
    }
    merging_ = false;
  }

  [[nodiscard]] ReportPart whole() && { return std::move(whole_); }

 private:
  struct Run {
    uint64_t packed_bytes;
    std::unique_ptr<Reader> reader;
  };

  void merge_one(const Run& run) {
    merge(whole_, run.reader->part);
    merged_bytes_ += run.packed_bytes;
    if (!reserved_ && merged_bytes_ >= packed_bytes_ / kSample) reserve();
  }

  /// The first blocks tell how long the columns will be. No event takes less than a packed byte, so that room for more
  /// rows than bytes is never needed.
  void reserve() {
    constexpr double kMargin = 1.1;
    const double times = kMargin * static_cast<double>(packed_bytes_) / static_cast<double>(merged_bytes_);
    for_each_rows([&](auto member) {
      auto& rows = (whole_.*member).rows;
      const auto wanted = std::min(static_cast<double>(row_count(rows)) * times, static_cast<double>(packed_bytes_));
      reserve_rows(rows, static_cast<size_t>(wanted));
    });
    reserved_ = true;
  }

  static constexpr uint64_t kSample = 16;
  std::mutex mutex_;
  std::map<size_t, Run> waiting_;
  std::vector<std::unique_ptr<Reader>> empty_;
  size_t merged_ = 0;  ///< runs
  bool merging_ = false;
  // The merging thread's own.
  ReportPart whole_;
  uint64_t packed_bytes_;
  uint64_t merged_bytes_ = 0;
  bool reserved_ = false;
};

}  // namespace

void read_events(std::string_view block, const ReportWants& wants, ReportPart& part) {
  Message m(block.data(), block.size());
  while (m.next(1, protozero::pbf_wire_type::length_delimited)) {
    const Message event = m.get_message();
    ++part.events;
    const Status read = walk_messages("an event", [&]() -> Status {
      read_event(event, wants, part);
      return {};
    });
    if (!read) ++part.malformed;
  }
}

ReportPart read_events(const NsysRun& run, std::span<const PackedBlock> blocks) {
  const ReportWants wants(run);
  const auto runs = runs_of(blocks);
  Merger merger(blocks);
  run.progress().begin(fmt::format("reading {}", run.file()), static_cast<int64_t>(plain_bytes_of(blocks)), "bytes");
  parallel_for(runs.size(), [&](size_t i) {
    auto reader = merger.reader();
    for (const PackedBlock& block : runs[i]) read_block(block, reader->unpacker, wants, reader->part);
    run.progress().advance(static_cast<int64_t>(plain_bytes_of(runs[i])));
    merger.give(i, packed_bytes_of(runs[i]), std::move(reader));
  });
  return std::move(merger).whole();
}

}  // namespace sonde::nsys
