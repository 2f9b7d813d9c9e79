// Input that content verbs refuse, with a sentence, and leave everything as it was.
#include <gtest/gtest.h>

#include "tests/content/stand.h"
#include "tests/support/message.h"

namespace posenc::errors_test {
namespace {

struct Refused {
  Random random{96};
  Stand t{Shaw{.dim = 6, .heads = 3, .left = 2, .right = 2}, DType::f32, {2, 3, 5, 7}, random};
  const Tensor& q = t.q.view();
  const Tensor& scores = t.scores.view();

  std::string adding(const ContentInputs& in, const Tensor& from, const Tensor& to,
                     const ScoreOptions& o = {}) {
    const auto before = t.out.bytes();
    const std::string said = message([&] { add(t.plan, in, from, to, o); });
    EXPECT_EQ(t.out.bytes(), before);
    return said;
  }
};

TEST(ContentErrors, Tensors) {
  Refused r;
  const Tensor& out = r.t.out.view();
  EXPECT_EQ(r.adding({}, r.scores, out),
            "[add] expected q as f32 [2, 5, 3, 6] with as many heads as the scores (grouped keys "
            "must be repeated), got f32 []");
  const Guarded grouped(DType::f32, {2, 5, 1, 6}), half(DType::f16, {2, 5, 3, 6});
  EXPECT_EQ(r.adding({grouped.view()}, r.scores, out),
            "[add] expected q as f32 [2, 5, 3, 6] with as many heads as the scores (grouped keys "
            "must be repeated), got f32 [2, 5, 1, 6]");
  EXPECT_EQ(r.adding({half.view()}, r.scores, out),
            "[add] expected q as f32 [2, 5, 3, 6] with as many heads as the scores (grouped keys "
            "must be repeated), got f16 [2, 5, 3, 6]");
  Tensor flat = r.scores;
  flat.rank = 2;
  EXPECT_EQ(r.adding({r.q}, flat, flat),
            "[add] expected scores as f32, f64, f16 or bf16 [..., heads, queries, keys], got f32 "
            "[2, 3]");
  const Guarded other(DType::f32, {2, 3, 5, 8});
  EXPECT_NE(r.adding({r.q}, r.scores, other.view()).find("[add] expected out"), std::string::npos);
  Tensor twice = out;
  twice.stride[3] = 0;
  EXPECT_NE(r.adding({r.q}, r.scores, twice), "no error");
}

TEST(ContentErrors, Options) {
  Refused r;
  const Tensor& out = r.t.out.view();
  EXPECT_EQ(r.adding({r.q}, r.scores, out, {.first_head = 2}),
            "[add] expected first_head from 0 to 0, got 2");
  EXPECT_NE(r.adding({r.q}, r.scores, out, {.first_head = -1}), "no error");
  EXPECT_NE(r.adding({r.q}, r.scores, out, {.scale = std::nan("")}), "no error");
  EXPECT_NE(r.adding({r.q}, r.scores, out, {.keys = range(int64_t{1} << 60)}), "no error");
  const std::vector<double> real{0, 1.5, 2, 3, 4};
  const Positions at = positions(tensor(real.data(), {5}));
  EXPECT_EQ(r.adding({r.q}, r.scores, out, {.queries = at}),
            "[add] expected whole positions (i32 or i64) for this scheme, got f64");
}

TEST(ContentErrors, SomeHeadsAreAskedForByName) {
  Random random(98);
  const Stand t(Shaw{.dim = 6, .heads = 4, .left = 2, .right = 2}, DType::f32, {2, 3, 5, 7},
                random);
  const auto adding = [&](const ScoreOptions& o) {
    return message([&] { add(t.plan, t.inputs(), t.scores.view(), t.out.view(), o); });
  };
  EXPECT_EQ(adding({}),
            "[add] expected scores of all 4 heads, or first_head where they hold some of them, got "
            "f32 [2, 3, 5, 7]");
  EXPECT_EQ(adding({.first_head = 0}), "no error");
  EXPECT_EQ(adding({.first_head = 1}), "no error");
  EXPECT_EQ(adding({.first_head = 2}), "[add] expected first_head from 0 to 1, got 2");
}

TEST(ContentErrors, Gradients) {
  Refused r;
  const Guarded dq(DType::f32, {2, 5, 3, 6}), wrong(DType::f64, {2, 5, 3, 6});
  const Guarded dtable(DType::f32, {3, 5, 6}), small(DType::f32, {3, 5, 5});
  const auto backing = [&](const Tensor& to, std::vector<Tensor> dweights) {
    const auto before = std::pair{dq.bytes(), dtable.bytes()};
    const std::string said =
        message([&] { backward(r.t.plan, {r.q}, r.scores, r.scores, {.dq = to}, dweights); });
    EXPECT_EQ((std::pair{dq.bytes(), dtable.bytes()}), before);
    return said;
  };
  EXPECT_NE(backing(wrong.view(), {dtable.view()}).find("[backward] expected dq as f32"),
            std::string::npos);
  EXPECT_NE(backing(dq.view(), {small.view()}).find("[backward] expected the gradient of a weight"),
            std::string::npos);
  EXPECT_EQ(backing(dq.view(), {dtable.view(), dtable.view()}),
            "[backward] expected 1 gradients, got 2");
}

TEST(ContentErrors, Schemes) {
  const auto refused = [](const Content& s) { return message([&] { prepare(s); }); };
  EXPECT_EQ(refused(Shaw{.left = -1}), "[shaw] expected left and right from 0 to 1048575, got -1");
  EXPECT_NE(refused(Shaw{.dim = 0}), "no error");
  EXPECT_NE(refused(Shaw{}).find("[shaw] expected"), std::string::npos);  // no table
  EXPECT_NE(refused(MusicTransformer{.length = 0}), "no error");
  EXPECT_EQ(refused(TransformerXl{.sinusoids = {.learned_scale = true}}),
            "[transformer-xl] expected sinusoids without a learned scale");
  EXPECT_NE(refused(TransformerXl{.clamp_len = -1}), "no error");
  EXPECT_EQ(refused(TransformerXl{.clamp_len = 3, .legacy = true}),
            "[transformer-xl] expected no clamp_len with the legacy form");
  EXPECT_EQ(refused(Deberta{.buckets = 7}),
            "[deberta] expected buckets from 4 to 4096, even, or 0, got 7");
  EXPECT_EQ(refused(Deberta{.buckets = 256, .max_distance = 129}),
            "[deberta] expected max_distance above 129, got 129");
  EXPECT_EQ(refused(Deberta{.c2p = false, .p2c = false}),
            "[deberta] expected c2p or p2c, got neither");
}

TEST(ContentErrors, Distances) {
  Random random(97);
  const TransformerXl s{.dim = 4, .heads = 3, .sinusoids = {.dim = 4}, .legacy = true};
  const Stand t(s, DType::f32, {1, 3, 5, 7}, random);
  const auto adding = [&](const Stand& stand, const ScoreOptions& o) {
    return message(
        [&] { add(stand.plan, stand.inputs(), stand.scores.view(), stand.out.view(), o); });
  };
  EXPECT_EQ(adding(t, {}),
            "[transformer-xl] expected queries that end with the keys for the legacy form, got 5 "
            "queries, 7 keys and distances from -4 to 6");
  EXPECT_EQ(adding(t, {.queries = range(2)}), "no error");
  const TransformerXl far{.dim = 4, .heads = 3, .sinusoids = {.dim = 4}};
  const Stand scattered(far, DType::f32, {1, 3, 2, 7}, random);
  const std::vector<int64_t> ids{0, int64_t{1} << 40};
  EXPECT_NE(adding(scattered, {.queries = positions(tensor(ids.data(), {2}))})
                .find("[transformer-xl] expected at most 1048576 distances"),
            std::string::npos);
}

TEST(ContentErrors, GatesNeedKeysInOrder) {
  Random random(99);
  const Stand t(Forgetting{}, DType::f32, {2, 3, 2, 4}, random);
  const auto adding = [&](std::vector<int64_t> ids, std::vector<int64_t> shape) {
    const ScoreOptions o{.keys = positions(tensor(ids.data(), shape))};
    const auto before = t.out.bytes();
    const auto text = message([&] { add(t.plan, t.inputs(), t.scores.view(), t.out.view(), o); });
    EXPECT_TRUE(text == "no error" || t.out.bytes() == before);
    return text;
  };
  EXPECT_EQ(adding({0, 1, 1, 5}, {4}), "no error");
  EXPECT_EQ(adding({0, 1, 2, 3, 0, 3, 2, 4}, {2, 4}),
            "[add] expected keys in the order of their positions for this scheme, got 2 after 3");
}

TEST(ContentErrors, Outputs) {
  Random random(98);
  const Stand music(MusicTransformer{.dim = 6, .length = 9}, DType::f32, {2, 3, 5, 7}, random);
  EXPECT_EQ(message([&] { add_to_outputs(music.plan, music.scores.view(), music.q.view()); }),
            "[add_to_outputs] expected the plan of a shaw, got one of music-transformer");
  const Refused r;
  EXPECT_NE(message([&] { add_to_outputs(r.t.plan, r.scores, r.t.k.view()); }), "no error");
}

}  // namespace
}  // namespace posenc::errors_test
