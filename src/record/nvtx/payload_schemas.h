#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "record/images.h"
#include "trace/payload_schemas.h"

namespace sonde::record {

/// What programs registered of their binary payloads. Domains are the program's own numbers.
class PayloadSchemas {
 public:
  explicit PayloadSchemas(const Images& images) : images_(images) {}

  /// Records of other kinds are none of its business.
  void add(const wire::Record& record, uint32_t image);
  /// Of a program, or of one that it was forked from; null if unknown.
  [[nodiscard]] const PayloadSchema* find(uint32_t image, uint16_t domain, uint64_t schema) const;

  /// Calls take(image, domain, schema) for each.
  template <typename Take>
  void for_each(Take take) const {
    for (const auto& [key, schema] : all_) take(std::get<0>(key), std::get<1>(key), schema);
  }

 private:
  using Key = std::tuple<uint32_t, uint16_t, uint64_t>;

  const Images& images_;
  std::map<Key, PayloadSchema> all_;
};

}  // namespace sonde::record
