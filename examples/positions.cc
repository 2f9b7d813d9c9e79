// positions.cc: position ids that do not simply count from 0.
#include <posenc/posenc.h>
#include <posenc/positions/padding.h>
#include <posenc/positions/segments.h>
#include <posenc/positions/sequence.h>

#include <cstdio>
#include <vector>

int main() {
  // Three sequences packed into one row: 0 1 2 | 0 1 | 0 1 2 3
  const std::vector<int32_t> cu_seqlens{0, 3, 5, 9};
  auto packed = posenc::packed(posenc::tensor(cu_seqlens.data(), {4}));

  // Left padding: the first real token of each row has position 0.
  const std::vector<int32_t> mask{0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  auto padded = posenc::padded(posenc::tensor(mask.data(), {2, 5}));

  // Two words, an image of 2 x 3 tokens, two words: (t, h, w) for each.
  using posenc::Segment;
  const std::vector<Segment> list{Segment::text(2), Segment::image(2, 3), Segment::text(2)};
  auto mixed = posenc::segments(list);

  posenc::Rope rope{.dim = 128,
                    .layout = posenc::Layout::half,
                    .base = 1000000,
                    .axes = posenc::Chunked{{16, 24, 24}}};
  std::vector<float> queries(10 * 4 * 128, 0.5f);
  posenc::Tensor q = posenc::tensor(queries.data(), {10, 4, 128});
  posenc::rotate(posenc::prepare(rope), {q, {}}, mixed.positions);

  std::printf("%lld %lld %lld\n", static_cast<long long>(packed.at(0, 0, 8)),
              static_cast<long long>(padded.at(0, 0, 4)),
              static_cast<long long>(mixed.positions.at(2, 0, 9)));
}
