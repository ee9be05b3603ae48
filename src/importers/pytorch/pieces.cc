#include "importers/pytorch/pieces.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/files/json_scan.h"
#include "base/system/parallel.h"
#include "importers/pytorch/parser.h"

namespace sonde::pytorch {
namespace {

/// No event of a real trace comes near: where one seems longer, a quote is missing.
constexpr size_t kLongestEvent = size_t{16} << 20;
/// Text that may be searched in vain for the ends of events before a list counts as broken.
constexpr size_t kMaxInVain = 4 * kLongestEvent;

/// Finds places where an event begins without having read what stands before: `} , { "key" :` with a key that
/// events begin with. Inside a string the quotes would be escaped, so in valid JSON such a place is between two objects
/// of a list; whether that list is the list of events is for read_events() to check.
class Seams {
 public:
  explicit Seams(std::string_view text) : text_(text) {}

  /// The next one behind `at` that begins before `limit`, kNowhere where there is none.
  [[nodiscard]] size_t next(size_t at, size_t limit = kNowhere) const {
    const std::string_view text = text_.substr(0, limit);
    size_t open = text.find('{', at + 1);
    while (open != kNowhere && !is_seam(open)) open = text.find('{', open + 1);
    return open;
  }

 private:
  /// Keys that events begin with; other objects in a list hardly do.
  static constexpr std::array<std::string_view, 8> kFirstKeys = {"\"ph\"",  "\"name\"", "\"cat\"", "\"ts\"",
                                                                 "\"pid\"", "\"tid\"",  "\"id\"",  "\"args\""};

  [[nodiscard]] bool is_seam(size_t open) const {
    if (before(before(open, ','), '}') == kNowhere) return false;
    const std::string_view behind = text_.substr(std::min(skip_space(text_, open + 1), text_.size()));
    const auto* key = std::ranges::find_if(kFirstKeys, [&](std::string_view k) { return behind.starts_with(k); });
    if (key == kFirstKeys.end()) return false;
    const size_t colon = skip_space(behind, key->size());
    return colon < behind.size() && behind[colon] == ':';
  }

  /// Where `c` stands before `at` with nothing but white space between, else kNowhere.
  [[nodiscard]] size_t before(size_t at, char c) const {
    if (at == kNowhere || at == 0) return kNowhere;
    const size_t found = text_.find_last_not_of(" \t\r\n", at - 1);
    return found != kNowhere && text_[found] == c ? found : kNowhere;
  }

  std::string_view text_;
};

/// Reads pieces. One for each worker.
class PieceReader {
 public:
  PieceReader(std::string_view text, const Seams& seams, const Wanted& wanted)
      : text_(text), seams_(seams), wanted_(wanted) {}

  /// Reads the piece from its begin to the first event at or behind `stop`: at once where it is clean and `stop` is a
  /// seam, else event by event.
  Piece read(size_t begin, size_t stop) {
    Piece piece;
    piece.begin = begin;
    if (stop < text_.size() && read_at_once(piece, stop)) return piece;
    return read_singly(begin, stop);
  }

  Piece read_singly(size_t begin, size_t stop) {
    Piece piece;
    piece.begin = piece.next = begin;
    EventKeeper keeper(wanted_, piece);
    in_vain_ = 0;
    while (!piece.ended && !piece.broken) {
      step(piece, keeper);
      if (piece.next >= stop) break;
    }
    return piece;
  }

 private:
  bool read_at_once(Piece& piece, size_t stop) {
    const size_t comma = text_.find_last_of(',', stop);
    EventKeeper keeper(wanted_, piece);
    piece.next = stop;
    return parser_.read_all(text_.substr(piece.begin, comma - piece.begin), keeper);
  }

