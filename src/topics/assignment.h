#ifndef SDA_TOPICS_ASSIGNMENT_H_
#define SDA_TOPICS_ASSIGNMENT_H_

#include <cstddef>
#include <span>
#include <vector>

namespace sda {

// For each row of a size x size matrix (row by row) a column, no two the same, such that the sum of
// these values is the largest there is. Takes size^3 steps.
std::vector<size_t> LargestAssignment(std::span<const double> values, size_t size);

}  // namespace sda

#endif  // SDA_TOPICS_ASSIGNMENT_H_
