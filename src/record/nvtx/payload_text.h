#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "trace/payload_schemas.h"

namespace sonde::record {

/// What a payload needs to be read beside its bytes.
struct PayloadContext {
  std::function<const PayloadSchema*(uint64_t schema)> schema;  ///< null for one that is not known
  std::function<std::string(uint64_t string)> string;           ///< the text of a registered string
};

/// A payload that was read.
struct PayloadText {
  std::string json;                    ///< an object of its entries; of a payload without a schema the value itself
  std::optional<std::string> message;  ///< of the entry that names the event
};

/// Numbers, texts that are in the payload, arrays, enumerations, schemas within schemas. Nothing where the schema is
/// not known, has unions, points to memory outside or asks for more bytes than there are. Any bytes may come.
[[nodiscard]] std::optional<PayloadText> read_payload(uint64_t schema, std::span<const std::byte> bytes,
                                                      const PayloadContext& context);

}  // namespace sonde::record
