#ifndef SDA_APPS_UI_COLOUR_H_
#define SDA_APPS_UI_COLOUR_H_

#include <string>

namespace sda {

// Whether what is written to this file descriptor may have colours: it is a terminal that knows
// them, and NO_COLOR (no-color.org) is not set.
bool MayHaveColour(int descriptor);

// Print to standard output, where it may have colours: what the eye looks for, and what it may
// skip.
void PrintStrong(const std::string& text);
void PrintFaint(const std::string& text);

// "sda: " before an error on standard error.
std::string ErrorPrefix();

}  // namespace sda

#endif  // SDA_APPS_UI_COLOUR_H_
