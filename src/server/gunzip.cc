#include "server/gunzip.h"

#include <array>

#include <zlib.h>

namespace sonde::server {

std::string gunzip(std::string_view bytes) {
  constexpr int kGzip = 16 + MAX_WBITS;  // zlib: 16 more than the window means gzip's header
  z_stream stream = {};
  if (inflateInit2(&stream, kGzip) != Z_OK) return {};
  std::string input(bytes);
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  std::string result;
  std::array<char, 65536> part = {};
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    state = inflate(&stream, Z_NO_FLUSH);
    result.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END ? result : std::string();
}

}  // namespace sonde::server
