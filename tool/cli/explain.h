// explain.h: lines and notes about a model, as explain and lint print them.
#pragma once

#include "models.h"

namespace posenc::cli {

// "  name   text", long text below itself.
std::string line(std::string_view name, const std::string& text);

std::string note_text(const model::Note& note);
Json note_json(const model::Note& note);

}  // namespace posenc::cli
