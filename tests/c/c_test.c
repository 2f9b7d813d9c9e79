/* c_test.c: the library as a C program sees it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "posenc/posenc_c.h"

static int failures = 0;

static void expect(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  printf("line %d: expected %s; the last error: %s\n", line, what, posenc_last_error());
}
#define EXPECT(x) expect((x), #x, __LINE__)

static int says(const char* text, const char* part) { return text && strstr(text, part); }

static posenc_tensor tensor_of(void* data, int bits, int code, int ndim, int64_t* shape) {
  posenc_tensor t = {0};
  t.data = data;
  t.device.device_type = 1;
  t.ndim = ndim;
  t.dtype.code = (uint8_t)code;
  t.dtype.bits = (uint8_t)bits;
  t.dtype.lanes = 1;
  t.shape = shape;
  return t;
}
static posenc_tensor floats(float* data, int ndim, int64_t* shape) {
  return tensor_of(data, 32, 2, ndim, shape);
}

static posenc_plan* plan_of(const char* scheme, const char* options) {
  posenc_plan* plan = NULL;
  EXPECT(posenc_prepare(scheme, options, NULL, 0, 0, 0, &plan) == POSENC_OK);
  return plan;
}

static int near_to(double got, double wanted) { return fabs(got - wanted) < 1e-6; }

static void test_facts(void) {
  EXPECT(says(posenc_version(), "."));
  EXPECT(posenc_threads() >= 1);
  EXPECT(posenc_set_threads(2) == POSENC_OK && posenc_threads() == 2);
  EXPECT(posenc_set_threads(0) == POSENC_ARGUMENT && posenc_threads() == 2);
  EXPECT(says(posenc_last_error(), "expected 1 to 1024 threads, got 0"));
  EXPECT(says(posenc_schemes(), "\"name\": \"sinusoidal\", \"family\": \"absolute\""));
  EXPECT(says(posenc_describe("learned", "{\"dim\": 4, \"rows\": 3}"), "\"shape\": [3, 4]"));
  EXPECT(posenc_describe("learnd", NULL) == NULL);
  EXPECT(posenc_last_error_kind() == POSENC_OPTION);
  EXPECT(says(posenc_last_error(), "did you mean 'learned'?"));
}

static void test_explain(void) {
  const char* llama = "{\"model_type\": \"llama\", \"rope_theta\": 500000}";
  const char* dynamic =
      "{\"model_type\": \"llama\", \"rope_scaling\": {\"type\": \"dynamic\", \"factor\": 2}}";
  EXPECT(says(posenc_explain(llama, 0), "{\"version\":1,\"path\":null,\"format\":\"config.json\""));
  EXPECT(says(posenc_explain(llama, 0), "\"base\":500000.0") &&
         says(posenc_explain(llama, 0), "\"usable_length\":2048"));
  EXPECT(says(posenc_explain(dynamic, 8192), "\"length\":8192"));
  EXPECT(posenc_explain(dynamic, -1) == NULL && posenc_last_error_kind() == POSENC_ARGUMENT);
  EXPECT(posenc_explain("no/such/file.json", 0) == NULL);
  EXPECT(posenc_last_error_kind() == POSENC_DATA);
  EXPECT(posenc_explain(NULL, 0) == NULL && says(posenc_last_error(), "got NULL"));
}

static void test_identify(void) {
  static float rows[64 * 32];
  int64_t shape[] = {64, 32};
  posenc_tensor table = floats(rows, 2, shape);
  posenc_plan* plan = plan_of("sinusoidal", "{\"dim\": 32, \"base\": 1000}");
  EXPECT(posenc_fill(plan, &table, NULL, NULL) == POSENC_OK);
  EXPECT(says(posenc_identify(&table), "{\"version\":1,\"kind\":\"sinusoidal\",\"match\":\"paper\","
                                       "\"mistake\":\"wrong-base\""));
  EXPECT(says(posenc_identify(&table), "\"options\":{\"dim\":32,\"base\":1000,"));
  rows[5] = 9;
  EXPECT(says(posenc_identify(&table), "rows-differ"));
  shape[0] = 0;
  EXPECT(posenc_identify(&table) == NULL && says(posenc_last_error(), "a table with elements"));
  EXPECT(posenc_identify(NULL) == NULL && says(posenc_last_error(), "got NULL"));
  posenc_free(plan);
}

static void test_absolute(void) {
  float x[2 * 3 * 4] = {0}, rows[3 * 4], embedding[5 * 4], out[3 * 4];
  int32_t ids[3] = {4, 0, 2}, at_ids[3] = {7, 5, 9};
  int64_t batch[] = {2, 3, 4}, table[] = {3, 4}, vocabulary[] = {5, 4}, tokens[] = {3};
  posenc_tensor t = floats(x, 3, batch), r = floats(rows, 2, table), o = floats(out, 2, table);
  posenc_tensor e = floats(embedding, 2, vocabulary), i = tensor_of(ids, 32, 0, 1, tokens);
  posenc_tensor p = tensor_of(at_ids, 32, 0, 1, tokens);
  posenc_positions at = {0, NULL}, from = {10, NULL};
  posenc_plan* plan = plan_of("sinusoidal", "{\"dim\": 4}");
  for (int n = 0; n < 20; ++n) embedding[n] = (float)n;
  EXPECT(says(posenc_plan_info(plan), "\"dim\": 4, \"axes\": 1"));

  EXPECT(posenc_add(plan, &t, &t, NULL, NULL) == POSENC_OK);
  EXPECT(near_to(x[12 + 4], sin(1)) && near_to(x[12 + 4 + 1], cos(1)));
  EXPECT(posenc_fill(plan, &r, &from, NULL) == POSENC_OK);
  EXPECT(near_to(rows[4], sin(11)) && near_to(rows[4 + 3], cos(0.11)));
  at.ids = &p;
  EXPECT(posenc_embed(plan, &i, &e, 2.0, &o, &at, NULL) == POSENC_OK);
  EXPECT(near_to(out[0], 2 * 16 + sin(7)) && near_to(out[8 + 1], 2 * 9 + cos(9)));

  EXPECT(posenc_fill(plan, NULL, NULL, NULL) == POSENC_TENSOR);
  EXPECT(posenc_add(NULL, &t, &t, NULL, NULL) == POSENC_ARGUMENT);
  EXPECT(posenc_rotate(plan, &t, NULL, NULL, NULL, NULL, NULL) == POSENC_ARGUMENT);
  EXPECT(says(posenc_last_error(), "expected the plan of a rotary scheme, got that of sinusoidal"));
  t.dtype.bits = 8;
  EXPECT(posenc_add(plan, &t, &t, NULL, NULL) == POSENC_TENSOR);
  t.dtype.bits = 32, t.device.device_type = 9;
  EXPECT(posenc_add(plan, &t, &t, NULL, NULL) == POSENC_TENSOR);
  posenc_free(plan);
  posenc_free(NULL);
}

static void test_weights(void) {
  float table[3 * 2] = {1, 2, 3, 4, 5, 6}, x[2 * 2] = {0}, sums[6] = {0};
  int64_t shape[] = {3, 2}, rows[] = {2, 2};
  posenc_tensor w = floats(table, 2, shape), t = floats(x, 2, rows), d = floats(sums, 2, shape);
  posenc_positions at = {1, NULL};
  posenc_plan* plan = NULL;
  const char* options = "{\"dim\": 2, \"rows\": 3}";
  EXPECT(posenc_prepare("learned", options, NULL, 0, 0, 0, &plan) == POSENC_TENSOR && !plan);
  EXPECT(posenc_prepare("learned", options, &w, 1, 0, 0, NULL) == POSENC_ARGUMENT);
  EXPECT(posenc_prepare("learned", options, &w, 1, 0, 0, &plan) == POSENC_OK);
  EXPECT(posenc_add(plan, &t, &t, &at, NULL) == POSENC_OK && x[0] == 3 && x[3] == 6);
  EXPECT(posenc_backward(plan, &t, &d, 1, &at, NULL) == POSENC_OK && sums[0] == 0 && sums[5] == 6);
  at.first = 2;
  EXPECT(posenc_add(plan, &t, &t, &at, NULL) == POSENC_ARGUMENT && x[0] == 3);
  posenc_free(plan);
}

static void test_rotary(void) {
  float q[2 * 1 * 2] = {1, 0, 1, 0}, k[2 * 1 * 2] = {0, 1, 0, 1}, apart[4];
  int64_t shape[] = {2, 1, 2}, strides[] = {2, 2, 1};
  posenc_tensor tq = floats(q, 3, shape), tk = floats(k, 3, shape), to = floats(apart, 3, shape);
  int64_t narrow[] = {2, 2, 1};
  posenc_tensor wrong = floats(q, 3, narrow);
  posenc_plan* plan = plan_of("rope", "{\"dim\": 2, \"layout\": \"half\"}");
  EXPECT(posenc_rotate(plan, &wrong, NULL, NULL, NULL, NULL, NULL) == POSENC_TENSOR && q[0] == 1);
  tk.strides = strides;
  EXPECT(posenc_rotate(plan, &tq, &tk, NULL, NULL, NULL, NULL) == POSENC_OK);
  EXPECT(q[0] == 1 && near_to(q[2], cos(1)) && near_to(q[3], sin(1)) && near_to(k[2], -sin(1)));
  EXPECT(posenc_rotate_adjoint(plan, NULL, &tk, NULL, &to, NULL, NULL) == POSENC_OK);
  EXPECT(near_to(apart[2], 0) && near_to(apart[3], 1) && near_to(k[2], -sin(1)));
  EXPECT(says(posenc_plan_info(plan), "\"softmax_factor\": 1"));
  posenc_free(plan);
}

static void test_scores(void) {
  float scores[2 * 2 * 2] = {0}, q[2 * 1 * 2] = {1, 0, 0, 1}, out[4];
  int64_t shape[] = {2, 2, 2}, heads[] = {2, 1, 2};
  posenc_tensor s = floats(scores, 3, shape), t = floats(q, 3, heads), o = floats(out, 3, heads);
  posenc_score_options options = posenc_score_defaults();
  posenc_plan* plan = plan_of("alibi", "{\"heads\": 2}");
  options.causal = 1;
  EXPECT(posenc_add_bias(plan, &s, &s, &options, NULL) == POSENC_OK);
  EXPECT(isinf(scores[1]) && near_to(scores[2], -1.0 / 16) && near_to(scores[4 + 2], -1.0 / 256));
  EXPECT(posenc_fill_bias(plan, &s, NULL, NULL) == POSENC_OK && near_to(scores[1], -1.0 / 16));
  EXPECT(posenc_backward_bias(plan, &s, NULL, 0, NULL, NULL) == POSENC_OK);
  EXPECT(posenc_add_content(plan, &t, &t, NULL, &s, &s, NULL, NULL) == POSENC_ARGUMENT);
  posenc_free(plan);

  EXPECT(posenc_attend(NULL, &t, &t, &t, NULL, &o, &options) == POSENC_OK);
  EXPECT(out[0] == 1 && near_to(out[2] + out[3], 1) && near_to(out[3], 1 / (1 + exp(-1.0))));
  EXPECT(posenc_attend(NULL, &t, &t, &t, NULL, &o, NULL) == POSENC_OK);
  EXPECT(near_to(out[0], 1 / (1 + exp(-sqrt(0.5)))));
}

/* Every element type, memory that begins later, and what CUDA has pinned: row 0 is 0, 1. */
static void test_tensors(void) {
  uint16_t half[2], brain[2];
  double wide[3] = {7, 7, 7}, sines[4];
  int64_t row[] = {1, 2}, rows[] = {2, 2}, places[] = {3, 5}, two[] = {2};
  posenc_tensor h = tensor_of(half, 16, 2, 2, row), b = tensor_of(brain, 16, 4, 2, row);
  posenc_tensor d = tensor_of(wide, 64, 2, 2, row), s = tensor_of(sines, 64, 2, 2, rows);
  posenc_tensor i = tensor_of(places, 64, 0, 1, two);
  posenc_positions at = {0, NULL};
  posenc_plan* plan = plan_of("sinusoidal", "{\"dim\": 2}");
  EXPECT(posenc_fill(plan, &h, NULL, NULL) == POSENC_OK && half[0] == 0 && half[1] == 0x3c00);
  EXPECT(posenc_fill(plan, &b, NULL, NULL) == POSENC_OK && brain[0] == 0 && brain[1] == 0x3f80);
  d.byte_offset = 8, d.device.device_type = 3;
  EXPECT(posenc_fill(plan, &d, NULL, NULL) == POSENC_OK);
  EXPECT(wide[0] == 7 && wide[1] == 0 && wide[2] == 1);
  at.ids = &i;
  EXPECT(posenc_fill(plan, &s, &at, NULL) == POSENC_OK);
  EXPECT(near_to(sines[0], sin(3)) && near_to(sines[3], cos(5)));
  posenc_free(plan);
}

