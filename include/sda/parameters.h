#ifndef SDA_PARAMETERS_H_
#define SDA_PARAMETERS_H_

#include <concepts>
#include <string>
#include <string_view>

#include "sda/context.h"
#include "sda/export.h"

namespace SDA_EXPORT sda {

// A space of natural parameters: what a prior, a posterior and their difference are made of.
// dense.h documents the members; CheckPlugin (checker.h) tests that a type satisfies them.
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

// The same four operations, shared by the threads of the context where the type can. The result
// does not depend on their number.
template <NaturalParameters P>
void AddTo(const P& change, const Context& context, P* params) {
  if constexpr (requires { params->Add(change, context.pool()); }) {
    params->Add(change, context.pool());
  } else {
    *params += change;
  }
}

template <NaturalParameters P>
void CopyPart(const P& from, const typename P::Selection& selection, const Context& context,
              P* out) {
  if constexpr (requires { from.CopyTo(selection, out, context.pool()); }) {
    from.CopyTo(selection, out, context.pool());
  } else {
    from.CopyTo(selection, out);
  }
}

template <NaturalParameters P>
void DiscountAll(const P& prior, double discount, const Context& context, P* params) {
  if constexpr (requires { DiscountTowards(prior, discount, params, context.pool()); }) {
    DiscountTowards(prior, discount, params, context.pool());
  } else {
    DiscountTowards(prior, discount, params);
  }
}

template <NaturalParameters P>
void DiscountPart(const P& prior, const typename P::Selection& selection, double discount,
                  const Context& context, P* params) {
  if constexpr (requires {
                  DiscountPartTowards(prior, selection, discount, params, context.pool());
                }) {
    DiscountPartTowards(prior, selection, discount, params, context.pool());
  } else {
    DiscountPartTowards(prior, selection, discount, params);
  }
}

}  // namespace sda

#endif  // SDA_PARAMETERS_H_
