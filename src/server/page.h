#pragma once

#include <optional>
#include <span>

#include "api/message.h"
#include "server/asset.h"

namespace sonde::server {

/// The answer for a path of the page ("/" or below "/assets/"), gzip or 304 where the client asks for it; nothing for
/// all other paths.
[[nodiscard]] std::optional<api::Response> page_response(const api::Request& request, std::span<const Asset> assets);

}  // namespace sonde::server