/* With dim 4 and factor 2, a text of twice the length has the base 10000 * 3^2. */
static void test_length(void) {
  const char* options =
      "{\"dim\": 4, \"layout\": \"half\", "
      "\"scaling\": {\"type\": \"dynamic\", \"factor\": 2, \"max_position_embeddings\": 10}}";
  float rows[4];
  int64_t shape[] = {1, 4}, length;
  posenc_tensor t = floats(rows, 2, shape);
  posenc_positions at = {6, NULL};
  posenc_plan* plan = NULL;
  EXPECT(posenc_prepare("rope", options, NULL, 0, 10, -1, &plan) == POSENC_ARGUMENT && !plan);
  for (length = 10; length <= 20; length += 10) {
    EXPECT(posenc_prepare("rope", options, NULL, 0, length, 0, &plan) == POSENC_OK);
    EXPECT(posenc_fill(plan, &t, &at, NULL) == POSENC_OK);
    EXPECT(near_to(rows[0], cos(6)) && near_to(rows[3], sin(6 / (length == 10 ? 100.0 : 300.0))));
    posenc_free(plan);
  }
}

/* Heads 4 and 5 of 8 have slopes of 1/32 and 1/64; a query at 10 sees keys at 7 and 8. */
static void test_some_heads(void) {
  float scores[2 * 1 * 2] = {0.5f, 0.25f, 0.5f, 0.25f}, biases[4];
  float zeros[1 * 2 * 1] = {0}, keys[2 * 2 * 1] = {0}, values[2 * 2 * 1] = {1, 1, 0, 0}, out[2];
  int64_t shape[] = {2, 1, 2}, one[] = {1, 2, 1}, both[] = {2, 2, 1};
  posenc_tensor s = floats(scores, 3, shape), b = floats(biases, 3, shape);
  posenc_tensor q = floats(zeros, 3, one), o = floats(out, 3, one);
  posenc_tensor k = floats(keys, 3, both), v = floats(values, 3, both);
  posenc_score_options options = posenc_score_defaults();
  posenc_plan* plan = plan_of("alibi", "{\"heads\": 8}");
  EXPECT(posenc_fill_bias(plan, &b, NULL, NULL) == POSENC_TENSOR);
  EXPECT(says(posenc_last_error(), "expected scores of all 8 heads, or first_head where they hold"));
  EXPECT(posenc_fill_bias(plan, &b, &options, NULL) == POSENC_TENSOR);
  options.first_head = 4, options.queries.first = 10, options.keys.first = 7;
  EXPECT(posenc_fill_bias(plan, &b, &options, NULL) == POSENC_OK);
  EXPECT(biases[0] == -3.0f / 32 && biases[1] == -2.0f / 32 && biases[3] == -2.0f / 64);
  options.scale = 4;
  EXPECT(posenc_add_bias(plan, &s, &b, &options, NULL) == POSENC_OK);
  EXPECT(biases[0] == 2 - 3.0f / 32 && biases[3] == 1 - 2.0f / 64);
  options.scale_sum = 1;
  EXPECT(posenc_add_bias(plan, &s, &b, &options, NULL) == POSENC_OK);
  EXPECT(biases[0] == 2 - 12.0f / 32 && biases[3] == 1 - 8.0f / 64);
  EXPECT(posenc_attend(plan, &q, &k, &v, NULL, &o, &options) == POSENC_OK);
  EXPECT(near_to(out[0], 1 / (1 + exp(4.0 / 32))) && near_to(out[1], 1 / (1 + exp(4.0 / 64))));
  posenc_free(plan);
}

