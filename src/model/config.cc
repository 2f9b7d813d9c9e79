// config.cc: the keys of a model's configuration, and the memory of which of them were read.
#include "model/config.h"

#include <algorithm>
#include <cmath>

namespace posenc::model {
namespace {

constexpr double exact_whole = 9007199254740992.0;  // 2^53

std::optional<double> real_of(const Json& json) {
  if (const auto* whole = std::get_if<int64_t>(&json.value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&json.value)) return *real;
  return {};
}

std::optional<int64_t> whole_of(const Json& json) {
  if (const auto* whole = std::get_if<int64_t>(&json.value)) return *whole;
  const auto* real = std::get_if<double>(&json.value);
  if (real && std::nearbyint(*real) == *real && std::abs(*real) <= exact_whole)
    return static_cast<int64_t>(*real);
  return {};
}

// Marks the keys that have the value of the class, and objects of nothing else. Lists are compared
// by none: what is told of them is short.
bool mark_written(const Json& mine, const Json& of_class, const std::string& path,
                  std::set<std::string>& written) {
  bool all = true;
  if (!mine.object()) return false;
  for (const auto& [key, value] : *mine.object()) {
    const Json* other = of_class.find(key);
    const std::string full = path + key;
    const bool plain = !value.object() && !value.list();
    const bool same = other && (plain ? !other->object() && same_value(value, *other)
                                      : mark_written(value, *other, full + ".", written));
    if (same) written.insert(full);
    all = all && (same || value.is_null());
  }
  return all;
}

}  // namespace

bool same_value(const Json& a, const Json& b) {
  const auto x = real_of(a), y = real_of(b);
  return x && y ? *x == *y : files::brief(a) == files::brief(b);
}

void Journal::note(NoteKind kind, std::string where, std::string text) {
  std::string whole = std::to_string(static_cast<int>(kind)) + where + '\0' + text;
  if (noted.insert(std::move(whole)).second)
    notes.push_back({kind, std::move(where), std::move(text)});
}

Config Config::of_class(const Json& keys, const Json& written) const {
  mark_written(*object_, written, path_, journal_->written);
  Config out = *this;
  return out.class_ = &keys, out;
}

bool Config::has(Names names) const {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return object_->find(name) != nullptr; });
}

std::vector<std::string> Config::keys() const {
  std::vector<std::string> out;
  if (const auto* members = object_->object())
    for (const auto& member : *members) out.push_back(member.first);
  return out;
}

std::string_view Config::first_of(Names names) const {
  return *std::find_if(names.begin(), names.end(),
                       [&](std::string_view name) { return has(name); });
}

const Json* Config::find(Names names) const {
  const Json* found = nullptr;
  std::string first;
  for (const std::string_view name : names) {
    const Json* json = object_->find(name);
    if (!json) continue;
    const std::string key = path_ + std::string(name), value = files::brief(*json);
    journal_->read.insert(key);
    if (!found) {
      found = json, first = key;
      const std::string told = key + " = " + value;
      auto& told_keys = journal_->keys;
      if (std::find(told_keys.begin(), told_keys.end(), told) == told_keys.end())
        told_keys.push_back(told);
    } else if (!same_value(*found, *json)) {
      journal_->note(
          NoteKind::conflict, "",
          key + " = " + value + " is not read: " + first + " = " + files::brief(*found) + " is");
    }
  }
  return found;
}

void Config::refuse(std::string_view key, std::string_view wanted, const Json& got) const {
  posenc::fail(ErrorKind::data, "read", "expected ", wanted, " as ", path_, key, ", got ",
               files::brief(got));
}

std::optional<double> Config::number(Names names) const {
  const Json* json = find(names);
  if (!json) return {};
  const auto out = real_of(*json);
  if (!out) refuse(first_of(names), "a number", *json);
  return out;
}

std::optional<int64_t> Config::whole(Names names) const {
  const Json* json = find(names);
  if (!json) return {};
  const auto out = whole_of(*json);
  if (!out) refuse(first_of(names), "a whole number", *json);
  return out;
}

std::optional<bool> Config::flag(Names names) const {
  const Json* json = find(names);
  if (!json) return {};
  if (const auto* flag = std::get_if<bool>(&json->value)) return *flag;
  const auto as_number = whole_of(*json);  // Python's 0 and 1
  if (!as_number || *as_number < 0 || *as_number > 1)
    refuse(first_of(names), "true or false", *json);
  return *as_number == 1;
}

std::optional<std::string> Config::text(Names names) const {
  const Json* json = find(names);
  if (!json) return {};
  const auto* out = std::get_if<std::string>(&json->value);
  if (!out) refuse(first_of(names), "text", *json);
  return *out;
}

std::optional<std::vector<double>> Config::numbers(Names names) const {
  const Json* json = find(names);
  if (!json) return {};
  std::vector<double> out;
  if (!json->list()) refuse(first_of(names), "a list of numbers", *json);
  for (const Json& item : *json->list()) {
    const auto value = real_of(item);
    if (!value) refuse(first_of(names), "a list of numbers", *json);
    out.push_back(*value);
  }
  return out;
}

