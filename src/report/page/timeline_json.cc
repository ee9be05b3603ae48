#include "report/page/timeline_json.h"

namespace sonde {

nlohmann::ordered_json timeline_json(const ReportSource&, Blobs& blobs) {
  using Json = nlohmann::ordered_json;
  return {{"texts", blobs.add(Json::array())},
          {"ranks", Json::array({""})},
          {"tracks", Json::array()},
          {"events", 0},
          {"slices", 0},
          {"detailed", Json::array()},
          {"tiles", nullptr}};
}

}  // namespace sonde
