// models.cc: what models' files say, and which scheme made an array.
#include "plan.h"
#include "posenc/model/check.h"
#include "posenc/model/diff.h"
#include "posenc/model/identify.h"

namespace posenc::python {
namespace {

// Text from files may be no UTF-8.
nb::object text_of(std::string_view text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

nb::object fact_of(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? text_of(*text) : value_of(value);
}

// A part of a model, with the scheme to be used.
nb::dict dict_of(const model::Component& part) {
  nb::dict out, facts;
  for (const auto& [name, value] : part.facts) facts[text_of(name)] = fact_of(value);
  out["where"] = text_of(part.where), out["scheme"] = text_of(part.scheme);
  out["ready"] = part.ready ? nb::cast(*part.ready) : nb::none();
  if (const auto scheme = scheme_info(part))
    out["options_of"] = scheme->name, out["options"] = to_json(scheme->options);
  out["facts"] = facts;
  return out;
}

nb::list read_parts(const std::string& model, const std::string& as_type) {
  const auto read = [&] {
    const Released others;
    return model::read_given(model, as_type);
  };
  nb::list out;
  for (const auto& part : read().components) out.append(dict_of(part));
  return out;
}

std::string explain(const std::string& model, WholeOrNone<"length"> length,
                    Flag<"frequencies"> frequencies, const std::string& as_type) {
  const model::ExplainOptions options{length, frequencies};
  const Released others;
  return explain_json(model::read_given(model, as_type), options);
}

std::string lint(const std::string& model, Flag<"strict"> strict) {
  const model::LintOptions options{.strict = strict};
  const Released others;
  return lint_json(model::read_given(model), options);
}

std::string diff(const std::string& first, const std::string& second,
                 const std::vector<int64_t>& lengths) {
  const Released others;
  const auto a = model::read_given(first), b = model::read_beside(second, first);
  return diff_json(model::diff(a, b, lengths), a, b, model::FactsAs::values);
}

std::string identify_array(nb::handle table) {
  const Given given_table = output(table);
  model::Match found;
  work(given_table.tensor, [&] { found = model::identify(given_table.tensor); });
  return identify_json(found);
}

std::string check_scheme(const Scheme& scheme, nb::handle weights, Whole<"tokens"> tokens,
                         Whole<"length"> length) {
  const GivenList given(weights);
  const model::CheckOptions options{given.tensors, tokens, length};
  const Released others;
  return check_json(scheme, model::check(scheme, options));
}

}  // namespace

void bind_models(nb::module_& m) {
  m.def("read_parts", read_parts, arg("model"), arg("as_type") = "");
  m.def("explain", explain, arg("model"), arg("length"), arg("frequencies"), arg("as_type"));
  m.def("lint", lint, arg("model"), arg("strict"));
  m.def("diff", diff, arg("first"), arg("second"), arg("lengths"));
  m.def("identify", identify_array, arg("table"));
  m.def("check", check_scheme, arg("scheme"), arg("weights"), arg("tokens"), arg("length"));
}

}  // namespace posenc::python
