#pragma once

#include <string>

#include "gate/history/history.h"
#include "report/tables/table_format.h"

/// A figure over time, and where its level changed.
namespace sonde {

/// For each series a heading, a plot and a table of its changes; below them the notes.
[[nodiscard]] std::string history_text(const gate::History& history, const RenderOptions& options);

/// A plot of characters, `width` wide: braille dots for values, lines for the levels between changes, below them the
/// numbers of the changes (from 1; after 9 letters).
[[nodiscard]] std::string history_plot(const gate::HistorySeries& series, size_t width);

/// Schema: docs/schemas/history.schema.json.
[[nodiscard]] std::string history_json(const gate::History& history, const gate::ChangePointOptions& options);

/// A row for each value, with the level that it belongs to and the change that begins with it.
[[nodiscard]] std::string history_csv(const gate::History& history);

/// A picture of all series, light or dark as the viewer's system is.
[[nodiscard]] std::string history_svg(const gate::History& history);

/// A page with that picture and the tables. No script, nothing from elsewhere.
[[nodiscard]] std::string history_html(const gate::History& history);

/// What is said of a change: "+12.3 %".
[[nodiscard]] std::string change_text(const gate::ChangePoint& change);

/// "step_time, NVIDIA H100".
[[nodiscard]] std::string series_title(const gate::HistorySeries& series);

/// "8e1e4ab1f", else the entry, else the day.
[[nodiscard]] std::string point_name(const gate::HistoryPoint& point);

/// A p-value: "<1e-16", "2.1e-08", "0.0004".
[[nodiscard]] std::string p_text(double p);

/// A change's number in plots and tables.
[[nodiscard]] char change_mark(size_t number);

/// A value for people: with its unit, as many digits as small changes need.
[[nodiscard]] std::string value_text(const gate::HistorySeries& series, double value);

}  // namespace sonde
