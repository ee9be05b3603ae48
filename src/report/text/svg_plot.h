#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sonde {

/// A plot of values over time, as an SVG file that follows the reader's light or dark theme. Its pieces may use the
/// classes back, small (text beside), title and grid, and the colors --bg, --fg, --muted and --line.
struct SvgPlot {
  std::string_view name;  ///< class of the whole: "sonde-history"
  std::string_view label;
  double width = 0;
  double height = 0;
  std::string_view colors;       ///< further ones: "--dot:#0a62a8;"
  std::string_view dark_colors;  ///< the same on a dark ground
  std::string_view rules;        ///< style of further classes
};

/// Up to its background; "</svg>\n" ends it.
[[nodiscard]] std::string svg_begin(const SvgPlot& plot);

/// The smallest factor times a power of ten that is at least `rough`, which is above 0; `factors` rise from 1.
[[nodiscard]] double step_above(double rough, std::span<const double> factors);

}  // namespace sonde
