// scheme_test.cc: what holds for every scheme of the list, by visiting it.
#include "posenc/scheme.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "posenc/aliases.h"
#include "tests/support/gradient.h"
#include "tests/support/message.h"
#include "tests/support/schemes.h"

namespace posenc::scheme_test {
namespace {

// The biases of all heads for a few queries and keys.
std::vector<double> some_biases(const BiasPlan& plan) {
  std::vector<double> out;
  for (int64_t head = 0; head < plan.heads(); ++head)
    for (const auto& [query, key] : {std::pair{0, 0}, {3, 1}, {2, 30}, {31, 7}})
      out.push_back(bias(plan, head, query, key));
  return out;
}

// Some numbers with weights that depend only on the names; whole positions below 14. None of a
// scheme that reads queries and keys.
std::vector<double> some_numbers(const Scheme& scheme) {
  Random random(5);
  const Weights weights = random_weights(posenc::weights(scheme), random);
  if (as_family<Content>(scheme)) return {};
  if (const auto bias = as_family<Bias>(scheme))
    return some_biases(prepare(*bias, {.weights = weights.views()}));
  const AbsolutePlan plan = rows_of(prepare(scheme, {.weights = weights.views()}));
  std::vector<double> out;
  for (int i = 0; i < 3; ++i) {
    std::vector<double> place;
    for (int64_t a = 0; a < plan.axes(); ++a)
      place.push_back(static_cast<double>(random.integer(0, 13)));
    const auto row = row_at(plan, place);
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

// The options of a scheme that are read, as text.
Options options_in_use(const SchemeInfo& info) {
  Options out;
  for (const Option& o : info.options)
    if (const auto text = text::write(o.value); !text.empty() && is_taken(o, info.options))
      out.push_back({o.name, text});
  return out;
}

TEST(Scheme, IsFoundByItsName) {
  std::set<std::string> names;
  for (const SchemeInfo& s : schemes()) {
    EXPECT_TRUE(names.insert(s.name).second) << s.name;
    const Scheme made = make_scheme(s.name, required(s));
    EXPECT_EQ(alternative_name(made), s.name);
    EXPECT_EQ(info(made).name, s.name);
    const bool absolute = as_family<Absolute>(made).has_value();
    const bool rotary = as_family<Rotary>(made).has_value();
    const bool relative = as_family<Bias>(made).has_value();
    const bool content = as_family<Content>(made).has_value();
    EXPECT_EQ(absolute + rotary + relative + content, 1);
    EXPECT_EQ(s.family, absolute   ? "absolute"
                        : rotary   ? "rotary"
                        : relative ? "relative"
                                   : "content");
    EXPECT_EQ(s.acts_on, absolute ? "input" : rotary ? "queries and keys" : "scores");
    EXPECT_FALSE(s.about.empty());
    for (const Option& o : s.options) EXPECT_FALSE(o.help.empty()) << s.name << " " << o.name;
    for (const PresetInfo& p : s.presets) EXPECT_FALSE(p.help.empty()) << s.name << " " << p.name;
  }
  EXPECT_EQ(names.size(), std::variant_size_v<Absolute> + std::variant_size_v<Rotary> +
                              std::variant_size_v<Bias> + std::variant_size_v<Content>);
}

// An alias is no scheme, and leads to what its options say.
TEST(Scheme, OtherNamesLeadToTheSchemeThatIsMeant) {
  std::set<std::string> names;
  for (const SchemeInfo& s : schemes()) names.insert(s.name);
  for (const Alias& alias : aliases()) {
    EXPECT_TRUE(names.insert(alias.name).second) << alias.name;
    Options options, more;
    if (!alias.option.empty()) options.push_back({alias.option, alias.value});
    if (alias.scheme == "rope" && alias.option != "preset") more.push_back({"layout", "half"});
    if (alias.value == "longrope") continue;  // asks for factors
    options.insert(options.end(), more.begin(), more.end());
    EXPECT_EQ(to_json(make_scheme(alias.name, more)), to_json(make_scheme(alias.scheme, options)))
        << alias.name;
  }
  for (const char* name : {"swin", "vit", "mae", "detr", "pi", "ntk", "xpos", "fourier", "bert"})
    EXPECT_TRUE(names.count(name)) << name;
  EXPECT_EQ(alternative_name(make_scheme("swin")), "window");
  const Scheme given = make_scheme("bert", {{"preset", "gpt2"}});
  EXPECT_EQ(std::get<Learned>(given).rows, 1024);
  EXPECT_EQ(to_json(scheme_from_json("mae", R"({"dim": 8})")),
            to_json(make_scheme("grid-sinusoidal", {{"preset", "mae"}, {"dim", "8"}})));
}

TEST(Scheme, PresetsAreSoundAndTheirOptionsSayAllOfThem) {
  for (const auto& [name, options] : all_named()) {
    SCOPED_TRACE(name + " " + (options.empty() ? "" : options[0].second));
    const Scheme made = make_scheme(name, options);
    std::visit([](const auto& s) { s.check(); }, made);
    const Scheme again = make_scheme(name, options_in_use(info(made)));
    EXPECT_EQ(some_numbers(again), some_numbers(made));
    const auto before = info(made).options, after = info(again).options;
    for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].value, after[i].value);
  }
}

TEST(Scheme, OptionsRefineAPresetInAnyOrder) {
  const auto value = [](const Scheme& s, std::string_view name) {
    for (const Option& o : info(s).options)
      if (o.name == name) return text::write(o.value);
    return std::string("none");
  };
  const Scheme s =
      make_scheme("sinusoidal", {{"dim", "6"}, {"preset", "mlx"}, {"first", "cosine"}});
  EXPECT_EQ(value(s, "dim"), "6");
  EXPECT_EQ(value(s, "norm"), "sqrt-2-over-dim");
  EXPECT_EQ(value(s, "first"), "cosine");
  EXPECT_EQ(value(s, "rule"), "timescales");
  const Scheme t = make_scheme("sinusoidal", {{"preset", "mlx"}, {"rule.min_timescale", "4"}});
  EXPECT_EQ(value(t, "rule.min_timescale"), "4");
}

TEST(Scheme, ListsWhatMayBeLearned) {
  const std::map<std::string, std::string> wanted{
      {"rope", "frequency phase coefficient"},
      {"sinusoidal", "alpha"},
      {"learned", "table alpha"},
      {"learned-grid", "table"},
      {"axial", "table0 table1"},
      {"gaussian", "frequencies"},
      {"time2vec", "frequency phase"},
      {"alibi", "slopes"},
      {"t5", "table"},
      {"clipped", "table"},
      {"kerple", "p a"},
      {"dynamic", "weight_0 bias_0 weight_1 bias_1 weight_2 bias_2"},
      {"fire", "c mu weight_0 bias_0 weight_1 bias_1"},
      {"window", "table"},
      {"continuous", "weight_0 bias_0 weight_1"},
      {"tupe", "position_queries position_keys table"},
      {"layout", "table x y"},
      {"segment-buckets", "table"},
      {"box-relation", "weight_0 bias_0"},
      {"shaw", "table"},
      {"music-transformer", "table"},
      {"transformer-xl", "projection content_bias position_bias"},
      {"deberta", "position_keys position_queries"},
      {"cope", "table"},
      {"segments", "table bias"},
      {"decomposed", "table_h table_w"},
      {"gated-t5", "table gate_weight gate_bias gate_scale"},
      {"kerple-weight", "a p"},
  };
  for (const SchemeInfo& s : schemes()) {
    std::vector<std::string> names;
    for (const Weight& w : s.weights) names.push_back(w.name);
    const auto found = wanted.find(s.name);
    EXPECT_EQ(join(names, " "), found == wanted.end() ? "" : found->second) << s.name;
  }
  EXPECT_TRUE(weights(Scheme(Sinusoidal{})).empty());
  EXPECT_TRUE(weights(Scheme(Rope{})).empty());
}

TEST(Scheme, WrongNamesGetASuggestion) {
  const auto expect = [](const char* name, const Options& options, const std::string& text) {
    EXPECT_EQ(message([&] { make_scheme(name, options); }), text);
  };
  expect("sinusoidl", {}, "[options] unknown scheme 'sinusoidl'; did you mean 'sinusoidal'?");
  expect("rotary?", {}, "[options] unknown scheme 'rotary?'; did you mean 'rotary'?");
  expect("whispr", {}, "[options] unknown scheme 'whispr'; did you mean 'whisper'?");
  expect("something else", {},
         "[options] unknown scheme 'something else'; there is: " +
             join(alternative_names<Scheme>(), ", "));
  expect("wav2vec2", {},
         "[options] expected a scheme that reads positions, got wav2vec2, a convolution of the "
         "input, which has verbs of its own (posenc/convolution.h)");
  expect("rope", {},
         "[rope] expected layout half, interleaved or interleaved-in-half-out, got none: it cannot "
         "be guessed");
  expect("rope", {{"layout", "halves"}},
         "[options] expected layout to name a choice, got 'halves'; there is: half, interleaved, "
         "interleaved-in-half-out");
  expect("rope", {{"preset", "lama"}},
         "[options] unknown preset 'lama' of rope; did you mean 'llama'?");
  expect("sinusoidal", {{"preset", "wisper"}},
         "[options] unknown preset 'wisper' of sinusoidal; did you mean 'whisper'?");
  expect("sinusoidal", {{"dims", "4"}}, "[options] unknown option 'dims'; did you mean 'dim'?");
  expect("sinusoidal", {{"rule", "papr"}},
         "[options] expected rule to name a choice, got 'papr'; did you mean 'paper'?");
  expect("sinusoidal", {{"dim", "0"}}, "[sinusoidal] expected dim from 1 to 1048576, got 0");
  expect("sinusoidal", {{"rule.min_timescale", "1"}},
         "[options] unknown option 'rule.min_timescale'; what it belongs to has no options");
}

// Every switch for something learned turned on.
std::vector<Absolute> all_learning() {
  std::vector<Absolute> out;
  for_each_alternative<Absolute>([&](auto s) {
    for (const Field& f : s.fields())
      if (!f.learned.empty()) set_option(s, f.name, f.name, f.learned);
    out.push_back(s);
  });
  return out;
}

// A sine is never longer than its amplitude, wherever it is read; a zero column is 0.
TEST(Scheme, RowsAreBounded) {
  Random random(7);
  for (const Absolute& scheme : all_learning()) {
    const Prepared p = prepare_random(scheme, random);
    const auto& columns = p.plan.parts().waves.columns;
    if (columns.empty()) continue;  // a table is as large as its numbers
    for (DType dtype : float_types) {
      const TestPlaces at(DType::i64, {p.plan.axes(), 1, 50}, random, -2'000'000'000,
                          2'000'000'000);
      Guarded out(dtype, {50, p.plan.dim()});
      fill(p.plan, out.view(), at.at());
      for (int64_t n = 0; n < out.view().elements(); ++n) {
        const Wave& wave = columns[static_cast<size_t>(n % p.plan.dim())];
        if (wave.kind == Wave::Kind::line) continue;
        const double most = wave.kind == Wave::Kind::zero ? 0 : std::abs(wave.amplitude);
        const double slack = most == 0 ? 0 : row_error(dtype, most, most);
        ASSERT_LE(std::abs(get(out.view(), n)), most + slack) << alternative_name(scheme);
      }
    }
  }
}

TEST(Scheme, GradientsAreAdjoint) {
  Random random(8);
  for (const Absolute& scheme : all_learning()) {
    if (weights(scheme).empty()) continue;
    const Weights w = random_weights(scheme, random);
    const auto plan = prepare(scheme, {.weights = w.views()});
    const Array dout = make_array(DType::f64, {2, 4, plan.dim()});
    randomize(dout.view(), random);
    const TestPlaces at(DType::i64, {plan.axes(), 2, 4}, random, 0, 3);
    // Nothing turns faster than 2 pi (2 c - 1) per entry of a direction, c below 4, on each axis.
    expect_adjoint(scheme, w, dout.view(), at.at(), random,
                   2 * std::numbers::pi * 7 * static_cast<double>(plan.axes()));
  }
}

}  // namespace
}  // namespace posenc::scheme_test
