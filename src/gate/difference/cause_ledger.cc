#include "gate/difference/cause_ledger.h"

#include <algorithm>
#include <cmath>

namespace sonde::gate {

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

CauseEntry* CauseLedger::claim(std::string_view id, std::span<Leaf* const> leaves, std::vector<Argument> arguments) {
  if (std::abs(open_sum(leaves)) < least_ns_) return nullptr;
  CauseEntry& entry = entries_.emplace_back();
  entry.id = id;
  entry.arguments = std::move(arguments);
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

void add_count_arguments(std::span<Leaf* const> leaves, std::vector<Argument>& arguments) {
  double base = 0;
  double changed = 0;
  for (const Leaf* leaf : leaves) {
    base += leaf->base.count;
    changed += leaf->changed.count;
  }
  arguments.push_back(named_count("base_count", base));
  arguments.push_back(named_count("count", changed));
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
