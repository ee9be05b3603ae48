#pragma once

#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "trace/ids.h"
#include "trace/string_pool.h"

/// The ids of an Nsight Systems recording, as one thread of a reader meets them.
namespace sonde {

/// An id of the file's string table on its way to a NameId: texts that are in the row itself go to the part's own
/// pool and are distinguished by the highest bit.
inline constexpr uint32_t kInlineText = 0x8000'0000U;

/// What a part of a scan knows beside its rows: texts and ids in the order of first use, merged part by part
/// afterwards, so that ids do not depend on the threads' timing.
template <typename Key>
class LocalIds {
 public:
  [[nodiscard]] uint32_t id(const Key& key) {
    if (!keys_.empty() && keys_[last_] == key) return last_;
    if (keys_.size() <= kFew) {
      for (last_ = 0; last_ < keys_.size(); ++last_) {
        if (keys_[last_] == key) return last_;
      }
    }
    const auto [found, added] = ids_.try_emplace(key, static_cast<uint32_t>(keys_.size()));
    if (added) keys_.push_back(key);
    last_ = found->second;
    return last_;
  }
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }
  void clear() {
    ids_.clear();
    keys_.clear();
    last_ = 0;
  }

 private:
  boost::unordered_flat_map<Key, uint32_t> ids_;
  std::vector<Key> keys_;
  /// So many keys are compared faster than one is hashed; most runs have a handful of streams and threads.
  static constexpr size_t kFew = 8;
  uint32_t last_ = 0;
};

/// The green context that a recording's id names; kNone where it names none. Recordings write 0 for none in some tables
/// and leave the id out in others.
[[nodiscard]] constexpr uint32_t green_context_of(int64_t id) {
  return id > 0 && id < int64_t{kNone} ? static_cast<uint32_t>(id) : kNone;
}

/// What tells one GPU stream from another in an Nsight Systems export.
struct StreamKey {
  uint64_t process = 0;  ///< globalPid
  int32_t device = -1;
  uint32_t context = 0;
  uint32_t green_context = kNone;  ///< by green_context_of()
  uint32_t stream = kNone;
  /// False of synchronizations and event records: their device is 0 on every GPU, and they name no green context.
  bool names_device = true;
  bool operator==(const StreamKey&) const = default;
  friend size_t hash_value(const StreamKey& k);
};

/// What recordings name of a stream in all tables.
struct StreamNumber {
  uint64_t process = 0;
  uint32_t context = 0;
  uint32_t stream = kNone;
  bool operator==(const StreamNumber&) const = default;
  friend size_t hash_value(const StreamNumber& n);
};

/// A domain id means something in its process only.
struct DomainKey {
  uint64_t process = 0;
  int64_t domain = 0;
  auto operator<=>(const DomainKey&) const = default;
  friend size_t hash_value(const DomainKey& k);
};

/// The ids that rows use, as one thread of a scan met them.
struct LocalKeys {
  LocalIds<uint64_t> threads;    ///< globalTid
  LocalIds<uint64_t> processes;  ///< globalPid
  LocalIds<StreamKey> streams;
  LocalIds<DomainKey> domains;
  StringPool texts;  ///< texts that are in the rows themselves
  void clear() {
    threads.clear();
    processes.clear();
    streams.clear();
    domains.clear();
    if (texts.size() > 0) texts = {};
  }
};

/// Rows of one table as one thread of a scan read them.
template <typename Table>
struct Part : LocalKeys {
  Table rows;
};

}  // namespace sonde
