/* posenc_c.h: the library for C, and for every language that calls C.
 *
 *   posenc_plan* plan = NULL;
 *   if (posenc_prepare("rope", "{\"dim\": 128, \"layout\": \"half\"}", NULL, 0, 0, 0, &plan))
 *     puts(posenc_last_error());
 *   posenc_rotate(plan, &q, &k, NULL, NULL, NULL, NULL);   in place, positions 0, 1, 2, ...
 *   posenc_free(plan);
 *
 * Tensors are DLPack's DLTensor: the same type if dlpack.h is included first, otherwise the same
 * memory layout. The C++ header of each family documents its functions and their shapes. Pointers
 * to tensors, positions or options may be NULL only where documented. stream: the cudaStream_t for
 * work on CUDA tensors; NULL: CUDA's default stream. Several threads may use a plan at once.
 * Functions that return int return a posenc_status; unless it is POSENC_OK, nothing was written,
 * and posenc_last_error() is the error message. */
#ifndef POSENC_POSENC_C_H_
#define POSENC_POSENC_C_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define POSENC_C __attribute__((visibility("default")))
#else
#define POSENC_C
#endif

#ifdef DLPACK_DLPACK_H_
typedef DLTensor posenc_tensor;
#else
/* The same fields as DLPack's DLTensor. */
typedef struct posenc_tensor {
  void* data;
  struct {
    int32_t device_type; /* 1: CPU, 2: CUDA, 3: CPU memory pinned by CUDA */
    int32_t device_id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code; /* 0: integer, 2: float, 4: bfloat */
    uint8_t bits;
    uint16_t lanes; /* 1 */
  } dtype;
  int64_t* shape;
  int64_t* strides; /* in elements; NULL: row-major */
  uint64_t byte_offset;
} posenc_tensor;
#endif

typedef struct posenc_plan posenc_plan;

typedef enum posenc_status {
  POSENC_OK = 0,
  POSENC_ARGUMENT = 1, /* a number or a position that is not valid */
  POSENC_OPTION = 2,   /* a scheme, an option or its value */
  POSENC_TENSOR = 3,   /* its shape, element type or memory */
  POSENC_DATA = 4,     /* the content of a file */
  POSENC_MEMORY = 5,   /* not enough memory */
  POSENC_OTHER = 6
} posenc_status;

POSENC_C const char* posenc_version(void);

/* The message and the status of the last call in this thread that failed. */
POSENC_C const char* posenc_last_error(void);
POSENC_C int posenc_last_error_kind(void);

/* The maximum number of threads of a call. */
POSENC_C int posenc_threads(void);
POSENC_C int posenc_set_threads(int count);

/* These return JSON, valid until the next such call in this thread. NULL: an error.
 * All schemes: [{"name", "about", "used_by", "family", "acts_on",
 * "options": [{"name", "help"}], ...}]. */
POSENC_C const char* posenc_schemes(void);
/* One scheme with its options, before it is prepared: {"name", "family", "acts_on", "weights":
 * [{"name", "shape"}]}. options: a JSON object, or NULL. */
POSENC_C const char* posenc_describe(const char* scheme, const char* options);
/* The encodings of a model, as printed by `posenc explain --json`. model: a config.json, a
 * model's folder, a .safetensors or GGUF file, or a configuration in JSON. length: length of the
 * text in tokens, for length rules; 0: the model's maximum. With static libraries it is part of
 * posenc::model. */
POSENC_C const char* posenc_explain(const char* model, int64_t length);
/* The scheme, or the common mistake, that made the numbers in a table [rows, dim] on the CPU, as
 * printed by `posenc identify --json`; see model/identify.h for other shapes. With static libraries
 * it is part of posenc::model. */
POSENC_C const char* posenc_identify(const posenc_tensor* table);

/* weights: one tensor for each that posenc_describe lists. They are read now, except the table of
 * `learned`, which must outlive the plan. length: length of the text in tokens, for length rules.
 * keep: rows for positions 0 .. keep - 1 are computed now and cached. */
POSENC_C int posenc_prepare(const char* scheme, const char* options, const posenc_tensor* weights,
                            int32_t weight_count, int64_t length, int64_t keep, posenc_plan** plan);
