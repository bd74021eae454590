#ifndef SDA_BASE_TERMINAL_LINE_H_
#define SDA_BASE_TERMINAL_LINE_H_

#include <cstdio>
#include <string>

namespace sda {

// Terminal control sequence: moves to the first column and erases the line.
inline constexpr char kLineStart[] = "\r";
inline constexpr char kEraseRest[] = "\x1b[K";

// A line about work in progress: on a terminal it is rewritten in its place, elsewhere a line is
// printed now and then. Text that cannot be written is lost, without an error.
class TerminalLine {
 public:
  explicit TerminalLine(std::FILE* out);

  // Whether the line should be shown again, this long after the work began: not in the first
  // second, then ten times a second on a terminal, elsewhere every five seconds.
  bool IsDue(double seconds) const { return seconds >= next_; }
  void Show(double seconds, const std::string& line);
  // The next line, no matter who writes it, does not overwrite this one.
  void End();
  // Takes it away, from a terminal.
  void Clear();

  bool shown() const { return shown_; }

 private:
  std::FILE* out_;
  const bool terminal_;
  bool shown_ = false;
  double next_ = 1;  // seconds
};

}  // namespace sda

#endif  // SDA_BASE_TERMINAL_LINE_H_
