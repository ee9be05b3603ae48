#include "base/files/deflate.h"

#include <memory>

#include <libdeflate.h>

namespace sonde {

std::string deflate_raw(std::string_view bytes, int level) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> deflater(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (deflater == nullptr) throw std::bad_alloc();
  std::string packed(libdeflate_deflate_compress_bound(deflater.get(), bytes.size()), '\0');
  packed.resize(libdeflate_deflate_compress(deflater.get(), bytes.data(), bytes.size(), packed.data(), packed.size()));
  return packed;
}

}  // namespace sonde
