#include <algorithm>

#include "cli/top/model.h"

namespace sonde::top {
namespace {

constexpr size_t kPage = 10;
constexpr double kLeastDelay_s = 0.1;
constexpr double kMostDelay_s = 60;
constexpr int kFirstPrintable = 32;
constexpr int kBackspaceControl = 8;

void type(int key, Choice& choice) {
  if (key == kEnter) {
    choice.typing = false;
  } else if (key == kEscape) {
    choice.typing = false;
    choice.filter.clear();
  } else if (key == kBackspace || key == kBackspaceControl) {
    if (!choice.filter.empty()) choice.filter.pop_back();
  } else if (key >= kFirstPrintable && key < kBackspace) {
    choice.filter += static_cast<char>(key);
  }
  choice.scroll = 0;
}

/// All, then one GPU after the other.
void next_gpu(const Model& model, Choice& choice) {
  const size_t next = choice.gpu ? *choice.gpu + 1 : 0;
  choice.gpu = next < model.gpus.size() ? std::optional(next) : std::nullopt;
  choice.scroll = 0;
}

void scroll(const Model& model, Choice& choice, int64_t by) {
  const auto last = static_cast<int64_t>(shown_processes(model, choice).size()) - 1;
  choice.scroll =
      static_cast<size_t>(std::clamp<int64_t>(static_cast<int64_t>(choice.scroll) + by, 0, std::max<int64_t>(last, 0)));
}

Sort next_sort(Sort sort) { return sort == Sort::command ? Sort::memory : Sort(static_cast<int>(sort) + 1); }

}  // namespace

bool press(int key, const Model& model, Choice& choice) {
  if (choice.typing) {
    type(key, choice);
    return true;
  }
  switch (key) {
    case 'q': return false;
    case 's': choice.sort = next_sort(choice.sort); break;
    case 'r': choice.reverse = !choice.reverse; break;
    case 'g': next_gpu(model, choice); break;
    case '/': choice.typing = true; break;
    case kEscape:
      choice.filter.clear();
      choice.help = false;
      break;
    case ' ': choice.paused = !choice.paused; break;
    case 'h':
    case '?': choice.help = !choice.help; break;
    case '+': choice.delay_s = std::min(choice.delay_s * 2, kMostDelay_s); break;
    case '-': choice.delay_s = std::max(choice.delay_s / 2, kLeastDelay_s); break;
    case kUp: scroll(model, choice, -1); break;
    case kDown: scroll(model, choice, 1); break;
    case kPageUp: scroll(model, choice, -static_cast<int64_t>(kPage)); break;
    case kPageDown: scroll(model, choice, kPage); break;
    default: break;
  }
  return true;
}

}  // namespace sonde::top
