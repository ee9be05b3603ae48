#include "cli/top/terminal.h"

#include <langinfo.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstring>

#include <curses.h>

namespace sonde::top {
namespace {

constexpr short kYellowPair = 1;
constexpr short kRedPair = 2;

chtype attribute_of(Style style) {
  switch (style) {
    case Style::plain: return A_NORMAL;
    case Style::heading: return A_BOLD;
    case Style::dim: return A_DIM;
    case Style::warning: return has_colors() ? COLOR_PAIR(kYellowPair) : A_BOLD;
    case Style::critical: return (has_colors() ? COLOR_PAIR(kRedPair) : A_NORMAL) | A_BOLD;
    case Style::selected: return A_REVERSE;
  }
  return A_NORMAL;
}

int key_of(int code) {
  switch (code) {
    case KEY_UP: return kUp;
    case KEY_DOWN: return kDown;
    case KEY_PPAGE: return kPageUp;
    case KEY_NPAGE: return kPageDown;
    case KEY_BACKSPACE: return kBackspace;
    case KEY_ENTER:
    case '\r': return kEnter;
    default: return code;
  }
}

class CursesTerminal : public Terminal {
 public:
  explicit CursesTerminal(SCREEN* screen, bool ascii) : screen_(screen), ascii_(ascii) {
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    set_escdelay(25);  // NOLINT(readability-magic-numbers): ms; Esc alone is a key here
    if (has_colors() && start_color() == OK) {
      use_default_colors();
      init_pair(kYellowPair, COLOR_YELLOW, -1);
      init_pair(kRedPair, COLOR_RED, -1);
    }
  }
  ~CursesTerminal() override {
    endwin();
    delscreen(screen_);
  }
  CursesTerminal(const CursesTerminal&) = delete;
  CursesTerminal& operator=(const CursesTerminal&) = delete;

  [[nodiscard]] size_t width() const override { return static_cast<size_t>(COLS); }
  [[nodiscard]] size_t height() const override { return static_cast<size_t>(LINES); }
  [[nodiscard]] bool ascii() const override { return ascii_; }

  void draw(const std::vector<Line>& lines) override {
    erase();
    for (size_t i = 0; i < lines.size(); ++i) {
      attrset(static_cast<int>(attribute_of(lines[i].style)));
      mvaddstr(static_cast<int>(i), 0, lines[i].text.c_str());
    }
    refresh();
  }

  [[nodiscard]] std::optional<int> key(std::chrono::milliseconds patience) override {
    wtimeout(stdscr, static_cast<int>(patience.count()));
    const int code = wgetch(stdscr);
    if (code == ERR || code == KEY_RESIZE) return std::nullopt;
    return key_of(code);
  }

 private:
  SCREEN* screen_;
  bool ascii_;
};

}  // namespace

Result<std::unique_ptr<Terminal>> Terminal::open() {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    return fail("`sonde top` needs a terminal; `sonde top --batch` prints what it would show");
  }
  // NOLINTBEGIN(concurrency-mt-unsafe): threads that read GPUs do not look at the locale
  static_cast<void>(std::setlocale(LC_CTYPE, ""));
  const bool ascii = std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
  // NOLINTEND(concurrency-mt-unsafe)
  SCREEN* const screen = newterm(nullptr, stdout, stdin);
  if (screen == nullptr) return fail("this terminal is of an unknown kind: set TERM, such as TERM=xterm-256color");
  return std::make_unique<CursesTerminal>(screen, ascii);
}

}  // namespace sonde::top
