// Text of others on its way to a terminal, a picture, a page or JSON. Names of programs, files, functions and machine
// models, command lines and the environment may hold any byte. Each printer of the tool and of the runtime library
// passes its text through one of these functions.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace einkorn::inline base {

// The character that begins there and how many bytes it has; bytes 0: no UTF-8.
struct Character {
  char32_t code = 0;
  size_t bytes = 0;
};
Character character_at(std::string_view s, size_t at);

// The same text with `instead` for each byte that is not part of well-formed UTF-8: file names may hold anything, JSON
// and SVG may not.
std::string utf8(std::string_view s, std::string_view instead = "?");

// One line for a terminal. A character that a terminal obeys, or that turns around or hides the text beside it, becomes
// '?': control characters (also the second set, U+0080 to U+009F), marks of direction, characters without width, line
// ends. A byte that is not UTF-8 becomes U+FFFD. The result may stand in JSON, XML and HTML, once their own special
// characters are escaped. kept: characters of ASCII that stay all the same.
std::string printable(std::string_view text, std::string_view kept = {});

// The same for a whole report: line ends stay, and so do the colours and weights that reports use.
std::string terminal_text(std::string_view text);

// printable() for a message that is written where no memory can be had: the text gets shorter, or stays as long as it
// is. A byte that is not UTF-8 becomes '?'; line ends in front of the last byte stay if `lines`. Returns the new
// length.
size_t make_printable(char* text, size_t bytes, bool lines = false);

}  // namespace einkorn::inline base
