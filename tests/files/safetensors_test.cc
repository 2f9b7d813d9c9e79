// safetensors_test.cc: .safetensors files, good and bad.
#include <rapidcheck.h>

#include "helpers.h"

namespace posenc::safetensors_test {
namespace {

using namespace std::string_literals;

// The length of the header, the header, the data.
std::string safetensors(const std::string& header, const std::string& data = "") {
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> (8 * i));
  return length + header + data;
}

// A header with one tensor called x.
std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"x":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

NamedArrays parse(const std::string& file) { return parse_safetensors(bytes(file)); }

void expect_same(const NamedArrays& a, const NamedArrays& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    expect_same(a[i].second, b[i].second);
  }
}

// struct.pack('<Q', len(h)) + h + struct.pack('<q', 7) + struct.pack('<2f', 1, 2), h as below: the
// widest dtype first, then names in order, filled with spaces to a multiple of 8.
const std::string golden =
    "\x90\0\0\0\0\0\0\0"s
    R"({"__metadata__":{"format":"pt"},)"
    R"("b":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
    R"("a":{"dtype":"F32","shape":[2,1],"data_offsets":[8,16]}})"
    "    "
    "\7\0\0\0\0\0\0\0\0\0\x80?\0\0\0@"s;

TEST(Safetensors, ReadsAndWritesTheLayoutOfTheReference) {
  NamedArrays arrays = parse(golden);
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays[0].first, "a");
  EXPECT_EQ(arrays[0].second.shape, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(arrays[0].second.values<float>()[1], 2.0f);
  EXPECT_EQ(arrays[1].second.values<int64_t>()[0], 7);
  EXPECT_EQ(format_safetensors(arrays, {{"format", "pt"}}), golden);
  EXPECT_EQ(format_safetensors({}), "\x08\0\0\0\0\0\0\0{}      "s);
}

TEST(Safetensors, RoundTripsEveryDtypeAndShape) {
  NamedArrays all;
  for (const DType dtype : all_dtypes) {
    for (const auto& shape : some_shapes) {
      const std::string name = std::string(to_string(dtype)) + "/" + std::to_string(all.size());
      all.emplace_back(name, numbered(dtype, shape));
    }
  }
  const std::string file = format_safetensors(all);
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.first < b.first; });
  expect_same(parse(file), all);
  EXPECT_EQ(format_safetensors(parse(file)), file);
}

// The order of the reference writer, safetensors 0.5: I64, F64, F32, I32, BF16, F16, then names.
TEST(Safetensors, WritesTypesInTheOrderOfTheReference) {
  NamedArrays all;
  for (const DType dtype : all_dtypes)
    for (const char* name : {"b", "a"})
      all.emplace_back(std::string(to_string(dtype)) + name, numbered(dtype, {3}));
  const std::string file = format_safetensors(all);
  std::string order;
  for (const char* name : {"i64a", "i64b", "f64a", "f64b", "f32a", "f32b", "i32a", "i32b", "bf16a",
                           "bf16b", "f16a", "f16b"}) {
    const size_t at = file.find('"' + std::string(name) + '"');
    ASSERT_NE(at, file.npos) << name;
    EXPECT_GT(at, order.size()) << name;
    order.resize(at);
  }
}

TEST(Safetensors, RoundTripsAnyNames) {
  EXPECT_TRUE(rc::check([](const std::map<std::string, uint8_t>& sizes) {
    std::map<std::string, Array> sorted;
    for (const auto& [noise, size] : sizes) {
      std::string name = noise;
      for (char& c : name) c &= 127;  // bytes above are no UTF-8
      sorted[name] = numbered(static_cast<DType>(size % 6), {size / 6});
    }
    const NamedArrays arrays(sorted.begin(), sorted.end());
    const NamedArrays back = parse(format_safetensors(arrays));
    RC_ASSERT(back.size() == arrays.size());
    for (size_t i = 0; i < back.size(); ++i) {
      RC_ASSERT(back[i].first == arrays[i].first);
      RC_ASSERT(back[i].second.bytes == arrays[i].second.bytes);
    }
  }));
}

