#include "server/page.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "server/gunzip.h"
#include "server/refusal.h"

namespace sonde::server {
namespace {

constexpr int kNotModified = 304;

/// Everything of the page comes from this service, and nothing stands inline: texts from GPUs and containers cannot
/// become scripts. Styles that scripts set one by one are not held back by it.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string_view header(const api::Request& request, std::string_view name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? std::string_view() : found->second;
}

/// Whether a list such as "gzip, deflate;q=0.5" has gzip and does not forbid it.
bool takes_gzip(std::string_view accepted) {
  const size_t at = accepted.find("gzip");
  if (at == std::string_view::npos) return false;
  const std::string_view rest = accepted.substr(at, accepted.find(',', at) - at);
  return !rest.ends_with("q=0") && !rest.ends_with("q=0.0");
}

bool names_etag(std::string_view list, std::string_view etag) {
  return list == "*" || (!etag.empty() && list.find(etag) != std::string_view::npos);
}

api::Response asset_response(const Asset& asset, const api::Request& request) {
  api::Response response;
  response.content_type = asset.content_type;
  // The page is asked for again each time, with its ETag: after an upgrade nobody sees that of before. The names of the
  // others change with them.
  response.headers = {{"ETag", std::string(asset.etag)},
                      {"Cache-Control", asset.path == "/" ? "no-cache" : "max-age=31536000, immutable"},
                      {"Vary", "Accept-Encoding"},
                      {"Content-Security-Policy", std::string(kPolicy)},
                      {"X-Frame-Options", "DENY"}};
  if (names_etag(header(request, "if-none-match"), asset.etag)) {
    response.status = kNotModified;
    return response;
  }
  const bool packed = asset.gzip && takes_gzip(header(request, "accept-encoding"));
  if (packed) response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = asset.gzip && !packed ? gunzip(asset.bytes) : std::string(asset.bytes);
  return response;
}

}  // namespace

std::optional<api::Response> page_response(const api::Request& request, std::span<const Asset> assets) {
  if (request.path != "/" && !request.path.starts_with("/assets/")) return std::nullopt;
  if (request.method != api::Method::get && request.method != api::Method::head) {
    api::Response response = refused(refusals::page_is_read_only);
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  const auto asset = std::ranges::find(assets, request.path, &Asset::path);
  return asset == assets.end() ? refused(refusals::not_found) : asset_response(*asset, request);
}

}  // namespace sonde::server
