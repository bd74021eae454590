#ifndef SDA_LDA_BOUND_H_
#define SDA_LDA_BOUND_H_

#include <vector>

#include "sda/documents.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/lda.h"

namespace SDA_EXPORT sda {

// The evidence lower bound of LDA (paper appendix A.1) for q given by gamma (documents x topics),
// posterior (lambda) and the best phi for the two. Of options: topics, vocabulary, alpha, threads.
double LdaBound(const Documents& documents, const std::vector<double>& gamma,
                const KeyedRows& posterior, const KeyedRows& prior, const LdaOptions& options);

}  // namespace sda

#endif  // SDA_LDA_BOUND_H_
