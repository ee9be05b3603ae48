#include "server/asset.h"

namespace sonde::server {

std::span<const Asset> live_assets() { return {}; }

}  // namespace sonde::server
