// options.cc: the one walk over the fields of schemes: options set, listed and checked.
#include <algorithm>
#include <cmath>

#include "posenc/field.h"

namespace posenc {
namespace {

using Form = Type::Form;

struct OptionPlace {
  const Type* type;
  void* at;
};

std::vector<std::string> strings(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

void* inside(const Type& type, void* at) { return const_cast<void*>(type.inside(at)); }

OptionPlace find(OptionPlace p, std::string_view option, std::string_view path);

OptionPlace find_field(OptionPlace p, std::string_view option, std::string_view path) {
  const auto dot = path.find('.');
  const auto head = path.substr(0, dot);
  std::vector<std::string> names;
  for (const Field& f : p.type->fields()) {
    names.emplace_back(f.name);
    if (f.name == head)
      return find({f.type, static_cast<char*>(p.at) + f.offset}, option,
                  dot == path.npos ? std::string_view{} : path.substr(dot + 1));
  }
  fail(ErrorKind::option, "options", "unknown option '", detail::UnknownOption{option}, "'",
       names.empty() ? "; what it belongs to has no options" : suggestion(head, names));
}

// What the path names below p.
OptionPlace find(OptionPlace p, std::string_view option, std::string_view path) {
  if (p.type->form == Form::aggregate) return find_field(p, option, path);
  if (path.empty()) return p;
  if (p.type->form == Form::variant)
    return find({p.type->inner[p.type->picked(p.at)], inside(*p.type, p.at)}, option, path);
  fail(ErrorKind::option, "options", "'", option, "' has no option '", path, "' inside it");
}

std::string said(const Value& value) {
  if (std::holds_alternative<std::monostate>(value)) return "nothing";
  if (std::holds_alternative<std::vector<double>>(value)) return "a list";
  const std::string out = text::write(value);
  if (std::holds_alternative<std::string>(value)) return "'" + out + "'";
  const auto* real = std::get_if<double>(&value);  // 64.0, but not an integer past 64 bits
  return real && out.find_first_of(".e") == out.npos && std::abs(*real) < 0x1p53 ? out + ".0" : out;
}

size_t index_of(const Type& type, std::string_view option, const Value& value) {
  const auto* given = std::get_if<std::string>(&value);
  if (!given)
    fail(ErrorKind::option, "options", "expected ", option, " to name a choice, got ", said(value));
  const std::string& name = *given;
  const auto found = std::find(type.names.begin(), type.names.end(), name);
  if (found != type.names.end()) return static_cast<size_t>(found - type.names.begin());
  fail(ErrorKind::option, "options", "expected ", option, " to name a choice, got '", name, "'",
       suggestion(name, strings(type.names)));
}

// Calls f with a value of the type that a plain form holds.
template <class F>
Value as_plain(Form form, F&& f) {
  switch (form) {
    case Form::integer:
      return f(int64_t{});
    case Form::number:
      return f(double{});
    case Form::boolean:
      return f(bool{});
    case Form::list:
      return f(std::vector<double>{});
    default:
      return f(std::string{});
  }
}

template <class T>
T as(const Value& value, std::string_view option) {
  if (const T* found = std::get_if<T>(&value)) return *found;
  if constexpr (std::is_same_v<T, double>)
    if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  constexpr const char* whats[] = {"",         "true or false", "an integer of 64 bits",
                                   "a number", "text",          "a list of numbers"};
  fail(ErrorKind::option, "options", "expected ", option, " to be ", whats[Value(T{}).index()],
       ", got ", said(value));
}

void put(OptionPlace p, std::string_view option, const Value& value) {
  const Type& t = *p.type;
  if (t.form == Form::choice || t.form == Form::variant)
    return t.pick(p.at, index_of(t, option, value));
  if (t.form == Form::optional) {
    t.pick(p.at, value.index() != 0);
    if (value.index() != 0) put({t.inner[0], inside(t, p.at)}, option, value);
    return;
  }
  as_plain(t.form, [&]<class T>(T) { return *static_cast<T*>(p.at) = as<T>(value, option); });
}

Value read(const Type& type, std::string_view option, std::string_view text) {
  if (type.form == Form::optional) return read(*type.inner[0], option, text);
  return as_plain(type.form, [&](auto out) {
    text::read(option, text, out);
    return out;
  });
}

Value value_of(const Type& type, const void* at) {
  if (!type.picked)
    return as_plain(type.form, [&]<class T>(T) { return *static_cast<const T*>(at); });
  const size_t i = type.picked(at);
  return i < type.names.size() ? std::string(type.names[i]) : "unknown";
}

void list_fields(const Type& type, const void* object, const std::string& prefix,
                 const Condition& only_with, std::vector<Option>& out);

// `o` knows its name, help and condition; `at` may be null, for the option of nothing.
void list_option(const Type& type, const void* at, Option o, std::vector<Option>& out) {
  if (type.form == Form::aggregate) return list_fields(type, at, o.name + ".", o.only_with, out);
  if (type.form == Form::optional) return list_option(*type.inner[0], type.inside(at), o, out);
  o.kind = type.form == Form::variant ? OptionKind::choice : static_cast<OptionKind>(type.form);
  o.choices = strings(type.names);
  if (at) o.value = value_of(type, at);
  out.push_back(o);
  if (type.form != Form::variant) return;
  for (size_t i = 0; i < type.inner.size(); ++i)
    list_fields(*type.inner[i], i == type.picked(at) ? type.inside(at) : type.inner[i]->usual(),
                o.name + ".", {o.name, o.choices[i]}, out);
}

void list_fields(const Type& type, const void* object, const std::string& prefix,
                 const Condition& only_with, std::vector<Option>& out) {
  for (const Field& f : type.fields()) {
    Option o{.name = prefix + std::string(f.name), .families = strings(f.families)};
    o.help = (o.families.empty() ? "" : join(o.families, " or ") + ": ") + std::string(f.help);
    o.only_with = only_with, o.learned = f.learned;
    list_option(*f.type, static_cast<const char*>(object) + f.offset, std::move(o), out);
  }
}

}  // namespace

void set_text(const Type& type, void* object, std::string_view option, std::string_view path,
              std::string_view text) {
  const OptionPlace p = find({&type, object}, option, path);
  put(p, option, read(*p.type, option, text));
}

void set_value(const Type& type, void* object, std::string_view option, const Value& value) {
  put(find({&type, object}, option, option), option, value);
}

std::vector<Option> options_of(const Type& type, const void* object) {
  std::vector<Option> out;
  list_fields(type, object, "", {}, out);
  return out;
}

bool is_taken(const Option& option, const std::vector<Option>& list) {
  const Condition& c = option.only_with;
  return c.option.empty() || std::any_of(list.begin(), list.end(), [&](const Option& o) {
           return o.name == c.option && text::write(o.value) == c.choice && is_taken(o, list);
         });
}

void check_choices(std::string_view where, const Type& type, const void* object,
                   std::string_view option) {
  if (type.form == Form::aggregate)
    for (const Field& f : type.fields())
      check_choices(where, *f.type, static_cast<const char*>(object) + f.offset, f.name);
  if (type.form == Form::variant || type.form == Form::optional)
    if (const void* held = type.inside(object))
      check_choices(where, *type.inner[type.inner.size() > 1 ? type.picked(object) : 0], held,
                    option);
  if (type.form == Form::choice && type.picked(object) >= type.names.size())
    fail(where, "expected ", option, " to be ", join(strings(type.names), ", "), ", got number ",
         type.picked(object));
}

}  // namespace posenc
