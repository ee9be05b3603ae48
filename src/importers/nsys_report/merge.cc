#include "importers/nsys_report/part.h"

namespace sonde::nsys {
namespace {

/// The ids of `next` as `whole` counts them.
IdMap ids_in(LocalKeys& whole, const LocalKeys& next) {
  IdMap map;
  for (const uint64_t k : next.threads.keys()) map.threads.push_back(whole.threads.id(k));
  for (const uint64_t k : next.processes.keys()) map.processes.push_back(whole.processes.id(k));
  for (const StreamKey& k : next.streams.keys()) map.streams.push_back(whole.streams.id(k));
  for (const DomainKey& k : next.domains.keys()) map.domains.push_back(whole.domains.id(k));
  for (NameId id = 0; id < next.texts.size(); ++id) map.texts.push_back(whole.texts.intern(next.texts.view(id)));
  return map;
}

template <typename T>
void move_behind(std::vector<T>& whole, std::vector<T>& next) {
  whole.insert(whole.end(), std::move_iterator(next.begin()), std::move_iterator(next.end()));
  next.clear();
}

template <typename Table>
void merge_table(Table& whole, Table& next, const IdMap& ids, std::initializer_list<Ids Table::*> text_columns) {
  place_ids(next, ids, text_columns);
  append_rows(whole, std::move(next));
  clear_rows(next);
}

template <typename PartT>
void merge_chains(PartT& whole, PartT& next) {
  place_chains(next.rows.chain, whole.chains);
  append_chains(whole.chains, next.chains);
  next.chains = {};
}

template <typename PartT>
void merge_rows(PartT& whole, PartT& next) {
  const IdMap ids = ids_in(whole, next);
  if constexpr (requires { next.chains; }) merge_chains(whole, next);
  if constexpr (std::is_same_v<PartT, NvtxPart>) {
    merge_table(whole.rows, next.rows, ids, {&Ranges::name});
    merge_table(whole.marks, next.marks, ids, {&Marks::name});
    move_behind(whole.domain_names, next.domain_names);
    move_behind(whole.categories, next.categories);
  } else if constexpr (std::is_same_v<PartT, Part<Diagnostics>>) {
    merge_table(whole.rows, next.rows, ids, {&Diagnostics::text});
  } else {
    merge_table(whole.rows, next.rows, ids, {});
  }
  next.clear();
}

template <typename Key>
void add_counts(std::map<Key, int64_t>& whole, std::map<Key, int64_t>& next) {
  for (const auto& [key, count] : next) whole[key] += count;
  next.clear();
}

void merge_counts(ReportPart& whole, ReportPart& next) {
  for (size_t i = 0; i < whole.rows.size(); ++i) whole.rows[i] += std::exchange(next.rows[i], 0);
  whole.events += std::exchange(next.events, 0);
  whole.malformed += std::exchange(next.malformed, 0);
  whole.damaged_blocks += std::exchange(next.damaged_blocks, 0);
  if (whole.damage.empty()) whole.damage = next.damage;
  next.damage.clear();
  add_counts(whole.unknown, next.unknown);
  add_counts(whole.unknown_nvtx_fields, next.unknown_nvtx_fields);
}

}  // namespace

void place_chains(Ids& column, const CallChains& whole) {
  if (whole.size() == 0) return;
  for (uint32_t& chain : column) chain = chain == kNone ? kNone : chain + static_cast<uint32_t>(whole.size());
}

void append_chains(CallChains& whole, const CallChains& next) {
  const auto first_frame = static_cast<uint32_t>(whole.symbol.size());
  for (size_t i = 1; i < next.first.size(); ++i) whole.first.push_back(first_frame + next.first[i]);
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(whole.symbol, next.symbol);
  append(whole.module, next.module);
  append(whole.address, next.address);
  append(whole.kernel_mode, next.kernel_mode);
}

void merge(ReportPart& whole, ReportPart& next) {
  for_each_rows([&](auto member) { merge_rows(whole.*member, next.*member); });
  move_behind(whole.processes, next.processes);
  merge_counts(whole, next);
}

}  // namespace sonde::nsys
