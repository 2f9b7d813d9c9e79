// schemes.cc: schemes by name, what they are, and their plans.
#include <nanobind/stl/map.h>

#include "posenc/convolution.h"
#include "posenc/graph.h"
#include "spellings.h"
#include "told.h"

namespace posenc::python {

nb::object value_of(const Value& value) {
  return std::visit(
      [](const auto& v) -> nb::object {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
          return nb::none();
        else
          return nb::cast(v);
      },
      value);
}

nb::dict dict_of(const Weight& weight) {
  nb::dict out;
  out["name"] = weight.name, out["shape"] = nb::tuple(nb::cast(weight.shape));
  out["mean"] = weight.mean, out["deviation"] = weight.deviation;
  return out;
}

nb::dict dict_of(const Option& option) {
  nb::dict out;
  out["name"] = option.name, out["kind"] = std::string(enum_name(option.kind));
  out["help"] = option.help, out["value"] = value_of(option.value);
  out["choices"] = option.choices;
  out["only_with"] = nb::make_tuple(option.only_with.option, option.only_with.choice);
  out["learned"] = option.learned;
  return out;
}

nb::dict dict_of(const PresetInfo& preset) {
  nb::dict out;
  out["name"] = preset.name, out["help"] = preset.help;
  return out;
}

nb::dict dict_of(const SchemeInfo& about) {
  nb::dict out;
  out["name"] = about.name, out["about"] = about.about, out["used_by"] = about.used_by;
  out["family"] = about.family, out["acts_on"] = about.acts_on;
  out["weights"] = list_of(about.weights);
  out["options"] = list_of(about.options);
  out["presets"] = list_of(about.presets);
  return out;
}

namespace {

// "Llama3" of posenc::Llama3; "InTurnAxes" of a template's "in-turn".
template <class T>
std::string class_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  if (text.ends_with('>')) {
    std::string word;
    for (const char c : std::string_view(T::name)) {
      const bool begins = word.empty() || word.back() == '-';
      if (!word.empty() && word.back() == '-') word.pop_back();
      word += begins ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return word + "Axes";
  }
  return std::string(text.substr(text.rfind(':') + 1));
}

template <class V, size_t... I>
std::map<std::string, std::string> names_in(std::index_sequence<I...>) {
  return {{std::string(std::variant_alternative_t<I, V>::name),
           class_name<std::variant_alternative_t<I, V>>()}...};
}
template <class V>
std::map<std::string, std::string> names_in() {
  return names_in<V>(std::make_index_sequence<std::variant_size_v<V>>());
}

std::map<std::string, std::map<std::string, std::string>> class_names() {
  auto schemes = names_in<Scheme>();
  schemes.emplace(Convolution::name, class_name<Convolution>());
  return {{"", schemes},
          {"sinusoidal.rule", names_in<decltype(Sinusoidal::rule)>()},
          {"grid-sinusoidal.rule", names_in<decltype(GridSinusoidal::rule)>()},
          {"rope.frequencies", names_in<FrequencySource>()},
          {"rope.scaling", names_in<Scaling>()},
          {"rope.axes", names_in<AxisRule>()},
          {"rope.phases", names_in<Phases>()},
          {"rope.decay", names_in<Decay>()},
          {"rope.temperature", names_in<Temperature>()}};
}

// The scheme that each other name stands for.
std::map<std::string, std::string> other_names() {
  std::map<std::string, std::string> out;
  for (const auto* list : {&aliases(), &convolution_aliases()})
    for (const Alias& alias : *list) out.emplace(alias.name, alias.scheme);
  return out;
}

// Of every family but that of graphs.
std::vector<SchemeInfo> all_schemes() {
  std::vector<SchemeInfo> out = schemes();
  out.push_back(info(Convolution{}));
  return out;
}

PythonPlan plan_of(const Scheme& scheme, nb::handle weights, Whole<"length"> length,
                   Whole<"keep"> keep, Argument<int, "cuda_device"> cuda_device) {
  GivenList list(weights);
  Plan plan;
  {
    const Released others;
    plan = prepare(scheme, {list.tensors, length, keep, cuda_device});
  }
  return {std::move(plan), scheme, std::move(list.all)};
}

}  // namespace

void bind_schemes(nb::module_& m) {
  nb::class_<Scheme>(m, "Scheme", "One scheme with its options.")
      .def(
          "__init__",
          [](Scheme* self, Word<"name"> name, Word<"json"> options) {
            new (self) Scheme(scheme_from_json(name, options));
          },
          arg("name"), arg("json") = "{}")
      .def_prop_ro("name", [](const Scheme& s) { return info(s).name; })
      .def("to_json", [](const Scheme& s) { return to_json(s); })
      .def("info", [](const Scheme& s) { return dict_of(info(s)); })
      .def("weights", [](const Scheme& s) { return list_of(weights(s)); })
      .def("prepare", plan_of, arg("weights") = nb::none(), arg("length") = 0, arg("keep") = 0,
           arg("cuda_device") = -1);
  m.def("schemes", [] { return list_of(all_schemes()); });
  m.def("graph_schemes", [] { return list_of(graph::schemes()); });
  m.def("unknown_option", [](const std::string& name, const std::vector<std::string>& known) {
    return "unknown option '" + name + "'" + suggestion(name, known);
  });
  m.def("other_options", &other_options, arg("scheme"),
        "Options that a scheme takes beside its own, in the words of others.");
  m.def("aliases", other_names, "The scheme that each other name stands for.");
  m.def("class_names", class_names, "What C++ calls each scheme and each choice of an option.");
}

}  // namespace posenc::python
