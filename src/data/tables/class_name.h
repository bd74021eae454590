#ifndef SDA_DATA_TABLES_CLASS_NAME_H_
#define SDA_DATA_TABLES_CLASS_NAME_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sda/table.h"

namespace sda {

// The name of a class as it stands in a file; numbers in one form, so that 1, +1 and 1.0 are one.
std::string ClassName(std::string_view label);

// The number of the class, 0 or 1 in the order in which they were first seen; 2 if it is a third.
size_t ClassNumber(std::string_view label, Dictionary* classes);

// "expected one of two classes, "a" or "b"", for messages about a third.
std::string ExpectedClasses(const Dictionary& classes);

// Which of the classes seen probabilities are of: of two numbers the larger (1 of 0 and 1 or -1 and
// 1), of two words the later in alphabetical order. If only one was seen, "1" of "0" or "-1",
// "true" of "false", and the one itself otherwise. Empty if there is none.
std::string PositiveClass(const std::vector<std::string>& classes);

// Why these cannot be the classes of a target that was learnt from; nothing if they can.
std::optional<std::string> FaultInClasses(const std::vector<std::string>& classes);

}  // namespace sda

#endif  // SDA_DATA_TABLES_CLASS_NAME_H_
