#ifndef SDA_APPS_CLUSTER_STATUS_TEXT_H_
#define SDA_APPS_CLUSTER_STATUS_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/status/job_status.h"

namespace sda {

struct StatusStyle {
  bool partitions = false;  // a table of them, too
  bool unicode = false;     // the bar is of blocks
  bool color = false;       // escape sequences of a terminal
  size_t width = 80;        // columns, that the bar may use
};

// The status of a job as text: lines without their ends.
std::vector<std::string> StatusLines(const cluster::JobStatus& status, const StatusStyle& style);
// The same in one line.
std::string StatusLine(const cluster::JobStatus& status);
// For machines: one object.
std::string StatusJson(const cluster::JobStatus& status, bool in_one_line);

// New text in the place of the last one, which had `last_lines` lines, on a terminal of this
// size. *lines becomes how many it has.
std::string Repaint(const std::vector<std::string>& picture, size_t last_lines, size_t columns,
                    size_t rows, size_t* lines);

// "0-3, 7" of sorted numbers.
std::string Ranges(const std::vector<int32_t>& numbers);
// "4 s", "3:07 min", "2:05 h", "12 days".
std::string Duration(double seconds);
// "3.2 MB".
std::string Bytes(uint64_t bytes);
std::string Bar(double share, size_t width, bool unicode);

}  // namespace sda

#endif  // SDA_APPS_CLUSTER_STATUS_TEXT_H_