std::optional<std::vector<std::string>> Config::texts(Names names) const {
  const Json* json = find(names);
  if (!json) return {};
  std::vector<std::string> out;
  if (!json->list()) refuse(first_of(names), "a list of texts", *json);
  for (const Json& item : *json->list()) {
    const auto* value = std::get_if<std::string>(&item.value);
    if (!value) refuse(first_of(names), "a list of texts", *json);
    out.push_back(*value);
  }
  return out;
}

std::optional<Config> Config::inside(Names names) const {
  for (const std::string_view name : names) {
    const Json* json = object_->find(name);
    if (!json) continue;
    if (!json->object()) refuse(name, "an object", *json);
    journal_->read.insert(path_ + std::string(name));
    return Config(*json, *journal_, path_ + std::string(name) + ".");
  }
  return {};
}

void Config::assume(std::string_view name, const std::string& value, std::string_view why) const {
  note(NoteKind::assumed, std::string(name) + " is absent: " + value + ", " + std::string(why));
}

double Config::number(Names names, double otherwise, std::string_view why) const {
  const auto out = number(names);
  if (!out) assume(*names.begin(), text::write(otherwise), why);
  return out.value_or(otherwise);
}

int64_t Config::whole(Names names, int64_t otherwise, std::string_view why) const {
  const auto out = whole(names);
  if (!out) assume(*names.begin(), text::write(otherwise), why);
  return out.value_or(otherwise);
}

bool Config::flag(Names names, bool otherwise, std::string_view why) const {
  const auto out = flag(names);
  if (!out) assume(*names.begin(), otherwise ? "true" : "false", why);
  return out.value_or(otherwise);
}

std::optional<double> Config::compared(std::string_view name) const {
  std::vector<std::string> told = journal_->keys;
  const auto out = number({name});
  journal_->keys = std::move(told);
  return out;
}

int64_t Config::needed(Names names, std::string_view what) const {
  const auto out = whole(names);
  if (!out) fail(*names.begin(), ", ", what, ", got none");
  if (*out < 1 || *out > (int64_t{1} << 40))
    fail(first_of(names), ", ", what, ", of 1 to 2^40, got ", *out);
  return *out;
}

void Config::pass(Names names) const {
  for (const std::string_view name : names)
    if (object_->find(name)) journal_->read.insert(path_ + std::string(name));
}

NoteKind Config::ignored_kind(const std::string& key) const {
  return journal_->written.contains(key) ? NoteKind::unused : NoteKind::ignored;
}

void Config::dismiss(std::string_view name, NoteKind kind, std::string_view why) const {
  const Json* json = object_->find(name);
  if (!json) return;
  const std::string key = path_ + std::string(name), value = files::brief(*json);
  journal_->read.insert(key);
  std::erase(journal_->keys, key + " = " + value);  // looked at, but it decides nothing
  journal_->note(kind, "", key + " = " + value + " is not read: " + std::string(why));
}

void Config::ignore(Names names, std::string_view why) const {
  for (const std::string_view name : names)
    dismiss(name, ignored_kind(path_ + std::string(name)), why);
}

void Config::ignore_unless(Names names, const Json& written, std::string_view why) const {
  for (const std::string_view name : names) {
    const Json* json = object_->find(name);
    if (json && same_value(*json, written)) journal_->written.insert(path_ + std::string(name));
  }
  ignore(names, why);
}

void Config::unused(Names names, std::string_view why) const {
  for (const std::string_view name : names) dismiss(name, NoteKind::unused, why);
}

void Config::report_unread() const {
  const auto* members = object_->object();
  if (!members) return;
  for (const auto& [key, json] : *members) {
    const std::string full = path_ + key;
    if (key == "label2id" || key == "id2label") continue;  // words, whatever they are about
    if (json.object()) {
      if (json.object()->empty()) continue;
      if (journal_->read.contains(full) || !is_about_positions(key)) {
        Config(json, *journal_, full + ".").report_unread();
        continue;
      }
    }
    if (json.is_null() || journal_->read.contains(full) || !is_about_positions(key)) continue;
    journal_->note(ignored_kind(full), "",
                   full + " = " + files::brief(json) + " is not read by any rule for this model");
  }
}

bool is_about_positions(std::string_view key) {
  static constexpr std::string_view signs[] = {
      "rope",       "rotary",         "position",  "pos_emb",     "pos_att",
      "posit",      "alibi",          "relative",  "rel_pos",     "rel_attn",
      "bucket",     "yarn",           "theta",     "sinusoid",    "mscale",
      "ntk",        "logn_attn",      "nope",      "n_ctx",       "max_seq_len",
      "seq_length", "sliding_window", "clamp_len", "layer_types", "pos_embed"};
  static constexpr std::string_view others[] = {"post_",
                                                "compositional",
                                                "disposition",
                                                "mlp_layer_types",
                                                "dropout",
                                                "positive",
                                                "short_seq_length",
                                                "image_seq_length",
                                                "video_seq_length",
                                                "encoder_n_ctx",
                                                "num_relative_features",
                                                "out_point_positions"};
  const auto inside = [&](std::string_view sign) { return key.find(sign) != key.npos; };
  return std::any_of(std::begin(signs), std::end(signs), inside) &&
         std::none_of(std::begin(others), std::end(others), inside);
}

}  // namespace posenc::model
