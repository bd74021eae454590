#include "topics/refit.h"

#include <algorithm>
#include <utility>

#include "sda/lda_gibbs.h"
#include "sda/parameters.h"

namespace sda {
namespace {

// Of the documents that are not sampled again, which have the share `rest` of the tokens. Their
// variances are a sum over documents, as their counts are, so both shrink by the same factor.
KeyedRows RestOf(const RefitInput& input, double rest, const Context& context) {
  if (rest <= 0) return input.before;
  KeyedRows result = input.posterior;
  DiscountAll(input.before, rest, context, &result);
  RowVariances variances = input.posterior.variances();
  variances.Add(input.before.variances(), -1, context.pool());
  variances.Multiply(rest);
  variances.Add(input.before.variances(), 1, context.pool());
  result.SetVariances(std::move(variances));
  return result;
}

}  // namespace

KeyedRows RefitTopics(const RefitInput& input, const LdaSpec& spec, const Context& context,
                      const OnSweep& on_sweep) {
  GibbsOptions options;
  options.first_sweeps = kRefitSweeps;
  options.first_averaged = kRefitAveraged;
  options.seed = input.seed;
  options.on_first_sweep = on_sweep;
  const double kept = static_cast<double>(Tokens(input.documents));
  const KeyedRows rest = RestOf(input, 1 - kept / static_cast<double>(input.tokens), context);
  KeyedRows result =
      LdaGibbs(spec, options, context).Refit(input.documents, rest, input.posterior, 0);
  AddTo(rest, context, &result);
  return result;
}

}  // namespace sda
