// C++ threads that spend the CPU's time in a template and in a lambda called through std::function.
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

namespace work {

volatile uint64_t sink = 0;

template <typename T>
[[gnu::noinline]] void spin_in_template(T count) {
  T x = count;
  for (T i = 0; i < count; ++i) x = x * 6364136223846793005ULL + 1;
  sink = x;
}

}  // namespace work

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  const std::function<void()> task = [&] {
    for (int i = 0; i < rounds; ++i) work::spin_in_template<uint64_t>(1'000'000);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(task);
  for (auto& thread : threads) thread.join();
}
