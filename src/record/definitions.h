#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "record/images.h"
#include "trace/trace.h"

namespace sonde::record {

/// What programs named once and used by number.
class Definitions {
 public:
  Definitions(Trace& trace, const Slices& slices, const Images& images);

  /// The text of a registered string; one that was never told is named by its number.
  [[nodiscard]] NameId string(uint32_t image, uint32_t number) const;
  /// Domains of one name are one domain of the trace.
  [[nodiscard]] DomainId domain(uint32_t image, uint16_t number) const;
  /// What a program calls a thread of its process; kNone where it does not.
  [[nodiscard]] NameId thread(uint32_t process, uint32_t thread) const;

 private:
  using Names = boost::unordered_flat_map<uint64_t, NameId>;

  void add(const wire::Record& record, uint32_t image, uint32_t process);
  [[nodiscard]] DomainId domain_named(NameId name);

  Trace& trace_;
  Names strings_;
  Names threads_;
  boost::unordered_flat_map<uint64_t, DomainId> domains_;
  boost::unordered_flat_map<NameId, DomainId> by_name_;
  DomainId default_domain_;
};

}  // namespace sonde::record
