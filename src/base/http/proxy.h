#pragma once

#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/http/url.h"

namespace sonde::http {

/// The proxy that the environment names for requests to `url`, by the variables and rules of curl: http_proxy for http,
/// https_proxy or HTTPS_PROXY for https, all_proxy or ALL_PROXY for both, none for hosts of no_proxy or NO_PROXY.
/// Its port is set. Only HTTP proxies are supported: others are an error.
[[nodiscard]] Result<std::optional<Url>> proxy_of(const Url& url);

/// Whether `list`, names, addresses and address ranges separated by commas or spaces, covers `host`. A name covers the
/// hosts below it too; * covers all.
[[nodiscard]] bool is_in_no_proxy(std::string_view list, std::string_view host);

}  // namespace sonde::http
