// answers.h: what is told of models and tables, as trees that explain_json() and others write.
#pragma once

#include "base/json.h"
#include "posenc/model/check.h"
#include "posenc/model/diff.h"
#include "posenc/model/identify.h"

namespace posenc::model {

using files::Json;

Json tree(const Value& value);
// Null for a configuration that is in no file.
Json path_tree(const Model& model);

// What every answer begins with: {"version": 1}.
Json answer();

Json explain_tree(const Model& model, const ExplainOptions& options = {});
Json lint_tree(const Model& model, const LintOptions& options = {});
Json diff_tree(const Comparison& found, const Model& first, const Model& second, FactsAs facts);
Json identify_tree(const Match& match);
Json check_tree(const Scheme& scheme, const std::vector<Property>& found);

}  // namespace posenc::model
