// models.cc: what models' files say, and which scheme made an array.
#include "inspect/bias_properties.h"
#include "inspect/identify.h"
#include "inspect/rotary_properties.h"
#include "plan.h"
#include "posenc/model.h"

namespace posenc::python {
namespace {

// Text from files may be no UTF-8.
nb::object text_of(std::string_view text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}
nb::object text_or_none(std::string_view text) {
  return text.empty() ? nb::object(nb::none()) : text_of(text);
}

nb::object fact_of(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? text_of(*text) : value_of(value);
}

nb::dict dict_of(const model::Component& part) {
  nb::dict out;
  nb::list facts, keys;
  for (const auto& [name, value] : part.facts)
    facts.append(nb::make_tuple(text_of(name), fact_of(value)));
  for (const std::string& key : part.keys) keys.append(text_of(key));
  out["where"] = text_of(part.where), out["scheme"] = text_of(part.scheme);
  out["ready"] = part.ready ? nb::cast(*part.ready) : nb::none();
  if (part.is_runnable()) {
    const SchemeInfo scheme = part.convolution ? info(*part.convolution) : info(*part.ready);
    out["options_of"] = scheme.name, out["options"] = to_json(scheme.options);
  }
  out["facts"] = facts, out["layers"] = part.layers;
  out["positions"] = text_of(part.positions), out["keys"] = keys;
  return out;
}

nb::dict dict_of(const model::Note& note) {
  nb::dict out;
  out["kind"] = std::string(enum_name(note.kind));
  out["where"] = text_of(note.where), out["text"] = text_of(note.text);
  return out;
}

nb::dict dict_of(const model::Model& model) {
  nb::list components, notes;
  for (const auto& part : model.components) components.append(dict_of(part));
  for (const auto& note : model.notes) notes.append(dict_of(note));
  nb::dict out;
  out["path"] = text_of(model.path), out["format"] = text_of(model.format);
  out["family"] = text_of(model.family);
  out["components"] = components, out["notes"] = notes;
  return out;
}

// Whether a length rule depends on how long the text is: such a one says which texts it serves.
bool asks_for_length(const Scheme& scheme) {
  const auto* rope = std::get_if<Rope>(&scheme);
  const auto asks = [](const auto& rule) {
    return requires { rule.serves(int64_t{}); };
  };
  return rope && std::visit(asks, rope->scaling);
}

nb::dict identify_array(nb::handle table) {
  const Given given_table = output(table);
  Match m;
  work(given_table.tensor, [&] { m = identify(given_table.tensor); });
  nb::dict out;
  out["kind"] = text_or_none(m.kind), out["match"] = text_or_none(m.match);
  out["mistake"] = text_or_none(m.mistake), out["error"] = m.error;
  out["sentence"] = text_of(m.sentence), out["also"] = m.also;
  out["holds"] = text_or_none(m.holds), out["layout"] = text_or_none(m.layout);
  out["options"] = m.found ? nb::cast(to_json(m.found->options)) : nb::none();
  out["command"] = text_or_none(m.command);
  return out;
}

std::vector<Property> properties_of(const Scheme& scheme, std::span<const Tensor> weights,
                                    int64_t tokens, int64_t length) {
  if (const auto* rope = std::get_if<Rope>(&scheme))
    return check_rotation(*rope, weights, tokens, length);
  if (const auto bias = as_family<Bias>(scheme)) return check_biases(*bias, weights, tokens);
  return check_properties(*as_family<Absolute>(scheme), weights, tokens);
}

nb::list check_scheme(const Scheme& scheme, nb::handle weights, Whole<"tokens"> tokens,
                      Whole<"length"> length) {
  const GivenList given(weights);
  std::vector<Property> found;
  {
    const int64_t rows = tokens, text = length;
    nb::gil_scoped_release others;
    found = properties_of(scheme, given.tensors, rows, text);
  }
  nb::list out;
  for (const Property& p : found) {
    nb::dict one;
    one["name"] = p.name, one["claim"] = p.claim;
    one["verdict"] = std::string(enum_name(p.verdict)), one["evidence"] = p.evidence;
    one["measured"] = p.measured, one["bound"] = p.bound;
    out.append(one);
  }
  return out;
}

}  // namespace

void bind_models(nb::module_& m) {
  m.def(
      "read_model",
      [](const std::string& path, const std::string& as_type) {
        const auto read = [&] {
          const Released others;
          return model::read(path, as_type);
        };
        return dict_of(read());
      },
      arg("path"), arg("as_type") = "");
  m.def(
      "read_config",
      [](std::string_view json, const std::string& as_type) {
        return dict_of(model::read_config(json, as_type));
      },
      arg("json"), arg("as_type") = "");
  m.def("asks_for_length", asks_for_length, arg("scheme"));
  m.def("identify", identify_array, arg("table"));
  m.def("check", check_scheme, arg("scheme"), arg("weights"), arg("tokens"), arg("length"));
}

}  // namespace posenc::python
