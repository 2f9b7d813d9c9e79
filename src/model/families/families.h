// families.h: what a model's configuration means for positions, by the rule of its type.
//
// A rule is a row of model_row.h: the types that it covers, and what their code does with the keys.
// Adding a model that works like another is a name in its row.
#pragma once

#include "model/config.h"

namespace posenc::model {

// A part of a model that is being read: a configuration, or one inside another.
struct Reading {
  const Config& config;
  std::string type;   // the model_type, or what architectures and keys say instead of it
  std::string where;  // "text", "vision", "audio", "encoder", ...: what its components are called
  std::vector<Component>& components;

  // Adds it, with the keys that were read since the last; `place` is what it is called instead.
  void add(Component component) const;
  void add(std::string_view place, Component component) const;
  void trap(std::string text) const;  // of this part
  // An Error: "expected `keys` in a model of type ..., got none".
  [[noreturn]] void lacks(std::string_view keys) const;
};

// Tells the keys that were read since the last component as keys of that one too.
void add_keys(const Reading& reading);

// Words with blanks between, one by one, and whether one of them is that.
std::vector<std::string_view> words_of(std::string_view text);
bool is_among(std::string_view names, std::string_view name);
// Whether a rule covers models of that type, and the types of all rules.
bool is_known(std::string_view type);
std::vector<std::string_view> known_types();

// Reads the part as the family of its type does. Throws Error where no rule covers it, unless the
// journal says whose rule to take.
void read_part(const Reading& reading);
// The same of a whole model: the journal's as_type is the rule of its text, whatever it says.
void read_whole(const Reading& reading);
// A model of several whose name no rule knows: its parts are read by theirs.
void read_unnamed_joint(const Reading& reading);
// A configuration inside another, under one of these keys; false where there is none. The type is
// what it says, or `otherwise`.
bool read_inside(const Reading& outer, Config::Names keys, std::string_view where,
                 std::string_view otherwise = "");

// The type of a configuration: its model_type, or what architectures and keys tell where that is
// missing or too coarse. Empty where nothing does.
std::string type_of_config(const Config& config);

}  // namespace posenc::model
