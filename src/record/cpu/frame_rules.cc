#include "record/cpu/frame_rules.h"

#include <cstdlib>

namespace sonde::record {
namespace {

/// Some 60 MB; a program that is sampled in more places than that starts again.
constexpr size_t kMaxKnown = size_t{1} << 16U;

struct FrameEnd {
  void operator()(Dwarf_Frame* frame) const { free(frame); }  // NOLINT(cppcoreguidelines-no-malloc): libdw's
};

RegisterRule keep(FrameRules& rules, const Dwarf_Op* operations, size_t count) {
  const auto begin = static_cast<uint16_t>(rules.operations.size());
  rules.operations.insert(rules.operations.end(), operations, operations + count);
  return {RegisterRule::Kind::expression, begin, static_cast<uint16_t>(count)};
}

/// libdw's way to say it: no operations in its own place mean "undefined", none in no place "same".
RegisterRule rule_of(Dwarf_Frame* frame, size_t number, FrameRules& rules) {
  std::array<Dwarf_Op, 3> place{};
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  if (dwarf_frame_register(frame, static_cast<int>(number), place.data(), &operations, &count) != 0) return {};
  if (count > 0) return keep(rules, operations, count);
  return {operations == nullptr ? RegisterRule::Kind::same : RegisterRule::Kind::undefined, 0, 0};
}

}  // namespace

std::unique_ptr<FrameTable> FrameTable::of(Elf* elf) {
  auto table = std::unique_ptr<FrameTable>(new FrameTable());
  table->eh_.reset(dwarf_getcfi_elf(elf));
  table->dwarf_.reset(dwarf_begin_elf(elf, DWARF_C_READ, nullptr));
  if (table->dwarf_) table->debug_ = dwarf_getcfi(table->dwarf_.get());
  return table->eh_ || table->debug_ != nullptr ? std::move(table) : nullptr;
}

const FrameRules* FrameTable::at(uint64_t address) {
  const auto found = known_.find(address);
  if (found != known_.end()) return found->second.get();
  if (known_.size() >= kMaxKnown) known_.clear();
  return known_.emplace(address, read(address)).first->second.get();
}

std::unique_ptr<FrameRules> FrameTable::read(uint64_t address) const {
  Dwarf_Frame* found = nullptr;
  const bool by_eh = eh_ && dwarf_cfi_addrframe(eh_.get(), address, &found) == 0;
  if (!by_eh && (debug_ == nullptr || dwarf_cfi_addrframe(debug_, address, &found) != 0)) return nullptr;
  const std::unique_ptr<Dwarf_Frame, FrameEnd> frame(found);
  auto rules = std::make_unique<FrameRules>();
  dwarf_frame_info(found, nullptr, nullptr, &rules->signal);
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  if (dwarf_frame_cfa(found, &operations, &count) != 0 || count == 0) return nullptr;
  rules->frame_address = keep(*rules, operations, count);
  for (size_t number = 0; number < kDwarfRegisters; ++number) {
    rules->registers[number] = rule_of(found, number, *rules);
  }
  return rules;
}

}  // namespace sonde::record
