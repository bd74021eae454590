#ifndef SDA_PARAMETERS_H_
#define SDA_PARAMETERS_H_

#include <concepts>
#include <string>
#include <string_view>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// A space of natural parameters: what a prior, a posterior and their difference are made of.
// dense.h says what each member means; CheckPlugin (checker.h) tests that a type keeps its word.
template <class P>
concept NaturalParameters = std::semiregular<P> &&
    std::default_initializable<typename P::Selection> &&
    requires(P p, const P& c, const typename P::Selection& selection, std::string_view bytes) {
  { p += c } -> std::same_as<P&>;
  { p -= c } -> std::same_as<P&>;
  { p *= 0.5 } -> std::same_as<P&>;
  c.CopyTo(selection, &p);
  { c.Serialize() } -> std::convertible_to<std::string>;
  { P::Deserialize(bytes) } -> std::same_as<P>;
  { MaxRelativeDifference(c, c) } -> std::convertible_to<double>;
};

// The power prior: params moves towards prior, keeping the share `discount` of what was learnt.
template <NaturalParameters P>
void DiscountTowards(const P& prior, double discount, P* params) {
  *params -= prior;
  *params *= discount;
  *params += prior;
}

// The same where params holds only the selected part, which is all of the prior that is looked at.
template <NaturalParameters P>
void DiscountPartTowards(const P& prior, const typename P::Selection& selection, double discount,
                         P* params) {
  P part;
  prior.CopyTo(selection, &part);
  DiscountTowards(part, discount, params);
}

}  // namespace sda

#endif  // SDA_PARAMETERS_H_
