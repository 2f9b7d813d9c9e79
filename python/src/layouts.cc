// layouts.cc: weights of a model made for the other layout of pairs.

#include "plan.h"

namespace posenc::python {
namespace {

using nb::none;

void convert(nb::handle weight, nb::handle out, Word<"from_layout"> from, Word<"to_layout"> to,
             Whole<"heads"> heads, Whole<"dim"> dim, WholeOrNone<"rotary_dim"> rotary_dim,
             Whole<"rotary_offset"> rotary_offset, Whole<"blocks"> blocks, nb::handle stream) {
  const Given in = output(weight), written = given(out);
  const Stream on = stream_of(stream, in);
  const Layout old = choice_of<Layout>("from_layout", from),
               now = choice_of<Layout>("to_layout", to);
  const HeadSpan span{heads, dim, rotary_dim, rotary_offset, blocks};
  work(in.tensor, [&] {
    convert_layout(in.tensor, written.tensor.rank ? written.tensor : in.tensor, old, now, span, on);
  });
}

std::vector<int64_t> order(Word<"from_layout"> from, Word<"to_layout"> to, Whole<"dim"> dim,
                           WholeOrNone<"rotary_dim"> rotary_dim,
                           Whole<"rotary_offset"> rotary_offset, Whole<"blocks"> blocks) {
  return layout_order(choice_of<Layout>("from_layout", from), choice_of<Layout>("to_layout", to),
                      {1, dim, rotary_dim, rotary_offset, blocks});
}

}  // namespace

void bind_layouts(nb::module_& m) {
  m.def("convert_layout", convert, arg("weight"), arg("out") = none(), arg("from_layout"),
        arg("to_layout"), arg("heads") = 1, arg("dim") = 128, arg("rotary_dim") = none(),
        arg("rotary_offset") = 0, arg("blocks") = 1, arg("stream") = none());
  m.def("layout_order", order, arg("from_layout"), arg("to_layout"), arg("dim"),
        arg("rotary_dim") = none(), arg("rotary_offset") = 0, arg("blocks") = 1);
}

}  // namespace posenc::python
