#include "analyses/ranges/range_columns.h"

#include "analyses/ranges/range_label.h"

namespace sonde {

const Column::Texts& add_range_names(Table& table, std::string name, const Trace& trace, const std::vector<Row>& rows) {
  Grouping<RangeLabel> labels;
  std::vector<std::string_view> texts;
  auto& names = table.texts(std::move(name));
  names.reserve(rows.size());
  for (const Row row : rows) {
    const RangeLabel label = label_of_range(trace, row);
    const uint32_t group = labels.group_of(label);
    if (group == texts.size()) texts.push_back(table.keep(label.text_of(trace)));
    names.push_back(texts[group]);
  }
  return names;
}

}  // namespace sonde
