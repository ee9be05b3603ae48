#include "report/page/blobs.h"

#include "base/base64.h"
#include "base/deflate.h"
#include "base/parallel.h"

namespace sonde {
namespace {

/// Higher levels make columns 2 % smaller at twice the time.
constexpr int kLevel = 6;

std::string id_of(size_t index) { return fmt::format("b{}", index); }

}  // namespace

nlohmann::ordered_json Blobs::add(std::string content) {
  contents_.push_back(std::move(content));
  return {{"id", id_of(contents_.size() - 1)}, {"bytes", contents_.back().size()}};
}

nlohmann::ordered_json Blobs::add(const nlohmann::ordered_json& document) {
  return add(document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void Blobs::write(const Sink& sink) const {
  std::vector<std::string> packed(contents_.size());
  parallel_for(contents_.size(), [&](size_t i) { packed[i] = base64(deflate_raw(contents_[i], kLevel)); });
  for (size_t i = 0; i < packed.size(); ++i) {
    sink(fmt::format("<script type=\"application/vnd.sonde.blob\" id=\"{}\">", id_of(i)));
    sink(packed[i]);
    sink("</script>\n");
  }
}

}  // namespace sonde
