// places.h: positions of every kind, and what they mean.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "posenc/positions.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"

namespace posenc {

class TestPlaces {
 public:
  explicit TestPlaces(int64_t first) : at_(range(first)) {}
  // Random ids: [tokens], [rows, tokens] or [axes, rows, tokens].
  TestPlaces(DType dtype, const std::vector<int64_t>& shape, Random& random, int64_t low,
             int64_t high, Placement placement = Placement::dense)
      : ids_(std::make_shared<Guarded>(dtype, shape, placement)) {
    randomize_ids(ids_->view(), random, low, high);
    if (dtype == DType::f64)
      for (int64_t n = 0; n < ids_->view().elements(); n += 2)  // every second one is not whole
        set(ids_->view(), n, get(ids_->view(), n) + random.real(0, 1));
    at_ = positions(ids_->view());
  }

  const Positions& at() const { return at_; }
  // The coordinates of a token, one per axis.
  std::vector<double> place(int64_t axes, int64_t row, int64_t token) const {
    std::vector<double> out;
    for (int64_t a = 0; a < axes; ++a) out.push_back(coordinate(a, row, token));
    return out;
  }
  std::string name() const {
    if (!ids_) return "range from " + std::to_string(at_.first);
    return "ids " + describe(ids_->view());
  }

 private:
  double coordinate(int64_t axis, int64_t row, int64_t token) const {
    if (!ids_) return static_cast<double>(at_.first + token);
    const Tensor& t = ids_->view();
    const int64_t tokens = t.size(-1), rows = t.rank > 1 ? t.size(-2) : 1;
    return get(t, (axis * rows + (rows > 1 ? row : 0)) * tokens + token);
  }

  Positions at_;
  std::shared_ptr<Guarded> ids_;
};

}  // namespace posenc
