#include "report/page/blobs.h"

#include "base/files/deflate.h"
#include "base/system/parallel.h"
#include "base/text/base64.h"

namespace sonde {
namespace {

/// Higher levels make columns 2 % smaller at twice the time.
constexpr int kLevel = 6;

std::string id_of(size_t index) { return fmt::format("b{}", index); }

}  // namespace

nlohmann::ordered_json Blobs::add(std::string content) {
  fresh_.push_back(std::move(content));
  return {{"id", id_of(size() - 1)}, {"bytes", fresh_.back().size()}};
}

nlohmann::ordered_json Blobs::add(const nlohmann::ordered_json& document) {
  return add(document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void Blobs::pack() {
  const size_t before = packed_.size();
  packed_.resize(before + fresh_.size());
  parallel_for(fresh_.size(), [&](size_t i) { packed_[before + i] = base64(deflate_raw(fresh_[i], kLevel)); });
  fresh_.clear();
}

size_t Blobs::bytes_from(size_t first) {
  pack();
  size_t bytes = 0;
  for (size_t i = first; i < packed_.size(); ++i) bytes += packed_[i].size();
  return bytes;
}

void Blobs::drop_from(size_t first) {
  pack();
  packed_.resize(first);
}

void Blobs::write(const Sink& sink) {
  pack();
  for (size_t i = 0; i < packed_.size(); ++i) {
    sink(fmt::format("<script type=\"application/vnd.sonde.blob\" id=\"{}\">", id_of(i)));
    sink(packed_[i]);
    sink("</script>\n");
  }
}

}  // namespace sonde
