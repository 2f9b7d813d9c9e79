// gguf_test.cc: GGUF files: the container, good and hostile.
#include "model/gguf/gguf.h"

#include "files.h"

namespace posenc::model::gguf_test {
namespace {

files::Gguf start(const std::string& file) {
  const auto memory = bytes(file);
  return files::read_gguf_start(files::Source("read", memory));
}
std::string refusal(const GgufFile& file) {
  return message([&] { start(file.bytes()); });
}
void expect_refusal(const GgufFile& file, std::string_view part) {
  const std::string got = refusal(file);
  EXPECT_NE(got.find(part), got.npos) << "said:   " << got << "\nwanted: " << part;
}

GgufFile every_type() {
  GgufFile out;
  out.value("u8", 0, raw<uint8_t>(200)).value("i8", 1, raw<int8_t>(-3));
  out.value("u16", 2, raw<uint16_t>(60000)).value("i16", 3, raw<int16_t>(-4));
  out.u32("u32", 4000000000).value("i32", 5, raw<int32_t>(-5)).f32("f32", 0.5f);
  out.flag("bool", true).string("string", "caf\xc3\xa9");
  out.value("u64", 10, raw<uint64_t>(1) + "").value("i64", 11, raw<int64_t>(-6));
  out.value("f64", 12, raw(0.25)).numbers<int32_t>("list", 5, {1, -2});
  return out;
}

TEST(Gguf, ReadsEveryTypeOfValue) {
  const auto file = start(every_type().bytes());
  const auto shown = [&](std::string_view key) { return files::brief(*file.keys.find(key)); };
  EXPECT_EQ(file.version, 3u);
  EXPECT_EQ(shown("u8"), "200");
  EXPECT_EQ(shown("i8"), "-3");
  EXPECT_EQ(shown("u16"), "60000");
  EXPECT_EQ(shown("i16"), "-4");
  EXPECT_EQ(shown("u32"), "4000000000");
  EXPECT_EQ(shown("i32"), "-5");
  EXPECT_EQ(shown("f32"), "0.5");
  EXPECT_EQ(shown("bool"), "true");
  EXPECT_EQ(shown("string"), "\"caf\xc3\xa9\"");
  EXPECT_EQ(shown("u64"), "1");
  EXPECT_EQ(shown("i64"), "-6");
  EXPECT_EQ(shown("f64"), "0.25");
  EXPECT_EQ(shown("list"), "[1, -2]");
  const auto large = start(GgufFile().value("u64", 10, raw(~uint64_t{0})).bytes());
  EXPECT_EQ(std::get<double>(large.keys.find("u64")->value), 0x1p64);
}

TEST(Gguf, LongListsAndTextsArePassedOver) {
  std::vector<std::string> tokens(5000, GgufFile::text("token"));
  GgufFile out;
  out.list("tokens", 8, tokens).numbers<float>("scores", 6, std::vector<float>(5000));
  out.string("template", std::string(5000, 'x')).u32("after", 7);
  const auto file = start(out.bytes());
  EXPECT_EQ(files::brief(*file.keys.find("tokens")), "\"(5000 texts)\"");
  EXPECT_EQ(files::brief(*file.keys.find("scores")), "\"(5000 f32)\"");
  EXPECT_EQ(files::brief(*file.keys.find("template")), "\"(5000 bytes)\"");
  EXPECT_EQ(files::brief(*file.keys.find("after")), "7");
}

// The whole of an enormous file is not read: there is a hole of 100 GB in this one.
class GgufFiles : public Folder {};
TEST_F(GgufFiles, EnormousOnesCostLittle) {
  GgufFile file = gguf("llama");
  constexpr uint64_t size = 100ull << 30;
  file.info("output.weight", {256, size / 1024}, 0, 0);
  const std::string path = write("large.gguf", file.bytes());
  std::filesystem::resize_file(path, file.bytes().size() + size);
  EXPECT_EQ(fact(posenc::model::read(path).components.at(0), "head_dim"), "64");
}

TEST(Gguf, TensorsHaveTheOrderOfPyTorchAndTheirNumbers) {
  GgufFile out;
  out.tensor("table", {3, 2}, 0, std::string(24, '\0')).floats("f", {1.5f, -2});
  out.tensor("half", {2}, 1, raw<uint16_t>(0x3c00) + raw<uint16_t>(0xc000));
  out.tensor("brain", {1}, 30, raw<uint16_t>(0x3f80)).tensor("wide", {1}, 28, raw(0.1));
  out.tensor("quantized", {64, 2}, 8, std::string(136, '\0'));
  const auto memory = bytes(out.bytes());
  const files::Source source("read", memory);
  const auto file = files::read_gguf_start(source);
  const auto numbers = [&](std::string_view name) {
    return files::gguf_numbers(source, *file.find(name));
  };
  EXPECT_EQ(file.find("table")->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(numbers("f"), (std::vector<double>{1.5, -2}));
  EXPECT_EQ(numbers("half"), (std::vector<double>{1, -2}));
  EXPECT_EQ(numbers("brain"), (std::vector<double>{1}));
  EXPECT_EQ(numbers("wide"), (std::vector<double>{0.1}));
  EXPECT_EQ(file.find("quantized")->bytes, 136u);
  expect_message([&] { numbers("quantized"); }, "expected numbers of type F32, F16, BF16 or F64");
  EXPECT_EQ(file.find("absent"), nullptr);
}

// Each cut is an Error of kind data, whether inside the keys, the tensors or the data.
TEST(Gguf, EveryCutIsRefused) {
  GgufFile file = every_type();
  file.list("texts", 8, {GgufFile::text("a"), GgufFile::text("bc")});
  file.floats("rope_freqs.weight", {1, 2, 3, 4, 5, 6, 7, 8});
  const std::string whole = file.bytes();
  start(whole);
  for (size_t n = 0; n < whole.size(); ++n) {
    try {
      start(whole.substr(0, n));
      ADD_FAILURE() << "read with " << n << " of " << whole.size() << " bytes";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind, ErrorKind::data) << error.what();
    }
  }
}

// Any byte may be wrong: an Error or another reading, never anything else.
TEST(Gguf, EveryByteMayBeWrong) {
  GgufFile file = gguf("gemma3", 6);
  file.f32("gemma3.rope.freq_base", 1e6f).u32("gemma3.attention.sliding_window", 512);
  file.floats("rope_freqs.weight", std::vector<float>(32, 1));
  const std::string whole = file.bytes();
  for (size_t i = 0; i < whole.size(); ++i)
    for (const char mask : {'\x01', '\x80', '\xff'}) {
      std::string wrong = whole;
      wrong[i] = static_cast<char>(wrong[i] ^ mask);
      const auto memory = bytes(wrong);
      message([&] { read_gguf(files::Source("read", memory)); });
    }
}

TEST(Gguf, VersionsAndByteOrders) {
  for (const uint32_t version : {0u, 1u, 4u, 1000u}) {
    GgufFile file;
    file.version = version;
    expect_refusal(file, "expected version 2 or 3 of GGUF, got " + std::to_string(version));
  }
  GgufFile two;
  two.version = 2;
  EXPECT_EQ(start(two.bytes()).version, 2u);
  GgufFile big;
  big.version = 0x03000000;
  expect_refusal(big, "big-endian");
}

TEST(Gguf, HostileCountsAndLengths) {
  GgufFile keys;
  keys.key_count = 1ull << 60;
  expect_refusal(keys, "expected at most 65536 keys");
  keys.key_count = 1000;
  expect_refusal(keys, "expected at most 0 keys in what is left");
  GgufFile tensors;
  tensors.tensor_count = ~0ull;
  expect_refusal(tensors, "expected at most 1048576 tensors");
  tensors.tensor_count = 1000;
  expect_refusal(tensors, "tensors in what is left");
  GgufFile name;
  name.keys = raw<uint64_t>(1ull << 62) + std::string(100, 'x'), name.key_count = 1;
  expect_refusal(name, "expected a key of at most 65535 bytes at byte 24");
  GgufFile text;
  text.value("t", 8, raw<uint64_t>(~0ull));
  expect_refusal(text, "key \"t\" at byte");
  GgufFile list;
  list.value("l", 9, raw<uint32_t>(4) + raw<uint64_t>(1ull << 62));
  expect_refusal(list, "u32 in what is left of the file");
  GgufFile texts;
  texts.value("l", 9, raw<uint32_t>(8) + raw<uint64_t>(1ull << 61));
  expect_refusal(texts, "texts in what is left of the file");
}

TEST(Gguf, WrongTypesAndValues) {
  GgufFile type;
  type.value("k", 13, "");
  type.keys += std::string(8, '\0');
  expect_refusal(type, "key \"k\": expected a type of 0 to 12");
  GgufFile flag;
  flag.value("k", 7, "\x02");
  expect_refusal(flag, "key \"k\": expected 0 or 1");
  GgufFile twice;
  twice.u32("k", 1).u32("k", 2);
  expect_refusal(twice, "expected every key once, got key \"k\" again at byte");
  GgufFile empty;
  empty.u32("", 1);
  expect_refusal(empty, "expected a key in UTF-8");
  GgufFile bytes;
  bytes.u32("k\xff\xfe", 1);
  expect_refusal(bytes, "expected a key in UTF-8 at byte 24, got \"k\\xff\\xfe\"");
  GgufFile shown;
  shown.string("k", "a\x1b[31mb\xff");
  EXPECT_EQ(files::brief(*start(shown.bytes()).keys.find("k")), "\"a\\x1b[31mb\\xff\"");
}

std::string nested(int depth) {
  if (depth == 0) return raw<uint32_t>(4) + raw<uint64_t>(1) + raw<uint32_t>(7);
  return raw<uint32_t>(9) + raw<uint64_t>(1) + nested(depth - 1);
}

TEST(Gguf, ListsInListsArePassedOverToADepth) {
  GgufFile some;
  some.value("l", 9, nested(3)).u32("after", 1);
  EXPECT_EQ(files::brief(*start(some.bytes()).keys.find("l")), "\"(1 lists)\"");
  EXPECT_EQ(files::brief(*start(some.bytes()).keys.find("after")), "1");
  GgufFile many;
  many.value("l", 9, nested(100));
  expect_refusal(many, "expected at most 8 lists inside each other");
}

TEST(Gguf, HostileTensors) {
  const auto with = [](auto&& fill) {
    GgufFile file;
    fill(file);
    file.data = std::string(256, '\0');
    return file;
  };
  const std::vector<uint64_t> eight{8};
  expect_refusal(with([](GgufFile& f) {
                   f.info("t", {1, 1, 1, 1, 1}, 0, 0);
                 }),
                 "tensor \"t\": expected at most 4 sizes, got 5");
  expect_refusal(with([&](GgufFile& f) { f.info("t", eight, 43, 0); }),
                 "expected a type of ggml of 0 to 42, got 43");
  expect_refusal(with([&](GgufFile& f) { f.info("t", eight, 4, 0); }), "expected a type of ggml");
  expect_refusal(with([](GgufFile& f) { f.info("t", {1ull << 63}, 0, 0); }), "less than 2^63");
  expect_refusal(with([](GgufFile& f) { f.info("t", {1ull << 40, 1ull << 40}, 0, 0); }), "63 bits");
  expect_refusal(with([](GgufFile& f) { f.info("t", {33}, 8, 0); }), "whole blocks of 32");
  expect_refusal(with([&](GgufFile& f) { f.info("t", eight, 0, 4); }), "multiple of 32, got 4");
  expect_refusal(with([&](GgufFile& f) { f.info("t", eight, 0, 256); }),
                 "expected 32 bytes at offset 256 of the data, got 256 bytes of data");
  expect_refusal(with([&](GgufFile& f) { f.info("t", eight, 0, ~0ull - 31); }), "at offset");
  expect_refusal(with([&](GgufFile& f) { f.info("t", eight, 0, 0).info("t", eight, 0, 32); }),
                 "expected every tensor once, got \"t\"");
}

// What is told of the tensors may end at an alignment or anywhere before it.
TEST(Gguf, DataBeginsAtTheNextAlignment) {
  for (size_t length = 0; length < 32; ++length) {
    GgufFile file;
    file.string("general.name", std::string(length, 'x')).floats("a", {1, 2}).floats("b", {3});
    const auto memory = bytes(file.bytes());
    const files::Source source("read", memory);
    const auto got = files::read_gguf_start(source);
    EXPECT_EQ(files::gguf_numbers(source, *got.find("a")), (std::vector<double>{1, 2})) << length;
    EXPECT_EQ(files::gguf_numbers(source, *got.find("b")), std::vector<double>{3}) << length;
  }
}

TEST(Gguf, Alignment) {
  GgufFile file;
  file.alignment = 64;
  file.u32("general.alignment", 64).floats("a", {1}).floats("b", {2});
  const auto memory = bytes(file.bytes());
  const files::Source source("read", memory);
  const auto got = files::read_gguf_start(source);
  EXPECT_EQ(files::gguf_numbers(source, *got.find("b")), std::vector<double>{2});
  for (const uint32_t wrong : {0u, 48u, 1u << 31}) {
    GgufFile bad;
    bad.u32("general.alignment", wrong);
    expect_refusal(bad,
                   "expected a power of two as general.alignment, got " + std::to_string(wrong));
  }
}

}  // namespace
}  // namespace posenc::model::gguf_test
