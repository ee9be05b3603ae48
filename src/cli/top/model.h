#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/parallel_reader.h"
#include "monitor/owner.h"

/// What `sonde top` knows and how it shows it; the terminal itself is in terminal.h.
namespace sonde::top {

/// A GPU now, and what it did in the rounds before, the latest last; absent where it did not say.
struct GpuRow {
  device::GpuState state;
  std::deque<std::optional<double>> utilization_percent;
  std::deque<std::optional<double>> memory_percent;
};

struct ProcessRow {
  size_t gpu = 0;
  monitor::OwnedProcess process;
};

struct Model {
  device::SourceInfo info;
  int64_t moment_ns = 0;  ///< since 1970
  int64_t utc_offset_s = 0;
  std::vector<GpuRow> gpus;
  std::vector<ProcessRow> processes;
};

/// Rounds that are kept: more than a wide terminal shows.
inline constexpr size_t kKept = 300;

/// Adds a round: the state of every GPU, in order. Of simulated GPUs no process is looked for on this host.
void add_round(Model& model, std::vector<device::GpuState> states, monitor::ProcessOwners& owners);

enum class Sort { memory, gpu, pid, user, command };

/// What the keys chose.
struct Choice {
  Sort sort = Sort::memory;
  bool reverse = false;
  std::string filter;         ///< part of user, command, container, pod, unit or PID
  bool typing = false;        ///< keys go to the filter
  std::optional<size_t> gpu;  ///< only this one's processes
  size_t scroll = 0;          ///< processes above the first that is shown
  bool paused = false;
  bool help = false;
  double delay_s = 1;
};

/// Keys that are no characters.
enum Key : int { kEnter = 10, kEscape = 27, kBackspace = 127, kUp = 1000, kDown, kPageUp, kPageDown };

/// Does what a key asks for. False: end.
[[nodiscard]] bool press(int key, const Model& model, Choice& choice);

/// The processes that are shown, in their order.
[[nodiscard]] std::vector<const ProcessRow*> shown_processes(const Model& model, const Choice& choice);

enum class Style { plain, heading, dim, warning, critical, selected };
struct Line {
  std::string text;
  Style style = Style::plain;
};

/// At most `height` lines of at most `width` characters. `ascii`: history without block characters.
[[nodiscard]] std::vector<Line> screen(const Model& model, const Choice& choice, size_t width, size_t height,
                                       bool ascii);

}  // namespace sonde::top
