#pragma once

#include <span>
#include <string_view>

namespace sonde::server {

/// A file of the live page, built into the program.
struct Asset {
  std::string_view path;          ///< "/", "/assets/live.js"
  std::string_view content_type;  ///< "text/javascript; charset=utf-8"
  std::string_view bytes;         ///< gzip (RFC 1952) where `gzip` is set
  std::string_view etag;          ///< of the bytes, with its quotes: "\"5f2c...\""
  bool gzip = false;
};

/// All of them; one has the path "/". Names below /assets/ change with what is in them. Made by web/build.mjs.
[[nodiscard]] std::span<const Asset> live_assets();

}  // namespace sonde::server
