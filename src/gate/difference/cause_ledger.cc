#include "gate/difference/cause_ledger.h"

#include <algorithm>
#include <cmath>

namespace sonde::gate {

namespace {

double mean_launch_ns(const LeafSide& side) { return side.count > 0 ? side.duration_ns / side.count : 0; }

/// Sizes that the recording does not tell add up to 0.
Argument named_bytes(std::string name, double bytes) {
  return bytes > 0 ? bytes_argument(std::move(name), bytes) : named_text(std::move(name), "unknown size");
}

}  // namespace

CauseLedger::CauseLedger(Leaves& leaves, const ShapeChanges& shapes) : leaves_(&leaves), shapes_(&shapes) {
  /// Of the base's time, and of all that changed: where little did, small causes are worth their sentence.
  constexpr int64_t kMinOfBase = 2000;
  constexpr int64_t kMinOfChanges = 100;
  int64_t changes = 0;
  for (const Leaf& leaf : leaves.leaves) changes += std::abs(leaf.change_ns());
  const int64_t whole = leaves.base_ns * static_cast<int64_t>(leaves.gpus);
  least_ns_ = std::max({whole / kMinOfBase, changes / kMinOfChanges, int64_t{1}});
}

std::vector<Leaf*> CauseLedger::open(const std::function<bool(const Leaf&)>& chosen) {
  std::vector<Leaf*> found;
  for (Leaf& leaf : leaves_->leaves) {
    if (leaf.open_ns != 0 && chosen(leaf)) found.push_back(&leaf);
  }
  return found;
}

std::vector<Leaf*> CauseLedger::open_kernels() {
  return open([](const Leaf& leaf) { return !leaf.key.idle && leaf.key.kind == WorkKind::kernel; });
}

std::vector<Leaf*> CauseLedger::open_copies() {
  return open([](const Leaf& leaf) { return !leaf.key.idle && leaf.key.kind == WorkKind::copy; });
}

std::vector<Leaf*> CauseLedger::open_idle(std::span<const std::string_view> causes) {
  return open(
      [&](const Leaf& leaf) { return leaf.key.idle && std::ranges::find(causes, leaf.key.name) != causes.end(); });
}

CauseEntry* CauseLedger::claim(std::string_view family, std::span<Leaf* const> leaves, std::vector<Argument> arguments,
                               const CauseCase& facts) {
  if (std::abs(open_sum(leaves)) < least_ns_) return nullptr;
  CauseEntry& entry = entries_.emplace_back();
  entry.family = family;
  entry.arguments = std::move(arguments);
  entry.facts = facts;
  add(entry, leaves);
  return &entry;
}

void CauseLedger::add(CauseEntry& entry, std::span<Leaf* const> leaves) {
  for (Leaf* leaf : leaves) {
    (leaf->key.idle ? entry.idle_ns : entry.busy_ns) += leaf->open_ns;
    leaf->open_ns = 0;
  }
}

Argument named_text(std::string name, std::string text) {
  Argument argument;
  argument.name = std::move(name);
  argument.text = std::move(text);
  return argument;
}

Argument named_time(std::string name, double ns) {
  Argument argument;
  argument.name = std::move(name);
  argument.unit = Unit::nanoseconds;
  argument.number = ns;
  return argument;
}

Argument named_count(std::string name, double count) {
  Argument argument;
  argument.name = std::move(name);
  argument.number = count;
  return argument;
}

CauseEntry* greatest(std::vector<CauseEntry>& entries, const std::function<bool(const CauseEntry&)>& chosen) {
  CauseEntry* found = nullptr;
  for (CauseEntry& entry : entries) {
    if (!chosen(entry)) continue;
    if (found == nullptr || std::abs(entry.change_ns()) > std::abs(found->change_ns())) found = &entry;
  }
  return found;
}

int64_t open_sum(std::span<Leaf* const> leaves) {
  int64_t sum = 0;
  for (const Leaf* leaf : leaves) sum += leaf->open_ns;
  return sum;
}

LeafSums sums_of(std::span<Leaf* const> leaves) {
  LeafSums sums;
  const auto add = [](LeafSide& sum, const LeafSide& part) {
    sum.there |= part.there;
    sum.ns += part.ns;
    sum.count += part.count;
    sum.duration_ns += part.duration_ns;
    sum.bytes += part.bytes;
  };
  for (const Leaf* leaf : leaves) {
    add(sums.base, leaf->base);
    add(sums.changed, leaf->changed);
  }
  return sums;
}

CauseCase case_of(const LeafSums& sums) {
  const auto& [base, changed] = sums;
  return {.change = Direction::even,
          .sides = !base.there      ? Presence::new_only
                   : !changed.there ? Presence::base_only
                                    : Presence::both,
          .figure = direction(base.count, changed.count),
          .each = direction(mean_launch_ns(base), mean_launch_ns(changed))};
}

void add_work_arguments(const LeafSums& sums, std::vector<Argument>& arguments) {
  const auto& [base, changed] = sums;
  arguments.push_back(named_count("base_count", base.count));
  arguments.push_back(named_count("count", changed.count));
  arguments.push_back(named_time("base_mean", mean_launch_ns(base)));
  arguments.push_back(named_time("mean", mean_launch_ns(changed)));
  arguments.push_back(named_bytes("base_bytes", base.bytes));
  arguments.push_back(named_bytes("bytes", changed.bytes));
}

CauseCase add_time_arguments(std::span<Leaf* const> leaves, std::vector<Argument>& arguments) {
  const LeafSums sums = sums_of(leaves);
  const auto base_ns = static_cast<double>(sums.base.ns);
  const auto changed_ns = static_cast<double>(sums.changed.ns);
  arguments.push_back(named_time("base_time", base_ns));
  arguments.push_back(named_time("time", changed_ns));
  CauseCase facts = case_of(sums);
  facts.figure = direction(base_ns, changed_ns);
  return facts;
}

std::string kernel_names(std::span<Leaf* const> leaves) {
  constexpr size_t kMost = 2;
  std::map<std::string, int64_t> changes;
  for (const Leaf* leaf : leaves) changes[work_name(leaf->key)] += std::abs(leaf->change_ns());
  std::vector<std::pair<std::string, int64_t>> sorted(changes.begin(), changes.end());
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<std::string, int64_t>::second);
  std::string names;
  for (size_t i = 0; i < std::min(sorted.size(), kMost); ++i) names += (i == 0 ? "" : ", ") + sorted[i].first;
  return names + (sorted.size() > kMost ? ", ..." : "");
}

}  // namespace sonde::gate
