#include <algorithm>

#include <fmt/format.h>

#include "cli/gpus/view.h"
#include "report/text_width.h"

namespace sonde::gpus {
namespace {

using device::GpuReading;
using device::GpuState;

constexpr size_t kDefaultWidth = 100;
/// From here there is room for PCIe, ECC, processes and the UUID.
constexpr size_t kWide = 120;
constexpr int64_t kIdleBit = 0x1;

struct Cell {
  std::string text;
  bool left = false;
};

struct Column {
  std::string_view title;
  bool wide;  ///< only where there is room
  Cell (*cell)(const GpuState& state);
};

template <typename T>
std::string or_dash(const std::optional<T>& value, std::string_view unit) {
  return value ? fmt::format("{} {}", *value, unit) : "-";
}

double gib(int64_t bytes) { return static_cast<double>(bytes) / (1LL << 30); }

/// Without the maker: all are of the same.
Cell name_cell(const GpuState& s) {
  constexpr std::string_view kMaker = "NVIDIA ";
  const std::string name = s.reading.name.value_or("-");
  return {name.starts_with(kMaker) ? name.substr(kMaker.size()) : name, true};
}
Cell index_cell(const GpuState& s) { return {s.reading.index ? fmt::format("{}", *s.reading.index) : "-"}; }

Cell memory_cell(const GpuState& s) {
  const GpuReading& r = s.reading;
  if (!r.memory_total_bytes || !r.memory_used_bytes) return {"-"};
  return {fmt::format("{:.1f}/{:.1f} GiB", gib(*r.memory_used_bytes), gib(*r.memory_total_bytes))};
}

Cell power_cell(const GpuState& s) {
  const GpuReading& r = s.reading;
  if (!r.power_draw_milliwatts) return {"-"};
  const auto watts = [](int64_t milliwatts) { return (milliwatts + 500) / 1000; };
  const auto& limit = r.power_enforced_limit_milliwatts ? r.power_enforced_limit_milliwatts : r.power_limit_milliwatts;
  return {limit ? fmt::format("{}/{} W", watts(*r.power_draw_milliwatts), watts(*limit))
                : fmt::format("{} W", watts(*r.power_draw_milliwatts))};
}

Cell temperature_cell(const GpuState& s) { return {or_dash(s.reading.temperature_celsius, "C")}; }

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

/// What holds a GPU down or keeps it from being read.
Cell state_cell(const GpuState& s) {
  if (s.failure) {
    switch (s.failure->kind) {
      case device::FailureKind::lost: return {"LOST", true};
      case device::FailureKind::not_answering: return {"NOT ANSWERING", true};
      case device::FailureKind::reset_required: return {"RESET REQUIRED", true};
      default: return {"NOT READABLE", true};
    }
  }
  const int64_t reasons = s.reading.clocks_event_reasons.value_or(0);
  const int64_t held = reasons & ~kIdleBit;
  if (held != 0) return {device::clock_reasons_text(held), true};
  return {(reasons & kIdleBit) != 0 ? "idle" : "", true};
}

constexpr auto kColumns = std::to_array<Column>({
    {"GPU", false, index_cell},
    {"Name", false, name_cell},
    {"Use", false, [](const GpuState& s) { return Cell{or_dash(s.reading.gpu_utilization_percent, "%")}; }},
    {"Memory", false, memory_cell},
    {"Temp", false, temperature_cell},
    {"Margin", true, [](const GpuState& s) { return Cell{or_dash(s.reading.temperature_margin_celsius, "C")}; }},
    {"Power", false, power_cell},
    {"SM clock", false, [](const GpuState& s) { return Cell{or_dash(s.reading.sm_clock_mhz, "MHz")}; }},
    {"PCIe", true, pcie_cell},
    {"ECC", true, ecc_cell},
    {"Procs", true, processes_cell},
    {"State", false, state_cell},
});

struct Grid {
  std::vector<const Column*> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<size_t> widths;
};

Grid grid_of(const View& view, size_t width) {
  Grid grid;
  for (const Column& column : kColumns) {
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
      const std::string memory = p.memory_used_bytes ? fmt::format("{:.1f} GiB", gib(*p.memory_used_bytes)) : "-";
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
