#pragma once

#include <openssl/types.h>

#include <memory>

#include "base/error.h"
#include "config/config.h"

namespace sonde::server {

/// OpenSSL's context of a server: TLS 1.2 and 1.3, HTTP/1.1 by ALPN, no renegotiation. The error names the file that
/// is missing, cannot be read, is no PEM or does not fit the other.
[[nodiscard]] Result<std::shared_ptr<SSL_CTX>> tls_context(const config::Tls& files);

}  // namespace sonde::server