  /// Reads the item at piece.next and goes to the next one.
  void step(Piece& piece, EventKeeper& keeper) {
    const size_t at = piece.next;
    if (at >= text_.size()) {
      piece.broken = true;
    } else if (text_[at] == ']') {
      piece.ended = true;
    } else if (const size_t end = value_end(text_.substr(0, at + kLongestEvent), at); end == kNowhere) {
      find_next_seam(piece);
    } else if (text_[at] == '{' && parser_.read_one(text_.substr(at, end - at), keeper)) {
      go_behind(piece, end);
    } else {
      ++piece.malformed;
      // Where a quote is missing, the end found is another event's: a seam before it comes first.
      const size_t seam = seams_.next(at, end);
      if (seam == kNowhere) {
        go_behind(piece, end);
      } else {
        piece.next = seam;
      }
    }
  }

  void go_behind(Piece& piece, size_t end) {
    const size_t behind = skip_space(text_, end);
    if (behind >= text_.size() || text_[behind] == ']') {
      piece.next = behind;
    } else if (text_[behind] == ',') {
      piece.next = skip_space(text_, behind + 1);
    } else {
      find_next_seam(piece);
    }
  }

  /// The event at piece.next has no end: continues at the next seam, if there is one.
  void find_next_seam(Piece& piece) {
    in_vain_ += std::min(kLongestEvent, text_.size() - piece.next);
    const size_t seam = in_vain_ > kMaxInVain ? kNowhere : seams_.next(piece.next);
    piece.broken = seam == kNowhere;
    if (piece.broken) return;
    ++piece.malformed;
    piece.next = seam;
  }

  std::string_view text_;
  const Seams& seams_;
  const Wanted& wanted_;
  EventParser parser_;
  size_t in_vain_ = 0;
};

/// Where pieces begin, and the text's size at the end.
std::vector<size_t> cuts(std::string_view text, size_t first, const Seams& seams, size_t piece_bytes) {
  std::vector<size_t> places{first};
  for (size_t at = seams.next(first + piece_bytes); at != kNowhere; at = seams.next(at + piece_bytes)) {
    places.push_back(at);
  }
  places.push_back(text.size());
  return places;
}

/// Reads all pieces, each on the assumption that an event begins where it does.
std::vector<Piece> read_pieces(std::string_view text, const Seams& seams, const std::vector<size_t>& places,
                               const Wanted& wanted, Progress& progress) {
  std::vector<Piece> pieces(places.size() - 1);
  std::atomic<size_t> next{0};
  parallel_for(std::min(worker_count(), pieces.size()), [&](size_t) {
    PieceReader reader(text, seams, wanted);
    for (size_t i = next++; i < pieces.size(); i = next++) {
      pieces[i] = reader.read(places[i], places[i + 1]);
      progress.advance(static_cast<int64_t>(places[i + 1] - places[i]));
    }
  });
  return pieces;
}

/// Keeps the pieces that join: each begins where the one before it says the next event begins. Where none does, the
/// text is read event by event until one does.
std::vector<Piece> join(std::vector<Piece> pieces, size_t first, PieceReader reader, size_t text_size) {
  std::vector<Piece> joined;
  size_t i = 0;
  for (size_t at = first; joined.empty() || (!joined.back().ended && !joined.back().broken); at = joined.back().next) {
    while (i < pieces.size() && pieces[i].begin < at) ++i;
    if (i < pieces.size() && pieces[i].begin == at) {
      joined.push_back(std::move(pieces[i++]));
    } else {
      joined.push_back(reader.read_singly(at, i < pieces.size() ? pieces[i].begin : text_size));
    }
  }
  return joined;
}

}  // namespace

std::vector<Piece> read_events(std::string_view text, size_t first, const Wanted& wanted, Progress& progress,
                               size_t piece_bytes) {
  const Seams seams(text);
  const auto places = cuts(text, first, seams, piece_bytes);
  auto pieces = read_pieces(text, seams, places, wanted, progress);
  return join(std::move(pieces), first, PieceReader(text, seams, wanted), text.size());
}

}  // namespace sonde::pytorch
