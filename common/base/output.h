// What people read: standard output and standard error. Printing never throws, so that nothing
// measured is lost because nobody can read of it.
#pragma once

#include <fmt/core.h>

#include <exception>
#include <string>
#include <utility>

namespace wb {

// With blanks for control characters: a terminal obeys them, and text from outside may hold any.
std::string clean(std::string text);

// A message on one line, and of a very long one its begin and end.
std::string one_line(const std::exception& error, std::size_t most = 200);

void put(const std::string& text);          // on standard output, at once: tables and drawings
void put_wrapped(const std::string& text);  // the same, broken at words where it is a terminal
template <class... T> void print(fmt::format_string<T...> form, T&&... values) {
  put_wrapped(fmt::format(form, std::forward<T>(values)...));
}
void put_error(const std::string& text);  // on standard error
void put_line(const std::string& text);   // the same, broken at words where it is a terminal
template <class... T> void tell(fmt::format_string<T...> form, T&&... values) {  // a line there
  put_line(fmt::format(form, std::forward<T>(values)...));
}
bool nobody_reads();  // standard output is a pipe that was closed at its other end

// Whether a file is a terminal that knows escape sequences, and shall see colours.
bool has_cursor(int file);
bool has_colours(int file);

// Characters of a line on standard output: COLUMNS where it is set, else the terminal's, or 80
// where that is not known; `elsewhere` in a file or pipe, for which no width is right.
std::size_t screen_width(std::size_t elsewhere);

// Lines broken at blanks to `width` characters; behind a break `indent` more than before it.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent = 0);

// First in main: files that are closed stay so for what this program opens, and a pipe that nobody
// reads or a file at its limit of size is an error like others.
void open_output();

// Last in main: the exit code. That is 5 instead of 0, with a line, when standard output did not
// take all that was printed, unless its reader had enough.
int close_output(int code);

}  // namespace wb
