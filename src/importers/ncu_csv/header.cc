#include "importers/ncu_csv/header.h"

#include <algorithm>

namespace sonde::ncu_csv {
namespace {

constexpr std::array kHeaders = {
#define SONDE_NCU_COLUMN(id, header) std::string_view(header),
#include "importers/ncu_csv/columns.inc"
#undef SONDE_NCU_COLUMN
};

}  // namespace

bool Header::is_one(const Record& record) {
  return record.front() == "ID" && std::ranges::find(record, "Kernel Name") != record.end();
}

Header::Header(const Record& record) {
  index_.fill(kAbsent);
  for (size_t i = 0; i < record.size(); ++i) {
    const auto* known = std::ranges::find(kHeaders, record[i]);
    if (known != kHeaders.end()) {
      index_[static_cast<size_t>(known - kHeaders.begin())] = i;
    } else if (!record[i].empty()) {
      metrics_.push_back({i, record[i]});
    }
  }
  if (!is_wide()) metrics_.clear();
  least_fields_ = is_wide() ? record.size() : at(has(Column::value) ? Column::value : Column::metric) + 1;
}

std::string_view Header::field(const Record& record, Column column) const {
  const size_t index = at(column);
  return index < record.size() ? std::string_view(record[index]) : std::string_view();
}

}  // namespace sonde::ncu_csv
