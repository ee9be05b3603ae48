#include "record/library_calls.h"

#include <algorithm>

#include "record/rounds/call_row.h"

namespace sonde::record {
namespace {

/// Calls lie in calls no deeper than this; a bound where the times make no sense.
constexpr size_t kMaxWithin = 1024;

constexpr std::string_view kNcclDomain = "NCCL";

}  // namespace

std::string_view domain_of(wire::Library library) {
  switch (library) {
    case wire::Library::nccl: return kNcclDomain;
    case wire::Library::cusparse: return "cuSPARSE";
    case wire::Library::cusolver: return "cuSOLVER";
    case wire::Library::cublas:
    case wire::Library::cudnn:
    case wire::Library::count_: break;
  }
  return {};
}

void LibraryCalls::begin_thread(ThreadId thread) {
  thread_ = thread;
  first_ = calls_.size();
}

void LibraryCalls::add(wire::Library library, NameId name, int64_t start_ns, int64_t end_ns) {
  const size_t bound = std::max(first_, calls_.size() - std::min(calls_.size(), kMaxWithin));
  auto within = calls_.end();
  while (within != calls_.begin() + static_cast<std::ptrdiff_t>(bound) && std::prev(within)->start >= start_ns)
    --within;
  calls_.erase(std::remove_if(within, calls_.end(), [&](const Call& call) { return call.library == library; }),
               calls_.end());
  calls_.push_back({library, name, thread_, start_ns, end_ns});
}

void LibraryCalls::see(const Ranges& ranges) {
  for (size_t row = 0; row < ranges.start.size(); ++row) {
    if (trace_.name(trace_.domains[ranges.domain[row]].name) != kNcclDomain) continue;
    with_nccl_ranges_.insert(trace_.threads[ranges.thread[row]].process);
    seen_[static_cast<size_t>(wire::Library::nccl)] = true;
  }
}

void LibraryCalls::finish(const std::function<void()>& added) {
  const std::set<ProcessId> own = with_nccl_ranges_;  // `added` may lead to see() with ranges that are made here
  for (const Call& call : calls_) {
    if (call.library == wire::Library::nccl && own.contains(trace_.threads[call.thread].process)) continue;
    seen_[static_cast<size_t>(call.library)] = true;
    switch (call.library) {
      case wire::Library::cublas: add_call(call, CallClass::cublas); break;
      case wire::Library::cudnn: add_call(call, CallClass::cudnn); break;
      default: add_range(call); break;
    }
    added();
  }
  calls_.clear();
}

void LibraryCalls::add_call(const Call& call, CallClass call_class) {
  append(trace_.library_calls, {call.start, call.end, call.name, call.thread, call_class});
}

void LibraryCalls::add_range(const Call& call) {
  Ranges& r = trace_.ranges;
  r.start.push_back(call.start);
  r.end.push_back(call.end);
  r.name.push_back(call.name);
  r.thread.push_back(call.thread);
  r.end_thread.push_back(call.thread);
  r.domain.push_back(domain_named(domain_of(call.library)));
  r.style.push_back(static_cast<uint8_t>(RangeStyle::push_pop));
  r.category.push_back(kNone);
  r.color.push_back(kUnknown);
  r.payload_kind.push_back(0);
  r.payload.push_back(kUnknown);
}

DomainId LibraryCalls::domain_named(std::string_view name) {
  const NameId wanted = trace_.names.intern(name);
  const auto found = std::ranges::find(trace_.domains, wanted, &Domain::name);
  const auto domain = static_cast<DomainId>(found - trace_.domains.begin());
  if (found == trace_.domains.end()) trace_.domains.push_back({wanted, DomainKind::nvtx});
  return domain;
}

std::string library_list(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "," : "") + name + ",";
  return list;
}

}  // namespace sonde::record
