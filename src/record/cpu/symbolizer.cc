#include "record/cpu/symbolizer.h"

#include <cxxabi.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <cstdlib>

#include <boost/unordered/unordered_flat_set.hpp>

#include "record/cpu/kernel_symbols.h"
#include "trace/thread_starts.h"

namespace sonde::record {
namespace {

constexpr std::string_view kKernelModule = "[kernel]";
constexpr std::string_view kNoModule = "[unknown]";

std::string demangled(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return mangled;
  int status = 0;
  const std::unique_ptr<char, decltype(&free)> plain(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                                     &free);
  return status == 0 ? std::string(plain.get()) : mangled;
}

PerfRecord mapping_of(const ReportedMapping& code) {
  PerfRecord mapping;
  mapping.type = PERF_RECORD_MMAP2;
  mapping.process = code.process;
  mapping.time = code.time;
  mapping.address = code.place.begin;
  mapping.length = code.place.end - code.place.begin;
  mapping.offset = code.place.offset;
  mapping.inode = code.place.inode;
  mapping.text = code.path;
  return mapping;
}

std::string key_of(uint64_t era, std::span<const uint64_t> kernel, std::span<const uint64_t> user) {
  std::string key(reinterpret_cast<const char*>(&era), sizeof era);
  key.append(reinterpret_cast<const char*>(kernel.data()), kernel.size_bytes());
  key.push_back('|');
  key.append(reinterpret_cast<const char*>(user.data()), user.size_bytes());
  return key;
}

}  // namespace

Symbolizer::Symbolizer(Trace& trace, const Slices& slices) : trace_(trace) {
  for (const Slice& slice : slices.cpu) {
    PerfReader reader(slice.records, PerfReader::Samples::chain);
    PerfRecord record;
    while (reader.next(record)) spaces_.add(record);
  }
}

void Symbolizer::add(const Images& images) {
  boost::unordered_flat_set<uint32_t> known;
  for (const Image& image : images.all()) {
    if (spaces_.knows(image.process) && !known.contains(image.process)) continue;
    known.insert(image.process);
    PerfRecord begin;
    begin.type = PERF_RECORD_COMM;
    begin.misc = PERF_RECORD_MISC_COMM_EXEC;
    begin.process = image.process;
    begin.time = image.since;
    spaces_.add(begin);
  }
  for (const ReportedMapping& code : images.code()) {
    if (known.contains(code.process)) spaces_.add(mapping_of(code));
  }
}

ChainId Symbolizer::chain(uint32_t process, int64_t time, std::span<const uint64_t> addresses) {
  if (addresses.empty()) return kNone;
  const auto [chain, fresh] = begin_chain(spaces_.era(process, time), {}, addresses);
  if (!fresh) return chain;
  for (const uint64_t address : addresses) add_user_frame(process, time, address, true);
  trace_.chains.first.push_back(static_cast<uint32_t>(trace_.chains.symbol.size()));
  return chain;
}

ChainId Symbolizer::chain(uint32_t process, int64_t time, std::span<const uint64_t> kernel,
                          std::span<const uint64_t> user) {
  if (kernel.empty() && user.empty()) return kNone;
  const auto [chain, fresh] = begin_chain(spaces_.era(process, time), kernel, user);
  if (!fresh) return chain;
  const NameId module = trace_.names.intern(kKernelModule);
  for (const uint64_t address : kernel) {
    const std::string_view name = kernel_symbol(address);
    add_frame({trace_.names.intern(name.empty() ? kKernelModule : name), module}, address, true);
  }
  bool called = false;
  for (const uint64_t address : user) {
    add_user_frame(process, time, address, called);
    called = true;
  }
  trace_.chains.first.push_back(static_cast<uint32_t>(trace_.chains.symbol.size()));
  return chain;
}

/// A chain, and whether it is a new one, whose frames are to follow.
std::pair<ChainId, bool> Symbolizer::begin_chain(uint64_t era, std::span<const uint64_t> kernel,
                                                 std::span<const uint64_t> user) {
  const auto next = static_cast<ChainId>(trace_.chains.size());
  const auto [found, fresh] = known_chains_.try_emplace(key_of(era, kernel, user), next);
  return {found->second, fresh};
}

void Symbolizer::add_user_frame(uint32_t process, int64_t time, uint64_t address, bool called) {
  add_frame(user_name(process, time, address, called), address, false);
}

void Symbolizer::add_frame(const Name& name, uint64_t address, bool kernel) {
  trace_.chains.symbol.push_back(name.symbol);
  trace_.chains.module.push_back(name.module);
  trace_.chains.address.push_back(static_cast<int64_t>(address));
  trace_.chains.kernel_mode.push_back(kernel ? 1 : 0);
}

Symbolizer::Name Symbolizer::user_name(uint32_t process, int64_t time, uint64_t address, bool called) {
  const auto place = spaces_.find(process, time, address - (called ? 1U : 0U));
  if (!place) return name_outside(process, address);
  constexpr uint32_t kFileShift = 44;  // files are smaller than 16 TB
  const uint64_t key = (uint64_t{place->file} << kFileShift | place->offset) * 2 + (called ? 1U : 0U);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  const Name name = files_.at(place->file).state() == CodeFile::State::no_file
                        ? name_outside(process, address)
                        : name_in(place->file, place->offset, called);
  if (files_.at(place->file).state() == CodeFile::State::no_file) return name;
  return known_[key] = name;
}

/// A signal handler returns to the first instruction of a function, which no call stands before.
Symbolizer::Name Symbolizer::name_in(FileId file, uint64_t offset, bool called) {
  const NameId module = trace_.names.intern(spaces_.files()[file].path);
  const auto address = files_.at(file).address_of(offset);
  if (!address) return {trace_.names.intern(fmt::format("{:#x}", offset)), module};
  std::string_view symbol = files_.at(file).symbol(*address);
  if (symbol.empty() && called) symbol = files_.at(file).symbol(*address + 1);
  return {trace_.names.intern(symbol.empty() ? fmt::format("{:#x}", *address) : demangled(std::string(symbol))),
          module};
}

/// Interpreters that make code tell what it is in a file that perf(1) reads too.
Symbolizer::Name Symbolizer::name_outside(uint32_t process, uint64_t address) {
  auto& made = made_[process];
  if (!made) made = std::make_unique<PerfMap>(process);
  const std::string_view name = made->at(address);
  return {trace_.names.intern(name.empty() ? fmt::format("{:#x}", address) : std::string(name)),
          trace_.names.intern(kNoModule)};
}

bool Symbolizer::ends_at_start(ChainId chain) const {
  const CallChains& chains = trace_.chains;
  if (chain == kNone || chains.first[chain] == chains.first[chain + 1]) return false;
  return is_thread_start(trace_.name(chains.symbol[chains.first[chain + 1] - 1]));
}

}  // namespace sonde::record
