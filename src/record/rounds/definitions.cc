#include "record/rounds/definitions.h"

#include <algorithm>

#include "record/text.h"

namespace sonde::record {
namespace {

uint64_t definition_key(uint32_t of, uint64_t number) { return uint64_t{of} << 32U | (number & 0xFFFFFFFFU); }

}  // namespace

Definitions::Definitions(Trace& trace, const Slices& slices, const Images& images)
    : trace_(trace), payload_schemas_(images), default_domain_(domain_named(trace.names.intern(""))) {
  LettingGo letting_go(slices.let_go);
  for (const Slice& slice : slices.all) {
    letting_go.has_read(slice);
    wire::Reader reader(slice.records);
    wire::Record record;
    while (reader.next(record)) add(record, images.at(slice.process, record.head.time), slice);
  }
}

void Definitions::add(const wire::Record& record, uint32_t image, const Slice& slice) {
  switch (record.head.kind) {
    case wire::Kind::string: strings_[definition_key(image, record.id)] = intern_text(trace_, record.text); return;
    case wire::Kind::domain:
      domains_[definition_key(image, record.id)] = domain_named(intern_text(trace_, record.text));
      return;
    case wire::Kind::thread_name:
      threads_[definition_key(slice.process, record.id)] = intern_text(trace_, record.text);
      return;
    case wire::Kind::category:
      categories_[{image, record.head.domain, static_cast<uint32_t>(record.id)}] = {
          slice.process, slice.thread, record.head.time, intern_text(trace_, record.text)};
      return;
    default: return payload_schemas_.add(record, image);
  }
}

DomainId Definitions::domain_named(NameId name) {
  const auto [found, fresh] = by_name_.try_emplace(name, static_cast<DomainId>(trace_.domains.size()));
  if (fresh && trace_.domains.size() >= kNoDomain) return found->second = default_domain_;
  if (fresh) trace_.domains.push_back({name, domain_kind(trace_.name(name))});
  return found->second;
}

NameId Definitions::string(uint32_t image, uint32_t number) const {
  const auto found = strings_.find(definition_key(image, number));
  return found != strings_.end() ? found->second
                                 : trace_.names.intern(fmt::format("registered string {} (name lost)", number));
}

DomainId Definitions::domain(uint32_t image, uint16_t number) const {
  const auto found = domains_.find(definition_key(image, number));
  return found != domains_.end() ? found->second : default_domain_;
}

NameId Definitions::thread(uint32_t process, uint32_t thread) const {
  const auto found = threads_.find(definition_key(process, thread));
  return found != threads_.end() ? found->second : kNone;
}

void Definitions::hand_over(const std::function<ThreadId(uint32_t process, uint32_t thread)>& thread_row,
                            int64_t origin_ns) const {
  for (const auto& [place, category] : categories_) {
    const auto [image, of, number] = place;
    trace_.categories.push_back({.start = std::max<int64_t>(0, category.time - origin_ns),
                                 .thread = thread_row(category.process, category.thread),
                                 .domain = domain(image, of),
                                 .number = number,
                                 .name = category.name});
  }
  payload_schemas_.for_each([&](uint32_t image, uint16_t of, const PayloadSchema& schema) {
    trace_.payload_schemas.push_back(schema);
    trace_.payload_schemas.back().domain = domain(image, of);
  });
}

}  // namespace sonde::record
