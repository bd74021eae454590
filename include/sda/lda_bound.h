#ifndef SDA_LDA_BOUND_H_
#define SDA_LDA_BOUND_H_

#include <vector>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"

namespace SDA_EXPORT sda {

// The evidence lower bound of LDA (paper appendix A.1) for q given by gamma (documents x topics),
// posterior (lambda) and the best phi for the two.
double LdaBound(const Documents& documents, const std::vector<double>& gamma,
                const KeyedRows& posterior, const KeyedRows& prior, const LdaSpec& spec,
                const Context& context = Context());

}  // namespace sda

#endif  // SDA_LDA_BOUND_H_
