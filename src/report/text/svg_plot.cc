#include "report/text/svg_plot.h"

#include <cmath>

#include <fmt/format.h>

namespace sonde {

std::string svg_begin(const SvgPlot& plot) {
  std::string text = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="{}" role="img" aria-label="{}" viewBox="0 0 {} {}" width="{}" height="{}"><style>)",
      plot.name, plot.label, plot.width, plot.height, plot.width, plot.height);
  text += fmt::format(R"(
.{0}{{--bg:#ffffff;--fg:#1b1f24;--muted:#59626d;--line:#e3e7eb;{1}
font:13px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Arial,sans-serif}}
@media (prefers-color-scheme:dark){{.{0}{{--bg:#16191d;--fg:#e3e6ea;--muted:#9aa4af;--line:#2c333a;
{2}}}}}
.{0} .back{{fill:var(--bg)}}.{0} text{{fill:var(--fg)}}.{0} .small{{fill:var(--muted);font-size:11px}}
.{0} .title{{font-weight:600}}.{0} .grid{{stroke:var(--line)}}
)",
                      plot.name, plot.colors, plot.dark_colors);
  return text + std::string(plot.rules) + "</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n";
}

double step_above(double rough, std::span<const double> factors) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : factors) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

}  // namespace sonde
