// c_model.cc: posenc_explain and posenc_identify of posenc_c.h.
#include "c_values.h"
#include "posenc/model/explain.h"
#include "posenc/model/identify.h"

using namespace posenc;
using namespace posenc::c;

const char* posenc_explain(const char* model, int64_t length) {
  return text_of_thread([&] {
    if (!model) fail("explain", "expected a path or a configuration, got NULL");
    model::ExplainOptions options;
    if (length != 0) options.length = length;
    return explain_json(model::read_given(model), options);
  });
}

const char* posenc_identify(const posenc_tensor* table) {
  return text_of_thread([&] {
    if (!table) fail("identify", "expected a table, got NULL");
    return identify_json(model::identify(tensor_of(table)));
  });
}
