// npy_test.cc: .npy files, good and bad.
#include <rapidcheck.h>

#include "helpers.h"

namespace posenc::npy_test {
namespace {

using namespace std::string_literals;

// A version 1.0 file: NumPy's magic, the length of the header, the header, the data.
std::string npy(const std::string& header, const std::string& data = "") {
  const auto low = static_cast<char>(header.size()), high = static_cast<char>(header.size() >> 8);
  return "\x93NUMPY\x01\0"s + low + high + header + data;
}

std::string header(const std::string& descr, const std::string& shape,
                   const std::string& order = "False") {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

Array parse(const std::string& file) { return parse_npy(bytes(file)); }

template <class T>
std::vector<T> values(Array array) {
  const auto all = array.values<T>();
  return {all.begin(), all.end()};
}

// def npy(a): f = io.BytesIO(); np.save(f, a); return f.getvalue()
struct Golden {
  std::string file;
  DType dtype;
  std::vector<int64_t> shape;
};
const Golden goldens[] = {
    // npy(np.array([[1, 2, 3]], 'f4'))
    {"\x93NUMPY\x01\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }"s +
         std::string(58, ' ') + "\n\0\0\x80?\0\0\0@\0\0@@"s,
     DType::f32,
     {1, 3}},
    // npy(np.array(1.5))
    {"\x93NUMPY\x01\0v\0{'descr': '<f8', 'fortran_order': False, 'shape': (), }"s +
         std::string(62, ' ') + "\n\0\0\0\0\0\0\xf8?"s,
     DType::f64,
     {}},
    // npy(np.array([1, -2], 'f2'))
    {"\x93NUMPY\x01\0v\0{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }"s +
         std::string(60, ' ') + "\n\0<\0\xc0"s,
     DType::f16,
     {2}},
    // npy(np.zeros((0, 3), 'i8'))
    {"\x93NUMPY\x01\0v\0{'descr': '<i8', 'fortran_order': False, 'shape': (0, 3), }"s +
         std::string(58, ' ') + "\n",
     DType::i64,
     {0, 3}},
};

TEST(Npy, ReadsAndWritesWhatNumpyWrites) {
  for (const Golden& golden : goldens) {
    const Array array = parse(golden.file);
    EXPECT_EQ(array.dtype, golden.dtype);
    EXPECT_EQ(array.shape, golden.shape);
    EXPECT_EQ(format_npy(array), golden.file);
  }
  EXPECT_EQ(values<float>(parse(goldens[0].file)), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(values<double>(parse(goldens[1].file)), std::vector<double>{1.5});
}

TEST(Npy, RoundTripsEveryDtypeAndShape) {
  for (const DType dtype : all_dtypes) {
    if (dtype == DType::bf16) continue;
    for (const auto& shape : some_shapes) {
      const Array array = numbered(dtype, shape);
      expect_same(parse(format_npy(array)), array);
      EXPECT_EQ(format_npy(array).find('\n') % 64, 63u);
    }
  }
}

TEST(Npy, RoundTripsAnyArray) {
  EXPECT_TRUE(rc::check([](const std::vector<uint8_t>& noise) {
    const auto rank = *rc::gen::inRange<size_t>(0, max_rank + 1);
    const auto shape = *rc::gen::container<std::vector<int64_t>>(rank, rc::gen::inRange(0, 4));
    const auto dtype = *rc::gen::element(DType::f32, DType::f64, DType::f16, DType::i32);
    Array array = make_array(dtype, shape);
    for (size_t i = 0; i < array.bytes.size() && i < noise.size(); ++i) {
      array.bytes[i] = std::byte{noise[i]};
    }
    const Array back = parse(format_npy(array));
    RC_ASSERT(back.shape == array.shape && back.bytes == array.bytes);
  }));
}

TEST(Npy, TurnsFortranOrderAndBigEndian) {
  // npy(np.asfortranarray(np.arange(6, dtype='>i4').reshape(2, 3)))
  const std::string file =
      "\x93NUMPY\x01\0v\0{'descr': '>i4', 'fortran_order': True, 'shape': (2, 3), }"s +
      std::string(59, ' ') + "\n\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\4\0\0\0\2\0\0\0\5"s;
  const Array array = parse(file);
  EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(values<int32_t>(array), (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Npy, TurnsFortranOrderOfAnyRank) {
  const Array from = numbered(DType::i32, {2, 3, 4});
  const Array to = parse(npy(header("'<i4'", "(2, 3, 4)", "True"),
                             {reinterpret_cast<const char*>(from.bytes.data()), 96}));
  const auto a = values<int32_t>(from), b = values<int32_t>(to);
  for (size_t i = 0; i < 24; ++i) {
    const size_t x = i / 12, y = i / 4 % 3, z = i % 4;
    EXPECT_EQ(b[i], a[x + 2 * y + 6 * z]);
  }
}

TEST(Npy, TakesEverySpellingOfAHeader) {
  const std::string data = "\0\0\x80?"s;
  const std::string headers[] = {
      "{'shape':(1,),'fortran_order':False,'descr':'<f4'}",
      "{\"descr\": \"=f4\", \"fortran_order\": False, \"shape\": (1L,)}\n",
      " { 'descr' : '<f4' , 'fortran_order' : True , 'shape' : ( 1 , ) , } \t\r\n\n",
      header("'|f4'", "(1, 1, 1)"),
  };
  for (const auto& text : headers) EXPECT_EQ(values<float>(parse(npy(text, data))).at(0), 1.0f);
  const std::string text = header("'<f4'", "()");
  for (const char version : {'\2', '\3'}) {
    const std::string file =
        "\x93NUMPY"s + version + '\0' + static_cast<char>(text.size()) + "\0\0\0"s + text + data;
    EXPECT_EQ(values<float>(parse(file)).at(0), 1.0f);
  }
}

TEST(Npy, RefusesEveryTruncation) {
  for (const Golden& golden : goldens) {
    for (size_t n = 0; n < golden.file.size(); ++n) {
      expect_message([&] { parse(golden.file.substr(0, n)); }, "[parse_npy] expected ");
    }
    expect_message([&] { parse(golden.file + '\0'); }, " bytes of data for ");
  }
}

TEST(Npy, RefusesHostileHeaders) {
  const std::string f4 = "'<f4'", four(4, '\0');
  const std::string huge = "9223372036854775808", big = "1099511627776";
  const std::pair<std::string, std::string_view> cases[] = {
      {"hello world", "expected a .npy file"},
      {"\x93NUMPY\x04\0\0\0"s, "version 1.0, 2.0 or 3.0, got 4.0"},
      {"\x93NUMPY\x01\x01\0\0"s, "got 1.1"},
      {"\x93NUMPY\x02\0\xff\xff\xff\xff"s, "at most 10000 bytes, got 4294967295"},
      {"\x93NUMPY\x02\0\xff\0\0\0"s, "expected 255 bytes of header, got 0"},
      {npy(""), "expected '{' at byte 0 of the header, got its end"},
      {npy("{}"), "got a header without descr"},
      {npy("{'descr': '<f4', 'shape': ()}", four), "without fortran_order"},
      {npy("{'descr': '<f4', 'fortran_order': False}", four), "without shape"},
      {npy("{'descr': '<f4', 'descr': '<f4'}"), "each once, got \"descr\""},
      {npy("{'descr': '<f4', 'colour': 3}"), "each once, got \"colour\""},
      {npy("{'descr': '<f4"), "expected a string that ends"},
      {npy("{'descr' '<f4'}"), "expected ':' at byte 9"},
      {npy("{'descr': '<f4' 'shape': ()}"), "expected '}' at byte 16"},
      {npy(header(f4, "()") + "\x80\n", four), "nothing but spaces after the dictionary"},
      {npy("\xff{}"), "got \"\\xff{}\""},
      {npy(header(f4, "3"), four), "expected a tuple of sizes for shape"},
      {npy(header(f4, "(1)"), four), "a comma in a tuple of one size"},
      {npy(header(f4, "(,)"), four), "expected a size from 0 to 2^63 - 1"},
      {npy(header(f4, "(-1,)"), four), "expected a size from 0 to 2^63 - 1"},
      {npy(header(f4, "(1.5,)"), four), "expected ',' or ')'"},
      {npy(header(f4, "(" + huge + ",)"), four), "expected a size from 0 to 2^63 - 1"},
      {npy(header(f4, "(" + big + ", " + big + ")"), four), "size fits 63 bits"},
      {npy(header(f4, "(0, " + big + ", " + big + ")")), "size fits 63 bits"},
      {npy(header(f4, "(" + big + ",)"), four), "expected 4398046511104 bytes of data"},
      {npy(header(f4, "(1,1,1,1,1,1,1,1,1)"), four), "expected at most 8 axes"},
      {npy(header(f4, "(", "False")), "expected a size"},
      {npy(header(f4, "()", "1"), four), "expected True or False"},
      {npy(header(f4, "(2,)"), four), "expected 8 bytes of data for f32 [2], got 4"},
      {npy(header("[('x', '<f4')]", "()"), four), "not a record type"},
      {npy(header("'|V2'", "()"), four), "store bf16 as .safetensors"},
      {npy(header("''", "()"), four), "got \"\""},
      {npy(header("'f4'", "()"), four), "f4, f8, f2, i4 or i8, got \"f4\""},
      {npy(header("'|O'", "()"), four), "got \"|O\""},
      {npy(header("'|u1'", "(4,)"), four), "got \"|u1\""},
      {npy(header("'|b1'", "(4,)"), four), "got \"|b1\""},
      {npy(header("'<u4'", "()"), four), "got \"<u4\""},
      {npy(header("'<c8'", "()"), four), "got \"<c8\""},
  };
  for (const auto& [file, part] : cases) {
    expect_message([&file = file] { parse(file); }, part);
  }
}

TEST(Npy, RefusesToWriteBf16) {
  expect_message([] { format_npy(make_array(DType::bf16, {2})); }, "use .safetensors");
}

}  // namespace
}  // namespace posenc::npy_test
