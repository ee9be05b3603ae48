#pragma once

#include <nlohmann/json.hpp>

#include "analyses/tables/table.h"

namespace sonde {

/// TableColumn[] of web/src/data/format.ts: numbers with the digits that their column has everywhere, moments from
/// `origin_ns` on.
[[nodiscard]] nlohmann::ordered_json table_columns_json(const Table& table, int64_t origin_ns);

}  // namespace sonde
