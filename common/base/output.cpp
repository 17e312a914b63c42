#include "base/output.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace wb {

namespace {

int lost_errno = 0;  // errno of the first part that standard output did not take

void flush() {
  if ((std::fflush(stdout) || std::ferror(stdout)) && !lost_errno) lost_errno = errno ? errno : EIO;
}

}  // namespace

std::string clean(std::string text) {
  unsigned char before = 0;
  for (char& letter : text) {
    const auto c = static_cast<unsigned char>(letter);
    // Those above 0x7f stand alone, or behind 0xc2 as UTF-8 writes them.
    const bool high = c >= 0x80 && c < 0xa0 && (before < 0x80 || before == 0xc2);
    if (c < 0x20 || c == 0x7f || high) letter = ' ';
    if (high && before == 0xc2) *(&letter - 1) = ' ';
    before = static_cast<unsigned char>(letter);
  }
  return text;
}

std::string one_line(const std::exception& error, std::size_t most) {
  std::string text = error.what();
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    std::error_code gone;
    (void)std::filesystem::current_path(gone);
    text = gone ? "the folder that this was started in is gone: cd to another one"
                : file->path1().string() + ": " + file->code().message();
  }
  if (text.size() > most) text.replace(most / 2, text.size() - most, " ... ");
  return clean(text);
}

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  flush();
}

void put_wrapped(const std::string& text) {
  put(wrapped(text, ::isatty(1) ? screen_width(80) : std::string::npos, 2));
}

void put_error(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void put_line(const std::string& text) {
  put_error(wrapped(text, ::isatty(2) ? screen_width(80) : std::string::npos, 2) + "\n");
}

bool nobody_reads() { return lost_errno == EPIPE; }

bool has_cursor(int file) {
  const char* terminal = std::getenv("TERM");
  return ::isatty(file) && !(terminal && std::strcmp(terminal, "dumb") == 0);
}

bool has_colours(int file) {
  const char* off = std::getenv("NO_COLOR");  // https://no-color.org
  return has_cursor(file) && !(off && *off);
}

std::size_t screen_width(std::size_t elsewhere) {
  if (const char* columns = std::getenv("COLUMNS"))
    if (const int width = std::atoi(columns); width > 0) return width;
  winsize size = {};
  if (::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return ::isatty(1) ? 80 : elsewhere;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string out = text;
  bool goes_on = false;    // a line that was broken
  std::size_t blanks = 0;  // before what follows a break of it
  for (std::size_t begin = 0, end; begin < out.size(); begin = end + 1) {
    end = std::min(out.find('\n', begin), out.size());
    const std::size_t first = std::min(out.find_first_not_of(' ', begin), end);
    if (!std::exchange(goes_on, false)) blanks = first - begin + indent;
    if (end - begin <= width) continue;
    std::size_t at = out.rfind(' ', begin + width);
    const bool fits = at != std::string::npos && at >= first;
    if (!fits) at = out.find(' ', first);
    // No break helps a word that is longer than a line.
    const std::size_t after = fits ? std::min(out.find(' ', at + 1), end) : at;
    if (fits && after - at - 1 + blanks > width) at = after;
    if (at >= end) continue;
    out.replace(at, 1, "\n" + std::string(blanks, ' '));
    end = at;
    goes_on = true;
  }
  return out;
}

void open_output() {
  for (const int file : {0, 1, 2})  // the lowest that is free is what open() takes
    if (::fcntl(file, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) < 0) continue;
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
}

int close_output(int code) {
  flush();
  if (!lost_errno || nobody_reads()) return code;
  tell("cannot write to the standard output: {}", std::strerror(lost_errno));
  return code ? code : 5;
}

}  // namespace wb
