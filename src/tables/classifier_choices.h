#ifndef SDA_TABLES_CLASSIFIER_CHOICES_H_
#define SDA_TABLES_CLASSIFIER_CHOICES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tables/column_scales.h"
#include "tables/table_fit.h"

namespace sda {

// What the first rows and the number of features decide about a classifier.

// Up to this number of features a classifier has the full covariance unless the options say
// otherwise: its cost per row grows as the square of their number.
inline constexpr uint64_t kMostDenseFeatures = 300;

// Whether it has independent coefficients. Logs it if no option asks for it.
bool IsDiagonal(const TableFitOptions& options, const TableModel& model, uint64_t features,
                const Context& context);

// Throws UsageError if this machine has no memory for the full covariance of so many features: a
// feature's number is just claimed.
void ExpectMemoryForDense(uint64_t features);

// A single outlier must not set a classifier's prior.
ColumnScales ScalesForClassifier(const Table& first, const std::vector<std::string>& columns,
                                 const Context& context);

// VB cannot take any number (kMostForVb in classifier.h): a larger one is refused when it is read.
// Does nothing for EP.
void LimitForVb(const TableSpec& spec, const TableModel& model, TableSource* source);
void LimitForVb(const TableSpec& spec, const TableModel& model, SvmlightOptions* options);

// Independent coefficients, each as free as one alone, would add up to scores that are
// overconfident: together they get the freedom of one, unless the prior was given.
void NarrowPriorIfDiagonal(TableSpec* spec);

}  // namespace sda

#endif  // SDA_TABLES_CLASSIFIER_CHOICES_H_
