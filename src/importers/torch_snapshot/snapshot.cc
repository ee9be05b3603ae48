#include "importers/torch_snapshot/snapshot.h"

#include <algorithm>
#include <array>
#include <map>

namespace sonde::torch_snapshot {
namespace {

using Id = Pickle::Id;

/// No device has more memory, so that sums over any file's blocks stay in int64.
constexpr int64_t kMaxBytes = int64_t{1} << 50;
/// CUDA's addresses have at most 57 bits.
constexpr int64_t kMaxAddress = int64_t{1} << 57;
/// Year 2096 in microseconds: with this bound times in nanoseconds stay in int64.
constexpr int64_t kMaxTime = int64_t{4'000'000'000'000'000};
constexpr int64_t kMaxDevice = 1 << 16;

struct NamedAction {
  std::string_view name;
  Action action;
};

constexpr std::array kActions = {
    NamedAction{"alloc", Action::alloc},
    NamedAction{"free_requested", Action::free_requested},
    NamedAction{"free_completed", Action::free_completed},
    NamedAction{"free", Action::free_requested},
    NamedAction{"segment_alloc", Action::segment_alloc},
    NamedAction{"segment_free", Action::segment_free},
    NamedAction{"segment_map", Action::segment_map},
    NamedAction{"segment_unmap", Action::segment_unmap},
    NamedAction{"oom", Action::oom},
    NamedAction{"snapshot", Action::snapshot},
};

Action action_of(std::string_view name) {
  const auto* const found = std::ranges::find(kActions, name, &NamedAction::name);
  return found == kActions.end() ? Action::unknown : found->action;
}

std::optional<int64_t> bytes_at(const Pickle& p, Id dict, std::string_view key) {
  const auto bytes = p.integer(dict, key);
  return bytes && *bytes >= 0 && *bytes <= kMaxBytes ? bytes : std::nullopt;
}

std::optional<int64_t> address_at(const Pickle& p, Id dict, std::string_view key) {
  const auto address = p.integer(dict, key);
  return address && *address >= 0 && *address <= kMaxAddress ? address : std::nullopt;
}

int64_t time_at(const Pickle& p, Id dict) {
  const auto time = p.integer(dict, "time_us");
  return time && *time >= 0 && *time <= kMaxTime ? *time : kUnknown;
}

template <typename Item>
void read_frames(const Pickle& p, Id dict, Item& item) {
  const auto frames = p.member(dict, "frames");
  item.has_frames = frames && !p.items(*frames).empty();
  if (item.has_frames) item.frames = *frames;
}

/// Reads what a snapshot is made of, and counts what it cannot use.
class Decoder {
 public:
  explicit Decoder(const Pickle& pickle) : p_(pickle), left_(pickle.size()) {}

  Snapshot read(Id segments, Id traces) {
    for (const Id segment : p_.items(segments)) read_segment(segment);
    int64_t device = 0;
    for (const Id trace : p_.items(traces)) read_trace(trace, device++);
    for (auto& [number, of_device] : devices_) {
      of_device.device = number;
      snapshot_.devices.push_back(std::move(of_device));
    }
    read_annotations();
    const auto settings = p_.member(p_.root(), "allocator_settings");
    if (settings) snapshot_.allocator_settings = p_.text(*settings, "PYTORCH_CUDA_ALLOC_CONF");
    return std::move(snapshot_);
  }

 private:
  /// A snapshot has a dictionary for each thing that it lists. A file may list one of them endlessly.
  bool take_one() {
    if (left_ == 0) return false;
    --left_;
    return true;
  }

  void read_segment(Id dict) {
    if (!take_one()) return;
    const auto device = p_.integer(dict, "device");
    const auto address = address_at(p_, dict, "address");
    const auto bytes = bytes_at(p_, dict, "total_size");
    if (!device || *device < 0 || *device > kMaxDevice || !address || !bytes) {
      ++snapshot_.incomplete;
      return;
    }
    Segment& segment = devices_[*device].segments.emplace_back();
    segment.address = *address;
    segment.bytes = *bytes;
    const auto blocks = p_.member(dict, "blocks");
    int64_t next = *address;
    for (const Id block : blocks ? p_.items(*blocks) : std::span<const Id>()) {
      read_block(block, next, segment);
    }
  }

  /// PyTorch 2.0 gives no address: blocks of a segment follow each other.
  void read_block(Id dict, int64_t& next, Segment& segment) {
    if (!take_one()) return;
    const auto bytes = bytes_at(p_, dict, "size");
    if (!bytes) {
      ++snapshot_.incomplete;
      return;
    }
    Block& block = segment.blocks.emplace_back();
    block.address = address_at(p_, dict, "address").value_or(next);
    block.bytes = *bytes;
    block.requested_bytes = bytes_at(p_, dict, "requested_size").value_or(*bytes);
    const std::string_view state = p_.text(dict, "state");
    block.allocated = state == "active_allocated";
    block.waits = !block.allocated && state != "inactive";
    read_frames(p_, dict, block);
    next = std::min(block.address + block.bytes, kMaxAddress);
  }

  void read_trace(Id trace, int64_t device) {
    if (p_.items(trace).empty() || device > kMaxDevice) return;
    std::vector<Entry>& entries = devices_[device].entries;
    for (const Id dict : p_.items(trace)) {
      if (!take_one()) return;
      const Entry entry = entry_of(dict);
      if (entry.action != Action::unknown) entries.push_back(entry);
    }
  }

  Entry entry_of(Id dict) {
    Entry entry;
    const auto bytes = bytes_at(p_, dict, "size");
    const auto address = address_at(p_, dict, "addr");
    const Action action = action_of(p_.text(dict, "action"));
    if (action == Action::unknown) {
      ++(p_.text(dict, "action").empty() ? snapshot_.incomplete : snapshot_.unknown_actions);
      return entry;
    }
    if (!bytes || (!address && action != Action::oom)) {
      ++snapshot_.incomplete;
      return entry;
    }
    entry.action = action;
    entry.bytes = *bytes;
    if (action == Action::oom) {
      entry.gpu_free_bytes = bytes_at(p_, dict, "device_free").value_or(kUnknown);
    } else {
      entry.address = *address;
    }
    entry.time_us = time_at(p_, dict);
    read_frames(p_, dict, entry);
    return entry;
  }

  void read_annotations() {
    const auto list = p_.member(p_.root(), "external_annotations");
    if (!list) return;
    for (const Id dict : p_.items(*list)) {
      const int64_t time = time_at(p_, dict);
      if (time == kUnknown) continue;
      snapshot_.annotations.push_back({p_.text(dict, "stage") == "START", p_.text(dict, "name"), time});
    }
  }

  const Pickle& p_;
  size_t left_;
  Snapshot snapshot_;
  std::map<int64_t, OfDevice> devices_;
};

}  // namespace

Result<Snapshot> snapshot_of(const Pickle& pickle) {
  const auto segments = pickle.member(pickle.root(), "segments");
  const auto traces = pickle.member(pickle.root(), "device_traces");
  if (!segments || !pickle.is_list(*segments)) {
    return fail("is a Python pickle without the key 'segments', not a memory snapshot of PyTorch");
  }
  // Old snapshots are the list of segments with a history in each block; their traces came with PyTorch 2.0.
  if (!traces) return fail("is a memory snapshot without the key 'device_traces'; take one with PyTorch 2.0 or later");
  return Decoder(pickle).read(*segments, *traces);
}

}  // namespace sonde::torch_snapshot
