// errors_test.cc: bad norms, caches and slots get one sentence, and nothing is written.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "posenc/posenc.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"

namespace posenc::errors_test {
namespace {

// Good input, to be spoilt in one place: 2 rows of 5 tokens, 6 pages of 4 tokens each.
struct Good {
  Guarded q_memory{DType::f32, {2, 5, 3, 8}}, k_memory{DType::f32, {2, 5, 2, 8}};
  Guarded v_memory{DType::f32, {2, 5, 2, 6}}, weights{DType::bf16, {8}};
  Guarded k_pages{DType::bf16, {6, 4, 2, 8}}, v_pages{DType::bf16, {6, 4, 2, 6}};
  Guarded slots{DType::i64, {2, 5}}, table{DType::i32, {2, 3}}, places{DType::i64, {2, 5}};
  QueriesKeys in{q_memory.view(), k_memory.view()}, out = in;
  RotateIntoOptions options{
      .norm = {weights.view(), weights.view()},
      .v = v_memory.view(),
      .cache = {.k = k_pages.view(), .v = v_pages.view(), .slots = slots.view()}};
  Rope rope{.dim = 8, .layout = Layout::half};
  Positions at = range(6);

  Good() {
    Random random(1);
    for (const Guarded* g : {&q_memory, &k_memory, &v_memory, &k_pages, &v_pages, &weights})
      randomize(g->view(), random);
    for (int64_t n = 0; n < 10; ++n) set(slots.view(), n, static_cast<double>(n));
    for (int64_t n = 0; n < 6; ++n) set(table.view(), n, static_cast<double>(5 - n));
    for (int64_t n = 0; n < 10; ++n) set(places.view(), n, static_cast<double>(n % 5));
  }
  void call() { rotate_into(prepare(rope), in, out, options, at); }
  Cache& cache() { return options.cache; }
  void paged() { cache().slots = {}, cache().block_table = table.view(); }
  std::vector<const Guarded*> all() const {
    return {&q_memory, &k_memory, &v_memory, &k_pages, &v_pages, &weights, &slots, &table};
  }
};

struct Bad {
  std::function<void(Good&)> spoil;
  const char* part;
};

void expect_sentences(const std::vector<Bad>& cases) {
  for (const Bad& bad : cases) {
    Good good;
    bad.spoil(good);
    std::vector<std::vector<unsigned char>> before;
    for (const Guarded* g : good.all()) before.push_back(g->bytes());
    const std::string text = message([&] { good.call(); });
    EXPECT_NE(text.find(bad.part), text.npos) << "said:   " << text << "\nwanted: " << bad.part;
    EXPECT_TRUE(text.starts_with("[rotate_into] ")) << text;
    EXPECT_EQ(text.find('\n'), text.npos);
    for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(good.all()[i]->bytes(), before[i]) << text;
  }
}

TEST(RotateIntoErrors, GoodOnesPass) {
  EXPECT_EQ(message([] { Good().call(); }), "no error");
  EXPECT_EQ(message([] {
              Good g;
              g.paged(), g.call();
            }),
            "no error");
}

TEST(RotateIntoErrors, Heads) {
  expect_sentences({
      {[](Good& g) { g.in = g.out = {}; }, "expected q, k or both, got neither"},
      {[](Good& g) { g.in.q.shape[3] = g.out.q.shape[3] = 6; }, "expected q as f32"},
      {[](Good& g) { g.out.q = {}; }, "expected q of the output as f32 [2, 5, 3, 8]"},
      {[](Good& g) { g.cache().k = {}, g.out.k = {}; }, "expected k of the output as f32"},
      {[](Good& g) { g.in.k = g.out.k = {}, g.options.norm.k = {}; },
       "expected k where there is a cache.k, got none"},
      {[](Good& g) { g.in.q = g.out.q = {}; }, "expected q where there is norm.q, got none"},
      {[](Good& g) { g.at = range(INT64_MAX); }, "expected positions within 2^62"},
  });
}

TEST(RotateIntoErrors, Norms) {
  expect_sentences({
      {[](Good& g) { g.options.norm.q.shape[0] = 7; },
       "expected norm.q as f32, f64, f16 or bf16 [8], got bf16 [7]"},
      {[](Good& g) { g.options.norm.k.rank = 2; }, "expected norm.k as f32"},
      {[](Good& g) { g.options.norm.k.rank = -1; }, "got a tensor of rank -1"},
      {[](Good& g) { g.options.norm.q.dtype = DType::i32; }, "got i32 [8]"},
      {[](Good& g) { g.options.norm.q.data = nullptr; }, "expected norm.q with data"},
      {[](Good& g) { g.options.norm.q.device = static_cast<Device>(7); },
       "expected norm.q on the CPU"},
      {[](Good& g) { g.options.norm.k.dtype = DType::f16; },
       "expected norm.q and norm.k of one type, got bf16 [8] and f16 [8]"},
      {[](Good& g) { g.options.norm.epsilon = -1e-9; }, "expected norm.epsilon of at least 0, got"},
      {[](Good& g) { g.options.norm.epsilon = std::numeric_limits<double>::quiet_NaN(); },
       "got nan"},
  });
}

TEST(RotateIntoErrors, ValuesAndCaches) {
  const char* like = "expected v like f32 [2, 5, 3, 8], but for its heads and their features, got ";
  const char* pages =
      "expected cache.k as f32, f64, f16 or bf16 [pages, page_size, 2, 8] for k f32";
  expect_sentences({
      {[](Good& g) { g.options.v.shape[1] = 4; }, like},
      {[](Good& g) { g.options.v.dtype = DType::bf16; }, like},
      {[](Good& g) { g.options.v.rank = 3; }, like},
      {[](Good& g) { g.options.v.rank = -1; }, like},
      {[](Good& g) { g.options.v.data = nullptr; }, "expected v with data"},
      {[](Good& g) { g.options.v = {}; }, "expected v where there is a cache.v, got none"},
      {[](Good& g) { g.cache().v = {}; }, "expected cache.v where there is v, got none"},
      {[](Good& g) { g.options.v = g.cache().k = g.cache().v = {}; },
       "expected cache.k, cache.v or both where it is said what goes there, got neither"},
      {[](Good& g) { g.cache().k.shape[2] = 1; }, pages},
      {[](Good& g) { g.cache().k.shape[3] = 7; }, pages},
      {[](Good& g) { g.cache().k.rank = 3; }, pages},
      {[](Good& g) { g.cache().k.rank = -2; }, "got a tensor of rank -2"},
      {[](Good& g) { g.cache().k.dtype = DType::i32; }, pages},
      {[](Good& g) { g.cache().k.shape[1] = g.cache().v.shape[1] = 0; }, pages},
      {[](Good& g) { g.cache().v.shape[3] = 8; },
       "expected cache.v as f32, f64, f16 or bf16 [pages, page_size, 2, 6] for v f32 [2, 5, 2, 6]"},
      {[](Good& g) { g.cache().v.dtype = DType::f16; },
       "expected cache.k and cache.v of one type, with the same pages, got bf16 [6, 4, 2, 8] and"},
      {[](Good& g) { g.cache().v.shape[0] = 5; }, "with the same pages"},
      {[](Good& g) { g.cache().k.data = nullptr; }, "expected cache.k with data"},
      {[](Good& g) { g.cache().k.read_only = true; }, "got read-only bf16 [6, 4, 2, 8]"},
      {[](Good& g) { g.cache().k.stride[0] = 0; }, "by which some share memory"},
  });
}

TEST(RotateIntoErrors, Slots) {
  const char* each = "expected cache.slots as i32 or i64 [2, 5], got ";
  expect_sentences({
      {[](Good& g) { set(g.slots.view(), 7, 24); }, "expected slots below 24, got 24 at token 2"},
      {[](Good& g) { g.cache().slots.shape[1] = 4; }, each},
      {[](Good& g) { g.cache().slots.rank = 1; }, each},
      {[](Good& g) { g.cache().slots.rank = -1; }, each},
      {[](Good& g) { g.cache().slots.dtype = DType::f64; }, each},
      {[](Good& g) { g.cache().slots.data = nullptr; }, "expected cache.slots with data"},
      {[](Good& g) { g.cache().block_table = g.table.view(); },
       "expected cache.slots alone, got block_table, sequences or at as well"},
      {[](Good& g) { g.cache().at = range(); }, "expected cache.slots alone"},
      {[](Good& g) { g.cache().sequences = g.slots.view(); }, "expected cache.slots alone"},
  });
}

TEST(RotateIntoErrors, Tables) {
  const auto paged = [](auto change) { return [change](Good& g) { g.paged(), change(g); }; };
  expect_sentences({
      {paged([](Good& g) { g.cache().block_table.rank = 1; }),
       "expected cache.block_table as i32 or i64 [sequences, most pages], got i32 [2]"},
      {paged([](Good& g) { g.cache().block_table.dtype = DType::f32; }), "got f32 [2, 3]"},
      {paged([](Good& g) { g.cache().block_table.data = nullptr; }), "with data"},
      {paged([](Good& g) { g.cache().block_table.shape[0] = 1; }),
       "expected a cache of at least 2 sequences, one for each batch row, got 1"},
      {paged([](Good& g) { set(g.table.view(), 4, 6); }),
       "expected pages from 0 to 5 in cache.block_table, got 6 for place 6 of sequence 1"},
      {paged([](Good& g) { set(g.table.view(), 2, -1); }),
       "expected pages from 0 to 5 in cache.block_table, got -1 for place 8 of sequence 0"},
      {paged([](Good& g) { g.at = range(8); }),
       "expected places below 12, which the cache has for a sequence, got 12 at token 4"},
      {paged([](Good& g) { g.cache().at = range(INT64_MAX); }), "expected places within 2^62"},
      {paged([](Good& g) { g.cache().sequences = g.slots.view(); }),
       "expected tokens of 2 sequences, got sequence 2 at token 2"},
      {paged([](Good& g) { g.cache().sequences = g.slots.view(), g.cache().sequences.rank = 1; }),
       "expected cache.sequences as i32 or i64 [2, 5], got i64 [2]"},
      {[](Good& g) { g.cache().slots = {}; },  // contiguous, 6 sequences of up to 4 tokens
       "expected places below 4, which the cache has for a sequence, got 6 at token 0"},
      {[](Good& g) { g.cache().slots = {}, g.cache().k.shape[0] = g.cache().v.shape[0] = 1; },
       "expected a cache of at least 2 sequences"},
  });
}

TEST(RotateIntoErrors, PlacesThatPositionsDoNotTell) {
  const char* neither =
      "expected cache.at or cache.slots where positions are not whole or have several axes, got ";
  static const std::vector<double> real(10, 0.5);
  static const std::vector<int64_t> axes(30, 1);
  expect_sentences({
      {[](Good& g) {
         g.paged(), g.at = positions(tensor(real.data(), {2, 5}));
       },
       neither},
      {[](Good& g) {
         g.paged(), g.rope.axes = Chunked{{2, 1, 1}};
         g.at = positions(tensor(axes.data(), {3, 2, 5}));
       },
       neither},
      {[](Good& g) {
         g.paged(), g.cache().at = positions(tensor(real.data(), {2, 5}));
       },
       "expected cache.at as i32 or i64 [1, 1 or 2, 5], got f64 [1, 2, 5]"},
      {[](Good& g) {
         g.paged(), g.cache().at = positions(tensor(axes.data(), {2, 4}));
       },
       "expected cache.at as i32 or i64 [1, 1 or 2, 5], got i64 [1, 2, 4]"},
  });
}

TEST(RotateIntoErrors, MemoryThatOverlaps) {
  // Elsewhere in the bytes of a tensor, which are enough for all of the other.
  const auto at = [](Tensor& t, const Guarded& other) { t.data = other.view().data; };
  expect_sentences({
      {[=](Good& g) { at(g.options.v, g.q_memory); }, "expected q of the output apart from v"},
      {[=](Good& g) { at(g.options.v, g.k_memory); }, "expected k of the output apart from v"},
      {[=](Good& g) { at(g.options.norm.q, g.k_memory); }, "k of the output apart from norm.q"},
      {[=](Good& g) { at(g.options.norm.k, g.k_pages); }, "cache.k apart from norm.k"},
      {[=](Good& g) { at(g.cache().v, g.k_pages); }, "expected cache.k apart from cache.v"},
      {[=](Good& g) { at(g.cache().k, g.k_memory); }, "expected cache.k apart from k"},
      {[=](Good& g) { at(g.cache().v, g.q_memory); }, "expected cache.v apart from q"},
      {[=](Good& g) { at(g.options.v, g.v_pages); }, "expected cache.v apart from v"},
      {[](Good& g) {
         g.paged(), g.cache().at = positions(g.places.view());
         g.cache().k.data = g.places.view().data, g.cache().k.shape[0] = g.cache().v.shape[0] = 6;
       },
       "apart from cache.at"},
  });
}

}  // namespace
}  // namespace posenc::errors_test
