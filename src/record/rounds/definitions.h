#pragma once

#include <functional>
#include <map>
#include <tuple>

#include <boost/unordered/unordered_flat_map.hpp>

#include "record/images.h"
#include "record/nvtx/payload_schemas.h"
#include "trace/trace.h"

namespace sonde::record {

/// What programs named once and used by number.
class Definitions {
 public:
  Definitions(Trace& trace, const Slices& slices, const Images& images);

  /// The text of a registered string; one that was never reported is named by its number.
  [[nodiscard]] NameId string(uint32_t image, uint32_t number) const;
  /// Domains of one name are one domain of the trace.
  [[nodiscard]] DomainId domain(uint32_t image, uint16_t number) const;
  /// What a program calls a thread of its process; kNone where it does not.
  [[nodiscard]] NameId thread(uint32_t process, uint32_t thread) const;
  [[nodiscard]] const PayloadSchemas& payload_schemas() const { return payload_schemas_; }
  /// Gives the trace what programs named beside strings and domains. `thread_row` gives a thread its row; times count
  /// from `origin_ns`, and what is older is at 0.
  void hand_over(const std::function<ThreadId(uint32_t process, uint32_t thread)>& thread_row, int64_t origin_ns) const;

 private:
  struct Category {
    uint32_t process;
    uint32_t thread;
    int64_t time;
    NameId name;
  };
  using CategoryKey = std::tuple<uint32_t, uint16_t, uint32_t>;  ///< image, domain, number
  using Names = boost::unordered_flat_map<uint64_t, NameId>;

  void add(const wire::Record& record, uint32_t image, const Slice& slice);
  [[nodiscard]] DomainId domain_named(NameId name);

  Trace& trace_;
  PayloadSchemas payload_schemas_;
  std::map<CategoryKey, Category> categories_;
  Names strings_;
  Names threads_;
  boost::unordered_flat_map<uint64_t, DomainId> domains_;
  boost::unordered_flat_map<NameId, DomainId> by_name_;
  DomainId default_domain_;
};

}  // namespace sonde::record
