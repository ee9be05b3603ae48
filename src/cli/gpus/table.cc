#include <algorithm>

#include <fmt/format.h>

#include "base/text/text_width.h"
#include "cli/gpus/cells.h"
#include "cli/gpus/view.h"

namespace sonde::gpus {
namespace {

using device::GpuReading;
using device::GpuState;

constexpr size_t kDefaultWidth = 100;
/// From here there is room for PCIe, ECC, processes and the UUID.
constexpr size_t kWide = 120;

struct Cell {
  std::string text;
  bool left = false;
};

struct TableColumn {
  std::string_view title;
  bool wide;  ///< only where there is room
  Cell (*cell)(const GpuState& state);
};

template <typename T>
std::string or_dash(const std::optional<T>& value, std::string_view unit) {
  return value ? fmt::format("{} {}", *value, unit) : "-";
}

Cell index_cell(const GpuState& s) { return {s.reading.index ? fmt::format("{}", *s.reading.index) : "-"}; }

Cell pcie_cell(const GpuState& s) {
  const GpuReading& r = s.reading;
  if (!r.pcie_generation || !r.pcie_width) return {"-"};
  const std::string now = fmt::format("{}x{}", *r.pcie_generation, *r.pcie_width);
  const bool knows = r.pcie_max_generation && r.pcie_max_width;
  return {knows ? fmt::format("{} of {}x{}", now, *r.pcie_max_generation, *r.pcie_max_width) : now};
}

Cell ecc_cell(const GpuState& s) {
  const GpuReading& r = s.reading;
  return {r.ecc_uncorrected_volatile_total ? fmt::format("{}", *r.ecc_uncorrected_volatile_total) : "-"};
}

Cell processes_cell(const GpuState& s) {
  return {s.reading.running ? fmt::format("{}", s.reading.running->size()) : "-"};
}

constexpr auto kTableColumns = std::to_array<TableColumn>({
    {"GPU", false, index_cell},
    {"Name", false, [](const GpuState& s) { return Cell{name_text(s.reading), true}; }},
    {"Use", false, [](const GpuState& s) { return Cell{or_dash(s.reading.gpu_utilization_percent, "%")}; }},
    {"Memory", false, [](const GpuState& s) { return Cell{memory_text(s.reading)}; }},
    {"Temp", false, [](const GpuState& s) { return Cell{temperature_text(s.reading)}; }},
    {"Margin", true, [](const GpuState& s) { return Cell{or_dash(s.reading.temperature_margin_celsius, "C")}; }},
    {"Power", false, [](const GpuState& s) { return Cell{power_text(s.reading)}; }},
    {"SM clock", false, [](const GpuState& s) { return Cell{sm_clock_text(s.reading)}; }},
    {"PCIe", true, pcie_cell},
    {"ECC", true, ecc_cell},
    {"Procs", true, processes_cell},
    {"State", false, [](const GpuState& s) { return Cell{state_text(s), true}; }},
});

struct Grid {
  std::vector<const TableColumn*> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<size_t> widths;
};

Grid grid_of(const View& view, size_t width) {
  Grid grid;
  for (const TableColumn& column : kTableColumns) {
    if (column.wide && width < kWide) continue;
    grid.columns.push_back(&column);
    grid.widths.push_back(text_width(column.title));
  }
  for (const GpuState& state : view.states) {
    grid.rows.emplace_back();
    for (size_t i = 0; i < grid.columns.size(); ++i) {
      grid.rows.back().push_back(grid.columns[i]->cell(state));
      grid.widths[i] = std::max(grid.widths[i], text_width(grid.rows.back().back().text));
    }
  }
  return grid;
}

/// The name gives way where a line would be too long, down to what still tells GPUs apart.
void fit(Grid& grid, size_t width) {
  constexpr size_t kName = 1;
  constexpr size_t kShortestName = 12;
  size_t total = 2 * (grid.widths.size() - 1);
  for (const size_t w : grid.widths) total += w;
  const size_t over = total > width ? total - width : 0;
  grid.widths[kName] =
      std::max(std::min(grid.widths[kName], kShortestName), grid.widths[kName] - std::min(grid.widths[kName], over));
}

std::string padded(const Cell& cell, size_t width) {
  const std::string text = cut_middle(cell.text, width);
  const std::string blanks(width - text_width(text), ' ');
  return cell.left ? text + blanks : blanks + text;
}

std::string line_of(const std::vector<Cell>& cells, const Grid& grid) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : "  ") + padded(cells[i], grid.widths[i]);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string heading(const View& view) {
  const device::SourceInfo& info = *view.info;
  if (info.simulated) return "SIMULATED GPUs: nothing here was measured\n";
  std::string text = fmt::format("NVIDIA driver {}", info.driver_version.empty() ? "-" : info.driver_version);
  if (!info.cuda_version.empty()) text += fmt::format(", CUDA up to {}", info.cuda_version);
  return text + "\n";
}

std::string process_lines(const View& view) {
  std::string text;
  for (const GpuState& state : view.states) {
    if (!state.reading.running || state.failure) continue;
    for (const device::GpuProcess& p : *state.reading.running) {
      const std::string memory = process_memory_text(p);
      text += fmt::format("{:>3}  {:>8}  {:>9}  {}\n", state.reading.index.value_or(0), p.pid, memory,
                          p.name.empty() ? "-" : p.name);
    }
  }
  return text.empty() ? "" : "\nGPU       PID     Memory  Process\n" + text;
}

}  // namespace

std::string table_text(const View& view, size_t width) {
  if (width == 0) width = kDefaultWidth;
  Grid grid = grid_of(view, width);
  fit(grid, width);
  std::vector<Cell> titles;
  for (size_t i = 0; i < grid.columns.size(); ++i) {
    const bool left = !grid.rows.empty() && grid.rows.front()[i].left;
    titles.push_back({std::string(grid.columns[i]->title), left});
  }
  std::string text = heading(view) + "\n" + line_of(titles, grid);
  for (const auto& row : grid.rows) text += line_of(row, grid);
  text += process_lines(view);
  for (const GpuState& state : view.states) {
    if (state.failure) text += fmt::format("\n{}\n", state.failure->message);
  }
  return text;
}

}  // namespace sonde::gpus
