#include "base/text/calendar.h"
#include "report/history/history_report.h"
#include "report/text/plain_text.h"

namespace sonde {
namespace {

constexpr std::string_view kHistoryHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Sonde: history</title>
<style>
:root{color-scheme:light dark;--bg:#ffffff;--fg:#1b1f24;--line:#cfd5dc;--worse:#a4290f;--better:#1a6b3c}
@media (prefers-color-scheme:dark){:root{--bg:#16191d;--fg:#e3e6ea;--line:#3a424b;--worse:#ff9b82;--better:#7fd6a0}}
body{background:var(--bg);color:var(--fg);font:14px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Arial,sans-serif;
max-width:1000px;margin:1.5rem auto;padding:0 1rem}
svg{max-width:100%;height:auto}
table{border-collapse:collapse;margin:.5rem 0 1.5rem}th,td{padding:.25rem .75rem;border-bottom:1px solid var(--line);text-align:left}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}.worse{color:var(--worse)}.better{color:var(--better)}
h1{font-size:1.4rem}h2{font-size:1.05rem;margin-bottom:0}.scroll{overflow-x:auto}
</style>
</head>
<body>
<h1>Metrics over time</h1>
)";

std::string change_row(const gate::HistorySeries& series, size_t i) {
  const gate::ChangePoint& change = series.changes[i];
  const gate::HistoryPoint& point = series.points[change.index];
  const char* verdict = is_worse(series, change) ? "worse" : "better";
  return fmt::format(R"(<tr><td>{}</td><td>{}</td><td>{}</td><td class="number">{}</td><td class="number">{}</td>)"
                     R"(<td class="number {}">{}</td><td class="{}">{}</td><td class="number">{}</td></tr>)",
                     change_mark(i + 1), xml_text(point.commit.empty() ? point_name(point) : point.commit),
                     moment_text(point.time_s, ' '), xml_text(value_text(series, change.before)),
                     xml_text(value_text(series, change.after)), verdict, change_text(change), verdict, verdict,
                     xml_text(p_text(change.p))) +
         "\n";
}

std::string changes(const gate::HistorySeries& series) {
  std::string text = fmt::format("<h2>{}</h2>\n", xml_text(series_title(series)));
  if (series.changes.empty()) return text + "<p>No change points.</p>\n";
  text +=
      R"(<div class="scroll"><table><thead><tr><th>#</th><th>Since</th><th>When (UTC)</th><th class="number">Before</th>)"
      R"(<th class="number">After</th><th class="number">Change</th><th></th><th class="number">p</th></tr></thead><tbody>)"
      "\n";
  for (size_t i = 0; i < series.changes.size(); ++i) text += change_row(series, i);
  return text + "</tbody></table></div>\n";
}

}  // namespace

std::string history_html(const gate::History& history) {
  std::string text(kHistoryHead);
  text += R"(<div class="scroll">)" + history_svg(history) + "</div>\n";
  for (const gate::HistorySeries& series : history.series) text += changes(series);
  for (const std::string& note : history.notes) text += fmt::format("<p>{}</p>\n", xml_text(note));
  return text + "</body>\n</html>\n";
}

}  // namespace sonde
