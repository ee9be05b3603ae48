// The same calls through NVTX's own headers, where a CUDA toolkit has them.
#include <cstdio>
#include <thread>

#include <nvtx3/nvtx3.hpp>

struct Library {
  static constexpr char const* name{"library"};
};

namespace {

void with_attributes() {
  using namespace nvtx3;
  static registered_string_in<Library> const registered{"registered text"};
  const event_attributes attributes{registered, rgb{0x33, 0x66, 0x99}, payload{2.5}, category{7}};
  scoped_range_in<Library> const range{attributes};
  scoped_range const wide{L"wide text"};
  mark_in<Library>("marked");
}

}  // namespace

int main() {
  for (int i = 0; i < 100; ++i) {
    NVTX3_FUNC_RANGE_IN(Library);
    nvtxRangePushA("outer");
    nvtxRangePop();
  }
  with_attributes();
  const nvtxRangeId_t range = nvtxRangeStartA("across");
  std::thread([range] { nvtxRangeEnd(range); }).join();
  std::puts("done");
  return 0;
}
