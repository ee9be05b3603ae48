#pragma once

#include <memory>
#include <string>

struct curl_slist;  // NOLINT(readability-identifier-naming): the name is libcurl's

namespace sonde {

/// libcurl's CURL and its list of headers, ended with their owner.
struct CurlEnd {
  void operator()(void* easy) const;
};
using CurlHandle = std::unique_ptr<void, CurlEnd>;
struct CurlListEnd {
  void operator()(curl_slist* list) const;
};
using CurlList = std::unique_ptr<curl_slist, CurlListEnd>;

/// A new one; null where there is no memory. Thread-safe.
[[nodiscard]] CurlHandle new_curl_handle();

/// What all requests of this program have in common: http and https only, redirects not followed (what is sent is for
/// the named host and no other), certificates checked by those of `authorities` (file, PEM), else of CURL_CA_BUNDLE or
/// SSL_CERT_FILE as the programs curl and openssl do, else of the system; no signals, since threads ask at once.
void set_up_curl(void* easy, const std::string& url, const std::string& authorities = {});

/// As `name: value`, behind those that are there.
void add_header(CurlList& list, const std::string& line);

}  // namespace sonde
