#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "base/error.h"

namespace sonde::http {

/// OpenSSL's context of a client: TLS 1.2 and 1.3, certificates verified by those of `authorities` (PEM file), else of
/// the file that CURL_CA_BUNDLE or SSL_CERT_FILE names, else of SSL_CERT_DIR, else of the system.
[[nodiscard]] Result<std::shared_ptr<SSL_CTX>> client_tls_context(const std::string& authorities);

/// A connection's state, which the caller frees: the certificate has to be that of `host`, a name or an address. Null
/// where there is no memory.
[[nodiscard]] SSL* new_tls_handle(SSL_CTX* context, const std::string& host);

/// Why the certificate was refused: "self-signed certificate", "hostname mismatch"; empty where it was not.
[[nodiscard]] std::string certificate_error(SSL* handle);

}  // namespace sonde::http
