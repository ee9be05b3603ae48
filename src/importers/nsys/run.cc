#include "importers/nsys/run.h"

#include <algorithm>

#include <fmt/format.h>
#include <boost/container_hash/hash.hpp>

#include "base/files/file.h"
#include "base/system/parallel.h"

namespace sonde {
namespace {

size_t hash_of(auto... values) {
  size_t seed = 0;
  (boost::hash_combine(seed, values), ...);
  return seed;
}

}  // namespace

size_t hash_value(const StreamKey& k) { return hash_of(k.process, k.device, k.context, k.green_context, k.stream); }
size_t hash_value(const StreamNumber& n) { return hash_of(n.process, n.context, n.stream); }
size_t hash_value(const DomainKey& k) { return hash_of(k.process, k.domain); }

NsysRun::NsysRun(const std::string& path, std::string_view format, const ImportRequest& request, Trace& trace)
    : file_(short_path(path)), request_(&request), trace_(&trace), rank_(static_cast<RankId>(trace.ranks.size())) {
  Rank& rank = trace.ranks.emplace_back();
  rank.file = file_;
  rank.format = format;
}

ProcessId NsysRun::process(uint64_t global_pid) {
  const auto [found, added] = processes_.try_emplace(global_pid, static_cast<ProcessId>(trace_->processes.size()));
  if (added) trace_->processes.push_back({rank_, global_pid, static_cast<int64_t>(global_pid >> 24 & 0xFFFFFF), kNone});
  return found->second;
}

ThreadId NsysRun::thread(uint64_t global_tid) {
  const ProcessId owner = process(global_tid & ~uint64_t{0xFFFFFF});
  const auto [found, added] = threads_.try_emplace(global_tid, static_cast<ThreadId>(trace_->threads.size()));
  if (added) {
    trace_->threads.push_back({owner, global_tid, static_cast<int64_t>(global_tid & 0xFFFFFF), kNone, std::nullopt});
  }
  return found->second;
}

StreamId NsysRun::stream(const StreamKey& key) {
  const auto known = streams_.find(key);
  if (known != streams_.end()) return known->second;
  const StreamId id = key.names_device ? add_stream(key) : stream_of_number(key);
  streams_.emplace(key, id);
  return id;
}

StreamId NsysRun::stream_of_number(StreamKey key) {
  key.names_device = true;
  const auto device = device_of_context_.find({key.process, key.context});
  if (device != device_of_context_.end()) key.device = device->second;
  const auto same = streams_.find(key);
  if (same != streams_.end()) return same->second;
  const auto numbered = stream_of_number_.find({key.process, key.context, key.stream});
  if (numbered != stream_of_number_.end() && numbered->second != kNone) return numbered->second;
  return stream(key);
}

StreamId NsysRun::add_stream(const StreamKey& key) {
  const auto id = static_cast<StreamId>(trace_->streams.size());
  Stream& s = trace_->streams.emplace_back();
  s.process = process(key.process);
  s.ordinal = key.device;
  s.context = key.context;
  s.green_context = key.green_context;
  s.stream = key.stream;
  device_of_context_.try_emplace({key.process, key.context}, key.device);
  const auto [numbered, added] = stream_of_number_.try_emplace({key.process, key.context, key.stream}, id);
  if (!added) numbered->second = kNone;
  return id;
}

DomainId NsysRun::domain(const DomainKey& key) {
  const auto known = domains_.find(key);
  if (known != domains_.end()) return known->second;
  const auto named = domain_names_.find(key);
  const NameId name = trace_->names.intern(named == domain_names_.end() ? std::string_view() : named->second);
  const auto same = std::ranges::find(trace_->domains, name, &Domain::name);
  const auto id = static_cast<DomainId>(same - trace_->domains.begin());
  if (same == trace_->domains.end()) trace_->domains.push_back({name, domain_kind(trace_->names.view(name))});
  domains_.emplace(key, id);
  return id;
}

DomainId NsysRun::domain_of_any(int64_t number) {
  const auto known = std::ranges::find(domains_, number, [](const auto& entry) { return entry.first.domain; });
  return known == domains_.end() ? domain({.process = 0, .domain = number}) : known->second;
}

IdMap NsysRun::adopt(const LocalKeys& keys) {
  IdMap ids;
  for (const uint64_t k : keys.threads.keys()) ids.threads.push_back(thread(k));
  for (const uint64_t k : keys.processes.keys()) ids.processes.push_back(process(k));
  for (const StreamKey& k : keys.streams.keys()) ids.streams.push_back(stream(k));
  for (const DomainKey& k : keys.domains.keys()) ids.domains.push_back(domain(k));
  for (NameId id = 0; id < keys.texts.size(); ++id) {
    ids.texts.push_back(static_cast<uint32_t>(inline_names_.size()));
    inline_names_.push_back(trace_->names.intern(keys.texts.view(id)));
  }
  return ids;
}

/// What each id of the string table is named: looked up some ten million times a second, so that small ids, which is
/// all of them in a whole file, are in a plain array.
class NsysRun::NameTable {
 public:
  NameId& operator[](uint32_t id) {
    if (id >= kMaxSmall) return large_.try_emplace(id, kNone).first->second;
    if (id >= small_.size()) small_.resize(std::max<size_t>(id + size_t{1}, small_.size() * 2), kUnwanted);
    return small_[id];
  }
  void want(uint32_t id) {
    NameId& name = (*this)[id];
    if (name == kUnwanted) name = kNone;
  }
  /// Null where nobody wants the id.
  [[nodiscard]] NameId* find(uint32_t id) {
    if (id < kMaxSmall) return id < small_.size() && small_[id] != kUnwanted ? &small_[id] : nullptr;
    const auto found = large_.find(id);
    return found == large_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] NameId at(uint32_t id) const { return id < kMaxSmall ? small_[id] : large_.at(id); }
  [[nodiscard]] bool empty() const { return small_.empty() && large_.empty(); }
  /// Calls `f` with each wanted id and its name.
  void each(auto&& f) {
    for (uint32_t id = 0; id < small_.size(); ++id) {
      if (small_[id] != kUnwanted) f(id, small_[id]);
    }
    for (auto& [id, name] : large_) f(id, name);
  }

