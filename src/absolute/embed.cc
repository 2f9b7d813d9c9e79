// embed.cc: rows of tokens and of positions in one pass, and the gradient of the former.
#include "absolute/plan.h"
#include "base/check.h"
#include "orders/orders.h"
#include "posenc/absolute.h"

namespace posenc {

void embed(const AbsolutePlan& plan, const Tensor& ids, const Tensor& embedding, const Tensor& out,
           const EmbedOptions& options, Stream stream) {
  const RowSource& rows = plan.parts();
  check_rows("embed", "out", out, rows.dim);
  check_vocabulary("embed", "embedding", embedding, out.dtype, rows.dim);
  check_ids("embed", ids, out, embedding.size(0));
  check_apart("embed", "out", out, "the embedding", embedding);
  check_apart("embed", "out", out, "the ids", ids);
  check_finite("embed", "scale", options.scale);
  const Places places = check_places("embed", rows, options.at, out);
  check_target("embed", rows, out, options.at);
  run(AddOrder{.rows = rows,
               .at = places,
               .out = out,
               .ids = &ids,
               .embedding = &embedding,
               .scale = options.scale,
               .stream = stream});
}

void embed(const Absolute& scheme, const Tensor& ids, const Tensor& embedding, const Tensor& out,
           const EmbedOptions& options, const PlanOptions& plan, Stream stream) {
  embed(prepare(scheme, plan), ids, embedding, out, options, stream);
}

void embed_backward(const Tensor& ids, const Tensor& dout, const Tensor& dembedding, double scale,
                    Stream stream) {
  const char* verb = "embed_backward";
  if (dout.rank < 2)
    fail(ErrorKind::tensor, verb, "expected dout [..., tokens, dim], got ", describe(dout));
  check_rows(verb, "dout", dout, dout.size(-1));
  check_vocabulary(verb, "dembedding", dembedding, compute_type(dout.dtype), dout.size(-1));
  check_output(verb, dembedding);
  check_ids(verb, ids, dout, dembedding.size(0));
  check_apart(verb, "dembedding", dembedding, "dout", dout);
  check_apart(verb, "dembedding", dembedding, "the ids", ids);
  check_finite(verb, "scale", scale);
  run(ScatterOrder{.ids = ids, .dout = dout, .sums = dembedding, .scale = scale, .stream = stream});
}

}  // namespace posenc
