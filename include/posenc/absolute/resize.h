// resize.h: learned tables for other sizes.
#pragma once

#include "posenc/tensor.h"
#include "posenc/type.h"

namespace POSENC_PUBLIC posenc {

// How a learned table is resized: as in torch.nn.functional.interpolate.
enum class Resize : uint8_t {
  copy,              // new rows are 0
  repeat,            // repeats the table
  linear,            // pixel centres aligned (align_corners=False)
  cubic,             // the same; a = -0.75: HF ViT, DINOv2, MAE, DeiT
  linear_antialias,  // averages when it shrinks (antialias=True)
  cubic_antialias,   // the same; a = -0.5: timm
  linear_corners,    // first and last rows stay in place (align_corners=True): Qwen3-VL
  cubic_corners,
};
constexpr auto enum_names(Resize) {
  return names({"copy", "repeat", "linear", "cubic", "linear-antialias", "cubic-antialias",
                "linear-corners", "cubic-corners"});
}

// table: [rows, dim] -> out: [other rows, dim]; they must not overlap. The first `keep` rows (an
// offset, a class token) are copied unchanged; the others are positions on one axis, as in text.
void resize(const Tensor& table, const Tensor& out, Resize how, int64_t keep = 0,
            Stream stream = {});

// The same for rows that are cells of a grid, row by row, such as the patches of ViT. `from` and
// `to` are the sides, slowest first (height and width, or frames before them); 1 to 4 sides.
// table: [keep + product of `from`, dim], out: [keep + product of `to`, dim].
void resize_grid(const Tensor& table, const Tensor& out, const std::vector<int64_t>& from,
                 const std::vector<int64_t>& to, Resize how, int64_t keep = 0, Stream stream = {});

// Adds the gradient of that table to dtable, f32 (f64 for an f64 dout).
void resize_grid_backward(const Tensor& dout, const Tensor& dtable,
                          const std::vector<int64_t>& from, const std::vector<int64_t>& to,
                          Resize how, int64_t keep = 0, Stream stream = {});

}  // namespace posenc