TEST(Safetensors, TakesEverySpellingOfAHeader) {
  const std::string four(4, '\1');
  const std::string headers[] = {
      one(R"("F32")", "[]", "[0,4]"),
      "\t\r\n " + one(R"("F32")", "[1]", "[0,4]") + " \n",
      R"({"x":{"data_offsets":[0,4],"shape":[1,1],"dtype":"F32"}})",
      R"({"\u0078":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"__metadata__":{}})",
      R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
      R"("y":{"dtype":"F4","shape":[0],"data_offsets":[4,4]}})",
  };
  for (const auto& header : headers) {
    const NamedArrays arrays = parse(safetensors(header, four));
    ASSERT_EQ(arrays.size(), 1u) << header;
    EXPECT_EQ(arrays[0].first, "x");
    EXPECT_EQ(arrays[0].second.bytes.size(), 4u);
  }
}

TEST(Safetensors, RefusesEveryTruncation) {
  for (size_t n = 0; n < golden.size(); ++n) {
    expect_message([&] { parse(golden.substr(0, n)); }, "[parse_safetensors] expected ");
  }
  expect_message([&] { parse(golden + '\0'); }, "expected 16 bytes of data, got 17");
}

TEST(Safetensors, RefusesHostileHeaders) {
  const std::string f32 = R"("F32")", four(4, '\0'), eight(8, '\0');
  const std::string pair = R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)";
  const std::string y = R"("y":{"dtype":"F32","shape":[1],"data_offsets":)";
  const std::string big = "1099511627776";
  const std::tuple<std::string, std::string, std::string_view> cases[] = {
      {"", "", "expected a value, got the end"},
      {"[]", "", "expected an object that lists tensors at byte 0, got \"[]\""},
      {"\xef\xbb\xbf{}", "", "expected a value at byte 0"},
      {"{", "", "expected a name in quotes, got the end of the text"},
      {"{}x", "", "expected the end of the text at byte 2, got \"x\""},
      {"{}\0{}"s, "", "expected the end of the text at byte 2"},
      {"{\"\xff\":1}", "", "expected text in UTF-8, got \"\\xff\" at byte 2"},
      {R"({"x":)" + std::string(100000, '['), "", "an object with dtype, shape and data_offsets"},
      {one(f32, std::string(100000, '['), "[0,4]"), four, "as shape for tensor \"x\" at byte"},
      {R"({"x":{"dtype":{)", "", "a string as dtype for tensor \"x\" at byte 14, got \"{\""},
      {R"({"x":1})", "", "for tensor \"x\" at byte 5, got \"1}\""},
      {R"({"x":{}})", "", "for tensor \"x\", got fewer"},
      {R"({"x":{"dtype":"F32","shape":[]}})", "", "got fewer"},
      {R"({"x":{"dtype":"F32","strides":[]}})", "", "got one more, \"strides\""},
      {R"({"x":{"dtype":"F32","dtype":"F64"}})", "", "got \"dtype\" twice"},
      {pair + pair.substr(1, pair.size() - 2) + "}", four, "got \"x\" twice"},
      {R"({"__metadata__":{"a":"","a":""}})", "", "got \"a\" twice"},
      {R"({"__metadata__":{},"__metadata__":{}})", "", "got \"__metadata__\" twice"},
      {R"({"__metadata__":[]})", "", "expected an object for __metadata__ at byte 16, got \"[]}\""},
      {R"({"__metadata__":{"a":1}})", "", "a string for metadata \"a\" at byte 21, got \"1"},
      {R"({"__metadata__":{"a":{}}})", "", "a string for metadata \"a\" at byte 21, got \"{"},
      {one("null", "[]", "[0,4]"), four,
       "a string as dtype for tensor \"x\" at byte 14, got \"null"},
      {one(R"("float32")", "[]", "[0,4]"), four, "a dtype such as F32, got \"float32\""},
      {one(f32, "4", "[0,4]"), four, "as shape for tensor \"x\" at byte 28, got \"4"},
      {one(f32, "\"4\"", "[0,4]"), four, "as shape for tensor \"x\" at byte 28, got \"\"4\""},
      {one(f32, "[-1]", "[0,4]"), four, "as shape for tensor \"x\" at byte 29, got \"-1"},
      {one(f32, "[1.0]", "[0,4]"), four, "as shape for tensor \"x\" at byte 29, got \"1.0"},
      {one(f32, "[true]", "[0,4]"), four, "as shape for tensor \"x\" at byte 29, got \"true"},
      {one(f32, "[1e999]", "[0,4]"), four, "expected a number that a double holds at byte 29"},
      {one(f32, "[18446744073709551615]", "[0,4]"), four, "got \"184467440737"},
      {one(f32, "[99999999999999999999]", "[0,4]"), four, "got \"999999999999"},
      {one(f32, "[1,1,1,1,1,1,1,1,1]", "[0,4]"), four, "got more than 8 numbers"},
      {one(f32, "[" + big + "," + big + "]", "[0,4]"), four, "size fits 63 bits"},
      {one(f32, "[0," + big + "," + big + "]", "[0,0]"), "", "size fits 63 bits"},
      {one(f32, "[" + big + "]", "[0,4]"), four, "expected 4398046511104 bytes for F32"},
      {one(f32, "[" + big + "]", "[0,4398046511104]"), four, "of data, got 4"},
      {one(f32, "[1]", "[0,8]"), eight, "expected 4 bytes for F32 [1], got data_offsets 0 to 8"},
      {one(f32, "[1]", "[4,0]"), four, "got data_offsets 4 to 0"},
      {one(f32, "[1]", "[4,8]"), eight, "expected data from byte 0 on"},
      {one(f32, "[1]", "[0]"), four, "two whole numbers as data_offsets"},
      {one(f32, "[1]", "[0,2,4]"), four, "got a list of 3"},
      {one(f32, "[1]", "[-4,0]"), four, "got \"-4,0]"},
      {one(R"("F4")", "[3]", "[0,2]"), "aa", "expected whole bytes, got 12 bits"},
      {pair + y + "[8,12]}}", eight + four, "expected data from byte 4 on"},
      {pair + y + "[2,6]}}", "aaaaaa", "expected data from byte 4 on"},
      {pair + y + "[0,4]}}", four, "expected data from byte 4 on"},
  };
  for (const auto& [header, data, part] : cases) {
    expect_message([file = safetensors(header, data)] { parse(file); }, part);
  }
  expect_message([] { parse("\xff\xff\xff\xff\xff\xff\xff\xff{}"s); }, "at most 2 bytes, got a");
}

