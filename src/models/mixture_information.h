#ifndef SDA_MODELS_MIXTURE_INFORMATION_H_
#define SDA_MODELS_MIXTURE_INFORMATION_H_

#include <Eigen/Dense>
#include <optional>
#include <string>
#include <vector>

#include "models/mixture_vb.h"

namespace sda {

// Of the prior: nothing is known of any row.
MixtureInformation NoInformation(Eigen::Index numbers, size_t components);
// Of rows x with responsibilities r under a posterior with these sums of this number of rows.
MixtureInformation InformationOf(const Eigen::MatrixXd& x, const Eigen::MatrixXd& r,
                                 const Eigen::VectorXd& sums, double rows);

// What no rows have, of information that is kept: rows that leave a component arrive in others, the
// products of 1 and x^2 are those of x and x.
std::optional<std::string> FaultInInformation(const MixtureInformation& information,
                                              Eigen::Index p);

Eigen::VectorXd Flat(const std::vector<ComponentSums>& sums);
std::vector<ComponentSums> FromFlat(const Eigen::VectorXd& flat, Eigen::Index p);
double RowsOf(const std::vector<ComponentSums>& sums);

// The rows of a state as they would be elsewhere: see MixtureInformation. Throws std::domain_error
// if that is none.
class Response {
 public:
  Response(const MixtureState& state, const MixtureOptions& options);

  // What the state's sums would be under a posterior with these moments.
  std::vector<ComponentSums> At(const Eigen::VectorXd& moments) const;
  // What they would be under the posterior that they are.
  std::vector<ComponentSums> Settled() const;
  // About what the bound gains by a step of the sums of this length.
  double Gain(const Eigen::VectorXd& step) const { return step.dot(whole_solver_.solve(step)) / 2; }
  // How many times as large as if the components of the rows were known the variance of a quantity
  // is (Giordano, Broderick and Jordan 2015: linear response). derivative: by the sums.
  double Wider(const Eigen::VectorXd& derivative) const;

 private:
  // As near to that as is the sums of components.
  std::vector<ComponentSums> Towards(const Eigen::VectorXd& sums) const;

  const MixtureState& state_;
  const MixtureOptions& options_;
  Eigen::MatrixXd whole_;  // of all components, with the prior's
  Eigen::MatrixXd missing_;
  Eigen::LLT<Eigen::MatrixXd> whole_solver_;
  Eigen::LLT<Eigen::MatrixXd> known_solver_;  // of whole - missing
};

}  // namespace sda

#endif  // SDA_MODELS_MIXTURE_INFORMATION_H_
