// rows_test.cc: the rows of model types.
#include <gtest/gtest.h>

#include <set>

#include "model/families/families.h"

namespace posenc::model {
namespace {

TEST(Rows, ATypeIsNamedOnce) {
  std::set<std::string_view> seen;
  for (const std::string_view type : known_types())
    EXPECT_TRUE(seen.insert(type).second) << type << " is named by two rows";
  EXPECT_GT(seen.size(), 900u);
}

// What the class fills in fits what is read: a bare type is told, or refused in a sentence.
TEST(Rows, ATypeAloneIsReadOrRefused) {
  for (const std::string_view type : known_types()) {
    const std::string config = "{\"model_type\": \"" + std::string(type) + "\"}";
    try {
      EXPECT_FALSE(read_config(config).components.empty()) << type;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("expected"), std::string::npos)
          << type << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace posenc::model
