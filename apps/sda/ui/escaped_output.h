#ifndef SDA_APPS_UI_ESCAPED_OUTPUT_H_
#define SDA_APPS_UI_ESCAPED_OUTPUT_H_

#include <cstdio>

namespace sda {

// If standard output is a terminal, whatever is printed to stdout from now on is shown, not obeyed:
// all but line ends and tabs goes through Shown(). Words, names of columns and files, and models of
// others may hold anything. What goes to a file or a pipe keeps its bytes. To be called once,
// before anything is printed.
void EscapeStandardOutput();

// Standard output as it is, for a program's own cursor movements and colours.
std::FILE* PlainStandardOutput();

}  // namespace sda

#endif  // SDA_APPS_UI_ESCAPED_OUTPUT_H_
