#ifndef SDA_DATA_IO_CHECK_INPUTS_H_
#define SDA_DATA_IO_CHECK_INPUTS_H_

#include <string>
#include <vector>

namespace sda {

// Opens each of these files for a moment, so that one that cannot be read does not end a run when
// its turn comes. But not what can be read only once, and not the last one of a stream that is
// followed, which may come later. Throws InputError.
void CheckInputs(const std::vector<std::string>& inputs, bool follow);

}  // namespace sda

#endif  // SDA_DATA_IO_CHECK_INPUTS_H_
