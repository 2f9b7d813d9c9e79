// formulas.h: the columns of each scheme; internal to the reference.
#pragma once

#include <functional>

#include "reference/oracle.h"

namespace posenc::reference {

using Angle = std::function<Real(const Point&)>;

// amplitude * sin(angle) or amplitude * cos(angle).
Column wave(bool is_cosine, const Real& amplitude, Angle angle);

std::vector<Column> columns_of(const Sinusoidal& s, const Weights& weights);
std::vector<Column> columns_of(const GridSinusoidal& s, const Weights& weights);
std::vector<Column> columns_of(const Nerf& s, const Weights& weights);
std::vector<Column> columns_of(const Perceiver& s, const Weights& weights);
std::vector<Column> columns_of(const Gaussian& s, const Weights& weights);
std::vector<Column> columns_of(const Time2Vec& s, const Weights& weights);
std::vector<Column> columns_of(const Temporal& s, const Weights& weights);
std::vector<Column> columns_of(const Rope& s, const Weights& weights, int64_t length);

}  // namespace posenc::reference
