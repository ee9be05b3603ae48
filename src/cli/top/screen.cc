#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text/calendar.h"
#include "base/text/text_width.h"
#include "cli/gpus/cells.h"
#include "cli/top/model.h"
#include "cli/top/sparkline.h"
#include "report/text/plain_text.h"

namespace sonde::top {
namespace {

constexpr size_t kOneLine = 110;  ///< from this width on a GPU takes one line
constexpr int64_t kSecond_ns = 1'000'000'000;

/// Cut at the right or filled up.
std::string fitted(std::string_view text, size_t width) {
  const size_t characters = text_width(text);
  std::string made = characters > width ? cut_middle(text, width) : std::string(text);
  if (characters < width) made.append(width - characters, ' ');
  return made;
}

Style style_of(const device::GpuState& state) {
  if (state.failure) return Style::critical;
  constexpr int64_t kHeld = 0xE8;  // hardware slowdown, thermal (software and hardware), power brake
  return (state.reading.clocks_event_reasons.value_or(0) & kHeld) != 0 ? Style::warning : Style::plain;
}

/// What is known of a GPU now: of one that cannot be read its name.
device::GpuReading current(const device::GpuState& state) {
  device::GpuReading reading;
  if (!state.failure) return state.reading;
  reading.name = state.reading.name;
  return reading;
}

std::string use_text(const device::GpuReading& reading) {
  return reading.gpu_utilization_percent ? fmt::format("{} %", *reading.gpu_utilization_percent) : "-";
}

/// Memory, temperature, power and clock, right-aligned so that they stand below each other.
std::string figures(const device::GpuReading& reading) {
  return fmt::format("{:>15}{:>6}{:>11}{:>10}", gpus::memory_text(reading), gpus::temperature_text(reading),
                     gpus::power_text(reading), gpus::sm_clock_text(reading));
}

std::string gpu_name(const GpuRow& row, size_t index) {
  return fmt::format("gpu_{} {}", index, gpus::name_text(row.state.reading));
}

void add_gpu(const GpuRow& row, size_t index, size_t width, bool ascii, std::vector<Line>& lines) {
  constexpr size_t kName = 28;
  constexpr size_t kUse = 7;
  constexpr size_t kState = 22;
  const device::GpuReading now = current(row.state);
  const std::string use = fmt::format("{:>{}} ", use_text(now), kUse - 1);
  const std::string values = figures(now);
  const Style style = style_of(row.state);
  if (width >= kOneLine) {
    const size_t rest = width - kName - kUse - text_width(values) - kState - 4;
    lines.push_back({fmt::format("{}{}{} {}  {}", fitted(gpu_name(row, index), kName), use,
                                 sparkline(row.utilization_percent, rest, ascii), values,
                                 fitted(gpus::state_text(row.state), kState)),
                     style});
    return;
  }
  const size_t history = width > kUse + text_width(values) + 1 ? width - kUse - text_width(values) - 1 : 0;
  const std::string state = gpus::state_text(row.state);
  const size_t room = width - std::min(width, text_width(state) + 1);
  lines.push_back({fitted(gpu_name(row, index), room) + " " + state, style});
  lines.push_back({use + sparkline(row.utilization_percent, history, ascii) + " " + values, style});
}

std::string_view sort_name(Sort sort) {
  constexpr std::array<std::string_view, 5> kNames = {"memory", "GPU", "PID", "user", "command"};
  return kNames.at(static_cast<size_t>(sort));
}

/// Where a process runs, by the narrowest thing that tells it.
std::string place_of(const monitor::ProcessOwner& owner) {
  if (!owner.container.empty()) return owner.container;
  return owner.unit.empty() ? "-" : owner.unit;
}

Line process_line(const ProcessRow& row, size_t width) {
  constexpr double kGib = 1LL << 30;
  const device::GpuProcess& process = row.process.process;
  const monitor::ProcessOwner& owner = row.process.owner;
  const std::string memory = process.memory_used_bytes
                                 ? fmt::format("{:.1f} GiB", static_cast<double>(*process.memory_used_bytes) / kGib)
                                 : "-";
  const std::string head = fmt::format("{:>3} {:>8} {} {} {:>10} {}  ", row.gpu, process.pid,
                                       fitted(owner.user.empty() ? "-" : owner.user, 10), process.compute ? "C" : "G",
                                       memory, fitted(place_of(owner), 14));
  const std::string command =
      owner.alive ? one_line(owner.command) : "(the process no longer exists: its memory is leaked)";
  const size_t rest = width > text_width(head) ? width - text_width(head) : 0;
  return {head + fitted(command, rest), owner.alive ? Style::plain : Style::warning};
}

Line first_line(const Model& model, const Choice& choice) {
  const std::string time = moment_text(model.moment_ns / kSecond_ns + model.utc_offset_s, ' ');
  return {fmt::format("sonde top  {}  driver {}  every {:g} s{}{}", time,
                      model.info.driver_version.empty() ? "-" : model.info.driver_version, choice.delay_s,
                      choice.paused ? "  PAUSED" : "", model.info.simulated ? "  SIMULATED" : ""),
          Style::heading};
}

Line last_line(const Model& model, const Choice& choice) {
  if (choice.typing) return {"filter: " + choice.filter + "_", Style::selected};
  std::string text =
      fmt::format("q quit  s sort: {}{}  g GPU: {}  / filter{}  space pause  + - delay  h help", sort_name(choice.sort),
                  choice.reverse ? " reversed" : "", choice.gpu ? fmt::format("{}", *choice.gpu) : "all",
                  choice.filter.empty() ? "" : ": " + choice.filter);
  const size_t shown = shown_processes(model, choice).size();
  if (shown != model.processes.size()) text += fmt::format("  {} of {} processes", shown, model.processes.size());
  return {text, Style::selected};
}

std::vector<Line> help_lines() {
  return {{"q           quit", Style::plain},
          {"s           sort processes by memory, GPU, PID, user, command", Style::plain},
          {"r           the other way round", Style::plain},
          {"g           processes of all GPUs, of gpu_0, of gpu_1, ...", Style::plain},
          {"/           filter by a part of user, command, container, pod, unit or PID;", Style::plain},
          {"            Enter keeps it, Esc takes it away", Style::plain},
          {"up, down    scroll through the processes (also PgUp, PgDn)", Style::plain},
          {"space       pause", Style::plain},
          {"+ -         twice, half the time between two looks", Style::plain},
          {"h or ?      this, and back", Style::plain}};
}

void add_processes(const Model& model, const Choice& choice, size_t width, size_t room, std::vector<Line>& lines) {
  if (room < 2) return;
  lines.push_back({fitted("GPU      PID USER       T     MEMORY CONTAINER       COMMAND", width), Style::heading});
  const auto shown = shown_processes(model, choice);
  for (size_t i = choice.scroll; i < shown.size() && i - choice.scroll < room - 1; ++i) {
    lines.push_back(process_line(*shown[i], width));
  }
  if (shown.empty()) lines.push_back({model.processes.empty() ? "no processes" : "none fits the filter", Style::dim});
}

}  // namespace

std::vector<Line> screen(const Model& model, const Choice& choice, size_t width, size_t height, bool ascii) {
  std::vector<Line> lines = {first_line(model, choice)};
  if (choice.help) {
    std::ranges::move(help_lines(), std::back_inserter(lines));
  } else {
    for (size_t i = 0; i < model.gpus.size(); ++i) add_gpu(model.gpus[i], i, width, ascii, lines);
    const size_t used = lines.size() + 2;
    lines.push_back({"", Style::plain});
    add_processes(model, choice, width, height > used ? height - used : 0, lines);
  }
  if (lines.size() + 1 > height) lines.resize(height > 0 ? height - 1 : 0);
  while (lines.size() + 1 < height) lines.push_back({"", Style::plain});
  if (height > 0) lines.push_back(last_line(model, choice));
  for (Line& line : lines) line.text = text_width(line.text) > width ? cut_middle(line.text, width) : line.text;
  return lines;
}

}  // namespace sonde::top
