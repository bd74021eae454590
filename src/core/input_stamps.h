#ifndef SDA_CORE_INPUT_STAMPS_H_
#define SDA_CORE_INPUT_STAMPS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sda {

// What the files of a run looked like, so that a run that resumes finds out if they have changed.
// Cheap, however large a file is: its size, and a checksum of its beginning.

// Of those of these files that are there.
nlohmann::json StampsOf(const std::vector<std::string>& files);

// Throws InputError naming the file if it is gone, has shrunk, begins in another way, or
// has grown; but `growing`, a path, may have grown. `folder` is that of the checkpoints.
void CheckStamps(const nlohmann::json& stamps, const std::string& growing,
                 const std::string& folder);

// `growing`, a path that may be empty, is known better than before if it has grown.
void Restamp(nlohmann::json* stamps, const std::string& growing);

// Throws UsageError naming the first of these that cannot be read a second time.
void CheckRereadable(const std::vector<std::string>& inputs);

}  // namespace sda

#endif  // SDA_CORE_INPUT_STAMPS_H_