POSENC_C void posenc_free(posenc_plan* plan); /* NULL: nothing */

/* {"name", "family", "acts_on", "weights", "dim", "axes", "heads", "softmax_factor"}, without
 * numbers that the family does not have. Valid as long as the plan. */
POSENC_C const char* posenc_plan_info(const posenc_plan* plan);

/* Token t is at first + t, or at ids: i32, i64 or f64 [tokens], [rows, tokens] or [axes, rows,
 * tokens]. A NULL pointer to positions means {0, NULL}. */
typedef struct posenc_positions {
  int64_t first;
  const posenc_tensor* ids;
} posenc_positions;

/* Absolute schemes, and the rows of cosines and sines of a rotary one; see absolute.h. */
POSENC_C int posenc_fill(const posenc_plan* plan, const posenc_tensor* table,
                         const posenc_positions* at, void* stream);
POSENC_C int posenc_add(const posenc_plan* plan, const posenc_tensor* x, const posenc_tensor* out,
                        const posenc_positions* at, void* stream);
POSENC_C int posenc_embed(const posenc_plan* plan, const posenc_tensor* ids,
                          const posenc_tensor* embedding, double scale, const posenc_tensor* out,
                          const posenc_positions* at, void* stream);
POSENC_C int posenc_backward(const posenc_plan* plan, const posenc_tensor* dout,
                             const posenc_tensor* dweights, int32_t weight_count,
                             const posenc_positions* at, void* stream);

/* Rotary schemes; see rotary.h. q or k may be NULL. A NULL output means in place. */
POSENC_C int posenc_rotate(const posenc_plan* plan, const posenc_tensor* q, const posenc_tensor* k,
                           const posenc_tensor* q_out, const posenc_tensor* k_out,
                           const posenc_positions* at, void* stream);
POSENC_C int posenc_rotate_adjoint(const posenc_plan* plan, const posenc_tensor* dq,
                                   const posenc_tensor* dk, const posenc_tensor* dq_out,
                                   const posenc_tensor* dk_out, const posenc_positions* at,
                                   void* stream);

/* For schemes that act on scores. Start from posenc_score_defaults(); NULL means these defaults. */
typedef struct posenc_score_options {
  posenc_positions queries, keys;
  int64_t first_head; /* if scores hold only some heads of the model; -1: they hold all */
  double scale;       /* 1 */
  int32_t scale_sum;  /* 0: scale * scores + bias; 1: scale * (scores + bias) */
  int32_t causal;     /* 1: keys after the query get -infinity */
} posenc_score_options;
POSENC_C posenc_score_options posenc_score_defaults(void);

/* Biases: see relative.h. Content: see content.h; inputs a scheme does not read may be NULL. */
POSENC_C int posenc_fill_bias(const posenc_plan* plan, const posenc_tensor* out,
                              const posenc_score_options* options, void* stream);
POSENC_C int posenc_add_bias(const posenc_plan* plan, const posenc_tensor* scores,
                             const posenc_tensor* out, const posenc_score_options* options,
                             void* stream);
POSENC_C int posenc_backward_bias(const posenc_plan* plan, const posenc_tensor* dout,
                                  const posenc_tensor* dweights, int32_t weight_count,
                                  const posenc_score_options* options, void* stream);
POSENC_C int posenc_add_content(const posenc_plan* plan, const posenc_tensor* q,
                                const posenc_tensor* k, const posenc_tensor* gates,
                                const posenc_tensor* scores, const posenc_tensor* out,
                                const posenc_score_options* options, void* stream);

/* Attention; see attend.h. Plan NULL: no encoding; gates NULL: none; options NULL: scale 1 /
 * sqrt(dim) and all keys. A scale of 0 in options is 1 / sqrt(dim) too. */
POSENC_C int posenc_attend(const posenc_plan* plan, const posenc_tensor* q, const posenc_tensor* k,
                           const posenc_tensor* v, const posenc_tensor* gates,
                           const posenc_tensor* out, const posenc_score_options* options);

#ifdef __cplusplus
}
#endif

#endif