/* Two tokens with gates of e^-1 and e^-2: what the second has forgotten of the first is -2. */
static void test_gates(void) {
  float scores[1 * 2 * 2] = {0}, gates[2 * 1] = {-1, -2}, x[2 * 1 * 1] = {0}, out[2];
  float v[2 * 1 * 1] = {1, 0};
  int64_t shape[] = {1, 2, 2}, heads[] = {2, 1}, each[] = {2, 1, 1};
  posenc_tensor s = floats(scores, 3, shape), g = floats(gates, 2, heads);
  posenc_tensor q = floats(x, 3, each), tv = floats(v, 3, each), o = floats(out, 3, each);
  posenc_score_options options = posenc_score_defaults();
  posenc_plan* plan = plan_of("forgetting", "{}");
  options.causal = 1;
  EXPECT(posenc_add_content(plan, NULL, NULL, NULL, &s, &s, &options, NULL) == POSENC_TENSOR);
  EXPECT(posenc_add_content(plan, NULL, NULL, &g, &s, &s, &options, NULL) == POSENC_OK);
  EXPECT(isinf(scores[1]) && near_to(scores[2], -2) && near_to(scores[3], 0));
  EXPECT(posenc_attend(plan, &q, &q, &tv, &g, &o, &options) == POSENC_OK);
  EXPECT(out[0] == 1 && near_to(out[1], 1 / (1 + exp(2.0))));
  posenc_free(plan);
}

int main(void) {
  test_facts();
  test_explain();
  test_identify();
  test_absolute();
  test_weights();
  test_rotary();
  test_scores();
  test_tensors();
  test_length();
  test_some_heads();
  test_gates();
  printf("%d failures\n", failures);
  return failures != 0;
}
