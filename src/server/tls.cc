#include "server/tls.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/system/system_reason.h"

namespace sonde::server {
namespace {

std::string last_error() {
  std::array<char, 256> text = {};
  ERR_error_string_n(ERR_peek_last_error(), text.data(), text.size());
  ERR_clear_error();
  return text.data();
}

Status readable(std::string_view what, const std::string& path) {
  if (path.empty()) return fail("sonde.server.tls has no {}: set the PEM files of both certificate and key", what);
  if (access(path.c_str(), R_OK) == 0) return {};
  return fail("the {} of sonde.server.tls cannot be read: {}: {}; the user of the service needs read permission", what,
              path, system_reason(errno));
}

Status load(SSL_CTX* context, const config::Tls& files) {
  SONDE_TRY(readable("certificate", files.certificate));
  SONDE_TRY(readable("key", files.key));
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    return fail("{} is not a valid certificate chain in PEM format: {}", files.certificate, last_error());
  }
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    const std::string why = last_error();
    return fail("{} is not a valid private key in PEM format without a password, or does not match {}: {}", files.key,
                files.certificate, why);
  }
  if (SSL_CTX_check_private_key(context) == 1) return {};
  return fail("the key {} does not match the certificate {}: {}", files.key, files.certificate, last_error());
}

int choose_http_1_1(SSL* /*ssl*/, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                    unsigned int offered_length, void* /*unused*/) {
  static constexpr std::array<unsigned char, 9> kHttp11 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* found = nullptr;
  const int state = SSL_select_next_proto(&found, length, kHttp11.data(), kHttp11.size(), offered, offered_length);
  *chosen = found;
  return state == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

Result<std::shared_ptr<SSL_CTX>> tls_context(const config::Tls& files) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) return fail("OpenSSL cannot be used: {}", last_error());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_alpn_select_cb(context.get(), choose_http_1_1, nullptr);
  SONDE_TRY(load(context.get(), files));
  return context;
}

}  // namespace sonde::server
