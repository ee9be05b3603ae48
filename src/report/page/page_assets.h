#pragma once

#include <string_view>

namespace sonde {

/// The page's program and style, which web/build.mjs makes, and their hashes as a content security policy names them.
struct PageAssets {
  std::string_view script;
  std::string_view style;
  std::string_view script_hash;  ///< "sha256-..."
  std::string_view style_hash;
};

[[nodiscard]] const PageAssets& page_assets();

}  // namespace sonde
