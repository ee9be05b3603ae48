#include "server/refusal.h"

#include "api/problem.h"

namespace sonde::server {

api::Response refused(const Refusal& refusal) {
  constexpr int kUnavailable = 503;
  api::Response response = api::problem(refusal.status, refusal.id, refusal.title, refusal.detail);
  if (refusal.status == kUnavailable) response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace sonde::server
