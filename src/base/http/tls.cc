#include "base/http/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace sonde::http {
namespace {

/// Where distributions keep their authorities. OpenSSL knows only those of the distribution that it was built for.
constexpr std::array kSystemBundles = {
    "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Alpine
    "/etc/pki/tls/certs/ca-bundle.crt",    // Fedora, RHEL
    "/etc/ssl/ca-bundle.pem",              // openSUSE
    "/etc/ssl/cert.pem",                   // Alpine
};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return value == nullptr ? "" : value;
}

std::string authorities_of_environment() {
  const std::string file = variable("CURL_CA_BUNDLE");
  return file.empty() ? variable(X509_get_default_cert_file_env()) : file;
}

bool openssl_has_authorities() {
  std::error_code error;
  if (!variable(X509_get_default_cert_dir_env()).empty()) return true;
  if (std::filesystem::exists(X509_get_default_cert_file(), error)) return true;
  const bool is_empty = std::filesystem::is_empty(X509_get_default_cert_dir(), error);
  return !error && !is_empty;
}

void load_system_authorities(SSL_CTX* context) {
  SSL_CTX_set_default_verify_paths(context);
  if (openssl_has_authorities()) return;
  for (const char* const file : kSystemBundles) {
    if (SSL_CTX_load_verify_file(context, file) == 1) break;
  }
  ERR_clear_error();
}

bool is_address(const std::string& host) {
  in6_addr ignored = {};
  return inet_pton(AF_INET, host.c_str(), &ignored) == 1 || inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
}

}  // namespace

Result<std::shared_ptr<SSL_CTX>> client_tls_context(const std::string& authorities) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (!context) return fail("OpenSSL cannot be initialized");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  // A file of authorities may hold the server's own certificate or an intermediate one.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context.get()), X509_V_FLAG_PARTIAL_CHAIN);
  const std::string file = authorities.empty() ? authorities_of_environment() : authorities;
  if (file.empty()) {
    load_system_authorities(context.get());
  } else if (SSL_CTX_load_verify_file(context.get(), file.c_str()) != 1) {
    ERR_clear_error();
    return fail("the certificates in {} cannot be read", file);
  }
  return context;
}

SSL* new_tls_handle(SSL_CTX* context, const std::string& host) {
  const std::string name = host.substr(0, host.size() - (host.ends_with('.') ? 1 : 0));  // RFC 6066, section 3
  static constexpr std::array<unsigned char, 9> kHttp11 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  SSL* const handle = SSL_new(context);
  if (handle == nullptr) return nullptr;
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(handle);
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const bool is_set = is_address(host) ? X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1
                                       : X509_VERIFY_PARAM_set1_host(wanted, name.c_str(), 0) == 1 &&
                                             SSL_set_tlsext_host_name(handle, name.c_str()) == 1;
  if (is_set && SSL_set_alpn_protos(handle, kHttp11.data(), kHttp11.size()) == 0) return handle;
  SSL_free(handle);
  return nullptr;
}

std::string certificate_error(SSL* handle) {
  const long result = SSL_get_verify_result(handle);
  return result == X509_V_OK ? "" : X509_verify_cert_error_string(result);
}

}  // namespace sonde::http
