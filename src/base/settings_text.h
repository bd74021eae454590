#ifndef SDA_BASE_SETTINGS_TEXT_H_
#define SDA_BASE_SETTINGS_TEXT_H_

#include <string>

namespace sda {

// The text of a file of settings, which may be a pipe: all of it, or an error. Throws IoError
// naming the file and the reason; InputError if it has more than a megabyte.
std::string ReadSettingsText(const std::string& path);

}  // namespace sda

#endif  // SDA_BASE_SETTINGS_TEXT_H_
