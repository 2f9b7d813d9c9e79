// families.h: the rules that say what a model's configuration means for positions, by family.
//
// A family is a row of a table: the names by which configurations call it, and the rule that says
// what the code of these models does with their keys. Most are rows of model_row.h. Adding a model
// that works like another is a name in its row.
#pragma once

#include <span>

#include "model/config.h"

namespace posenc::model {

// A part of a model that is being read: a configuration, or one inside another.
struct Reading {
  const Config& config;
  std::string type;   // the model_type, or what architectures and keys say instead of it
  std::string where;  // "text", "vision", "audio", "encoder", ...: what its components are called
  std::vector<Component>& components;

  // Adds it, with the keys that were read since the last.
  void add(Component component) const;
  void trap(std::string text) const;  // of this part
};

struct Family {
  std::string_view types;  // model_type, several with blanks between
  void (*read)(const Reading& reading);
  // Keys that the code reads and that say nothing beside others: sizes that follow from them, how
  // long a table is at first, which frames a layer sees.
  std::string_view idle{};
};

std::span<const Family> text_families();    // decoders and encoders of text that turn or bias
std::span<const Family> table_families();   // learned and fixed tables, encoder-decoders
std::span<const Family> vision_families();  // pictures, documents, graphs
std::span<const Family> audio_families();
std::span<const Family> joint_families();  // several models in one: their parts are read in turn

// Words with blanks between, one by one, and whether one of them is that.
std::vector<std::string_view> words_of(std::string_view text);
bool is_among(std::string_view names, std::string_view name);
// Whether a rule covers models of that type.
bool is_known(std::string_view type);

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
