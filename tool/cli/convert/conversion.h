// conversion.h: what is to be converted from one pair layout to the other, and how.
#pragma once

#include <map>

#include "cli/convert/layout_proof.h"
#include "cli/convert/projections.h"
#include "cli/convert/rewrite.h"
#include "cli/convert/shards.h"

namespace posenc::cli {

// What a user says about a model.
struct Conversion {
  Layout from, to;
  int64_t heads, kv_heads;
  HeadSpan head;  // one head
  std::string queries, keys, under;
};

// A tensor that makes or scales queries or keys.
struct Part {
  const Shard* shard;  // none: an array alone
  const files::Stored* tensor;
  bool is_query;
  Role role;
  HeadSpan span;
};
using Layers = std::map<std::string, std::vector<Part>>;

// The parts of every layer that has some. Throws Error where names, types, shapes or notes do not
// let every layer be converted whole.
Layers find_parts(const Conversion& conversion, const Shards& shards);

// How a tensor of that shape is converted; throws Error where it cannot be.
Part make_part(const Conversion& conversion, const std::string& file, const files::Stored& tensor,
               bool is_query, const std::string& module);

// The tensor as it is, and as it shall be.
Array read_part(const Part& part);
void convert(const Conversion& conversion, const Part& part, Array& array);

// Adds what the weight does, before and after its conversion.
void add_effect(const Conversion& conversion, const Part& part, Array array, Made& made);

// Sends an input through the weights of every layer, old and new; memory holds one at a time.
Proof prove(const Conversion& conversion, const Layers& layers, const Watch& watch);

}  // namespace posenc::cli
