#ifndef SDA_DATA_BAGS_LDAC_WRITER_H_
#define SDA_DATA_BAGS_LDAC_WRITER_H_

#include <cstddef>
#include <string>

#include "sda/documents.h"

namespace sda {

// Document d as a line of LDA-C, without its end: the number of distinct words, then WORD:COUNT for
// each.
std::string LdacLine(const Documents& documents, size_t d);

}  // namespace sda

#endif  // SDA_DATA_BAGS_LDAC_WRITER_H_
