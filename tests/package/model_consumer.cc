// model_consumer.cc: a program of someone who links posenc::model; it reads a configuration and
// checks a scheme.
#include <posenc/model/check.h>
#include <posenc/model/diff.h>

#include <cstdio>

int main() {
  using namespace posenc::model;
  const Model first = read_config(R"({"model_type": "llama"})");
  const Model second = read_config(R"({"model_type": "llama", "rope_theta": 500000})");
  std::printf("%s\n%s\n", explain_json(first).c_str(),
              diff_json(diff(first, second), first, second).c_str());
  for (const Property& p : check(*first.components[0].ready))
    std::printf("%s: %s\n", p.claim.c_str(), p.evidence.c_str());
  return diff(first, second).same() || first.components.size() != 1 ||
         lengths(first.components[0]).usable != 2048;
}
