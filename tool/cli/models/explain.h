// explain.h: lines and notes about a model, as explain and lint print them.
#pragma once

#include "cli/models/models.h"

namespace posenc::cli {

// "  name   text", long text below itself.
std::string fact_line(std::string_view name, const std::string& text);

// All that posenc explain says about the model.
std::string explanation(const model::Model& model);

std::string note_text(const model::Note& note);

}  // namespace posenc::cli