 private:
  static constexpr uint32_t kMaxSmall = 1 << 22;
  static constexpr NameId kUnwanted = kNone - 1;
  std::vector<NameId> small_;
  boost::unordered_flat_map<uint32_t, NameId> large_;
};

void NsysRun::resolve_names(const EachString& each_string) {
  NameTable names;
  const auto want = [&](uint32_t id) {
    if (id != kNone && (id & kInlineText) == 0) names.want(id);
  };
  for (const auto& [column, first, end] : name_columns_) {
    uint32_t last = kNone;
    for (size_t row = first; row < end; ++row) {
      if ((*column)[row] != last) want(last = (*column)[row]);
    }
  }
  for (const NameId* slot : name_slots_) want(*slot);
  if (!names.empty()) read_strings(names, each_string);
  const auto name_of = [&](uint32_t id) {
    if (id == kNone) return kNone;
    return (id & kInlineText) != 0 ? inline_names_[id & ~kInlineText] : names.at(id);
  };
  parallel_for(name_columns_.size(), [&](size_t i) {
    const auto& [column, first, end] = name_columns_[i];
    for (size_t row = first; row < end; ++row) (*column)[row] = name_of((*column)[row]);
  });
  for (NameId* slot : name_slots_) *slot = name_of(*slot);
}

void NsysRun::read_strings(NameTable& wanted, const EachString& each_string) {
  int64_t duplicates = 0;
  each_string([&](uint32_t id, std::string_view text) {
    NameId* const name = wanted.find(id);
    if (name == nullptr) return;
    if (*name == kNone) {
      *name = trace_->names.intern(text);
    } else {
      ++duplicates;
    }
  });
  trace_->log.add(Issue::duplicate_string_id, {}, duplicates);
  int64_t unresolved = 0;
  wanted.each([&](uint32_t id, NameId& name) {
    if (name != kNone) return;
    name = trace_->names.intern(fmt::format("[unknown name {}]", id));
    ++unresolved;
  });
  trace_->log.add(Issue::unresolved_name, {}, unresolved);
}

}  // namespace sonde
