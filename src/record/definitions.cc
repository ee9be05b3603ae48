#include "record/definitions.h"

#include "record/text.h"

namespace sonde::record {
namespace {

uint64_t key(uint32_t of, uint64_t number) { return uint64_t{of} << 32U | (number & 0xFFFFFFFFU); }

}  // namespace

Definitions::Definitions(Trace& trace, const Slices& slices, const Images& images)
    : trace_(trace), default_domain_(domain_named(trace.names.intern(""))) {
  LettingGo letting_go(slices.let_go);
  for (const Slice& slice : slices.all) {
    letting_go.has_read(slice);
    wire::Reader reader(slice.records);
    wire::Record record;
    while (reader.next(record)) add(record, images.at(slice.process, record.head.time), slice.process);
  }
}

void Definitions::add(const wire::Record& record, uint32_t image, uint32_t process) {
  switch (record.head.kind) {
    case wire::Kind::string: strings_[key(image, record.id)] = intern_text(trace_, record.text); return;
    case wire::Kind::domain: domains_[key(image, record.id)] = domain_named(intern_text(trace_, record.text)); return;
    case wire::Kind::thread_name: threads_[key(process, record.id)] = intern_text(trace_, record.text); return;
    default: return;
  }
}

DomainId Definitions::domain_named(NameId name) {
  const auto [found, fresh] = by_name_.try_emplace(name, static_cast<DomainId>(trace_.domains.size()));
  if (fresh && trace_.domains.size() >= kNoDomain) return found->second = default_domain_;
  if (fresh) trace_.domains.push_back({name, domain_kind(trace_.name(name))});
  return found->second;
}

NameId Definitions::string(uint32_t image, uint32_t number) const {
  const auto found = strings_.find(key(image, number));
  return found != strings_.end() ? found->second
                                 : trace_.names.intern(fmt::format("registered string {}, name lost", number));
}

DomainId Definitions::domain(uint32_t image, uint16_t number) const {
  const auto found = domains_.find(key(image, number));
  return found != domains_.end() ? found->second : default_domain_;
}

NameId Definitions::thread(uint32_t process, uint32_t thread) const {
  const auto found = threads_.find(key(process, thread));
  return found != threads_.end() ? found->second : kNone;
}

}  // namespace sonde::record
