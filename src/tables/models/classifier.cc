#include "sda/classifier.h"

#include "sda/errors.h"
#include "tables/classifier_choices.h"
#include "tables/table_fit_of.h"

namespace sda {
namespace {

std::unique_ptr<TableFit> Make(const TableMaking& m, Link link) {
  const TableSpec& spec = m.spec;
  ClassifierOptions options;
  options.link = link;
  options.context = m.context;
  options.method = m.Text("primitive") == "vb" ? SiteMethod::kVb : SiteMethod::kEp;
  options.intercept = spec.intercept;
  options.sd = m.Prior("sd");
  options.intercept_sd = m.Prior("intercept_sd");
  const std::vector<std::string> features = FeaturesOf(spec);
  if (features.empty() && !spec.intercept && !spec.sparse) {
    throw UsageError("a regression needs at least one feature or an intercept");
  }
  if (!spec.scale.empty()) {
    if (spec.scale.size() != spec.columns.size() || spec.origin.size() != spec.columns.size()) {
      throw UsageError("an origin and a scale are needed for each column, or none");
    }
    options.scale.assign(spec.scale.begin(), spec.scale.end() - 1);
    if (spec.intercept) options.origin.assign(spec.origin.begin(), spec.origin.end() - 1);
  }
  if (spec.diagonal) return MakeFit(m, DiagonalClassifier(features, options));
  ExpectMemoryForDense(features.size());
  return MakeFit(m, Classifier(features, options));
}

TableModel ClassifierModel(Link link) {
  const ClassifierOptions usual;
  TableModel model;
  model.prior = {{"sd", usual.sd}, {"intercept_sd", usual.intercept_sd}};
  model.has_target = true;
  model.classifies = true;
  model.options = {
      {"primitive", "How a minibatch is fitted", "ep", {"ep", "vb"}},
      {"covariance", "Of the coefficients", "auto", {"auto", "dense", "diagonal"}, false},
      {"features",
       "Largest feature number in svmlight files; else they are read twice",
       uint64_t{0},
       {},
       false},
  };
  model.make = [link](const TableMaking& m) { return Make(m, link); };
  return model;
}

}  // namespace

TableModel ProbitModel() {
  TableModel model = ClassifierModel(Link::kProbit);
  model.name = "probit";
  model.summary = "classes of a target column, P = Phi(score)";
  return model;
}

TableModel LogisticModel() {
  TableModel model = ClassifierModel(Link::kLogistic);
  model.name = "logistic";
  model.summary = "classes of a target column, P = 1 / (1 + exp(-score))";
  return model;
}

}  // namespace sda
