#include "report/page/page_html.h"

#include "report/page/page_assets.h"

namespace sonde {
namespace {

/// JSON that can be in an HTML element: no '<' is left that could begin or end one.
std::string embedded(const nlohmann::ordered_json& document) {
  std::string safe;
  for (const char c : document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

/// Text of an element.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      default: safe += c;
    }
  }
  return safe;
}

constexpr std::string_view kPageHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>{}</title>
<style>{}</style>
</head>
<body>
<div id="page"></div>
<noscript>This report draws itself: allow JavaScript for this file. It asks the network for nothing.</noscript>
<script type="application/json" id="sonde-report">{}</script>
<script>)";

}  // namespace

void write_page(const nlohmann::ordered_json& document, Blobs& blobs, const Sink& sink) {
  const PageAssets& assets = page_assets();
  sink(fmt::format(kPageHead, assets.script_hash, assets.style_hash, escaped(document["title"].get<std::string>()),
                   assets.style, embedded(document)));
  sink(assets.script);
  sink("</script>\n");
  blobs.write(sink);
  sink("</body>\n</html>\n");
}

}  // namespace sonde
