// config.h: the keys of a model's configuration, and the memory of which of them were read.
//
//   Config text(json, journal);
//   const double base = text.number({"rope_theta", "rotary_emb_base"}, 10000, "Llama's default");
//
// null counts as absent. Keys of several names are synonyms: the first that is there is taken, and
// the others, where they are there and say something else, are a conflict. A value that is absent
// and not supplied here is the caller's to refuse.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>

#include "base/json.h"
#include "posenc/model.h"

namespace posenc::model {

using files::Json;

// What was read of a file, and what was made of it.
struct Journal {
  std::set<std::string> read{};     // keys, in full
  std::set<std::string> written{};  // those with the value that the model's class writes
  std::vector<std::string> keys{};  // "rope_theta = 500000", since the last component
  std::vector<Note> notes{};
  std::set<std::string> noted{};  // the same, to be found again soon
  std::string as_type{};          // the model_type whose rule is to read what no rule covers

  // Adds a note unless it is there.
  void note(NoteKind kind, std::string where, std::string text);
};

class Config {
 public:
  using Names = std::initializer_list<std::string_view>;

  // An object; `path` comes before its keys in what is told: "text_config.".
  Config(const Json& object, Journal& journal, std::string path = "")
      : object_(&object), journal_(&journal), path_(std::move(path)) {}

  // The same, with the keys that the model's class fills in, and what it writes into every file.
  Config of_class(const Json& keys, const Json& written) const;
  Config of_class(const Json& keys) const { return of_class(keys, keys); }
  // What the class has under that name; null where it has nothing.
  const Json* class_value(std::string_view name) const {
    return class_ ? class_->find(name) : nullptr;
  }

  // Whether one of them is there; this alone is not reading.
  bool has(Names names) const;
  bool has(std::string_view name) const { return has({name}); }

  // The value of the first that is there. Throws Error where it is of another kind.
  std::optional<double> number(Names names) const;
  std::optional<int64_t> whole(Names names) const;
  std::optional<bool> flag(Names names) const;
  std::optional<std::string> text(Names names) const;
  std::optional<std::vector<double>> numbers(Names names) const;
  std::optional<std::vector<std::string>> texts(Names names) const;
  std::optional<Config> inside(Names names) const;

  // The same with a value for what is absent, which is told as assumed: "`why`".
  double number(Names names, double otherwise, std::string_view why) const;
  int64_t whole(Names names, int64_t otherwise, std::string_view why) const;
  bool flag(Names names, bool otherwise, std::string_view why) const;
  // The number of a key that is only compared with others: it counts as read, but is not listed
  // among the keys that determined a component.
  std::optional<double> compared(std::string_view name) const;
  // An Error where it is absent: "expected hidden_size, `what`", or not of 1 to 2^40.
  int64_t needed(Names names, std::string_view what) const;

  const Json& json() const { return *object_; }
  Journal& journal() const { return *journal_; }
  const std::string& path() const { return path_; }
  std::vector<std::string> keys() const;

  // Marks keys as known and without a meaning for positions here.
  void pass(Names names) const;
  // "`key` = `value` is not read: `why`", for each that is there. It is unused rather than ignored
  // where the value is what the model's class writes into every file.
  void ignore(Names names, std::string_view why) const;
  // The same where `written` is what an older class, or a converter of the model, writes.
  void ignore_unless(Names names, const Json& written, std::string_view why) const;
  // The same where no value misleads.
  void unused(Names names, std::string_view why) const;

  // Notes every key about positions, here and in objects inside, that nothing has read.
  void report_unread() const;

  // "`text`, whose keys have this path", of a component or of none.
  void note(NoteKind kind, const std::string& text, const std::string& where = "") const {
    journal_->note(kind, where, path_ + text);
  }
  // Where a file says two things.
  void conflict(const std::string& text) const { note(NoteKind::conflict, text); }
  // "`name` is absent: `value`, `why`".
  void assume(std::string_view name, const std::string& value, std::string_view why) const;
  // An Error: "expected `parts`", the first of which is a key here.
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    posenc::fail(ErrorKind::data, "read", "expected ", path_, parts...);
  }
  // An Error: "expected `wanted` as `key`, got ..."; the second where the value is the key's.
  [[noreturn]] void refuse(std::string_view key, std::string_view wanted, const Json& got) const;
  [[noreturn]] void refuse(std::string_view key, std::string_view wanted) const {
    refuse(key, wanted, *object_->find(key));
  }

 private:
  const Json* find(Names names) const;
  std::string_view first_of(Names names) const;  // the first key present; at least one must be
  NoteKind ignored_kind(const std::string& key) const;
  void dismiss(std::string_view name, NoteKind kind, std::string_view why) const;

  const Json* object_;
  const Json* class_ = nullptr;
  Journal* journal_;
  std::string path_;
};

// Whether both are the same number, or the same otherwise.
bool same_value(const Json& a, const Json& b);

// Whether a key's name says that it is about positions.
bool is_about_positions(std::string_view key);

}  // namespace posenc::model