TEST(Safetensors, SkipsWhatItCannotHold) {
  const std::string file = safetensors(R"({"u":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                                       R"("x":{"dtype":"F16","shape":[1],"data_offsets":[4,6]}})",
                                       "aaaabb");
  const NamedArrays arrays = parse(file);
  ASSERT_EQ(arrays.size(), 1u);
  EXPECT_EQ(arrays[0].first, "x");
  expect_message([] { parse(safetensors(one(R"("U8")", "[1]", "[0,1]"), "a")); },
                 "\"x\": expected F32, F64, F16, BF16, I32 or I64, got U8");
}

TEST(Safetensors, RefusesToWriteWhatNobodyCouldRead) {
  const Array x = make_array(DType::f32, {1});
  expect_message([&] { format_safetensors({{"x", x}, {"x", x}}); }, "each name once, got \"x\"");
  expect_message([&] { format_safetensors({{"__metadata__", x}}); }, "the name of a tensor");
  expect_message([&] { format_safetensors({{"\xff", x}}); }, "in UTF-8, got \"\\xff\"");
  Array torn = x;
  torn.bytes.pop_back();
  expect_message([&] { format_safetensors({{"x", torn}}); }, "expected 4 bytes for f32 [1], got 3");
}

}  // namespace
}  // namespace posenc::safetensors_test
