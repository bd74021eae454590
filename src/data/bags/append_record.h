#ifndef SDA_DATA_BAGS_APPEND_RECORD_H_
#define SDA_DATA_BAGS_APPEND_RECORD_H_

#include <string>

#include "data/document_reader.h"
#include "sda/documents.h"

namespace sda {

// Sorts the words of a document, and sums the counts of those that occur more than once. Throws
// InputError, which names the corpus, if a sum is too large.
void SortAndMerge(const std::string& name, Record* record);

// Appends the document to *out.
void AppendRecord(const Record& record, Documents* out);

}  // namespace sda

#endif  // SDA_DATA_BAGS_APPEND_RECORD_H_
