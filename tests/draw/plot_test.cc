#include "draw/plot.h"

#include <cairo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "draw/colour.h"
#include "draw/terminal.h"
#include "posenc/tensor.h"

// fontconfig keeps about a kilobyte for the life of the process; a leak checker should not mind.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig"; }

namespace posenc::draw::plot_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Heatmap make_map(int64_t rows, int64_t cols, std::vector<double> values) {
  Heatmap map{.title = "Title & <text>", .note = "note", .x = {"x"}, .y = {"y"}};
  map.rows = rows;
  map.cols = cols;
  map.values = std::move(values);
  return map;
}

Lines make_lines(std::vector<double> x, std::vector<double> y) {
  return {"Title", "note", {"x"}, {"y"}, {{"curve", std::move(x), std::move(y)}}};
}

// A decoded PNG.
class Picture {
 public:
  explicit Picture(std::string png) : bytes_(std::move(png)) {
    surface_.reset(cairo_image_surface_create_from_png_stream(read, this));
    EXPECT_EQ(cairo_surface_status(surface_.get()), CAIRO_STATUS_SUCCESS);
  }
  int width() const { return cairo_image_surface_get_width(surface_.get()); }
  int height() const { return cairo_image_surface_get_height(surface_.get()); }
  Rgb at(int x, int y) const {
    const auto* p = cairo_image_surface_get_data(surface_.get()) +
                    y * cairo_image_surface_get_stride(surface_.get()) + 4 * x;
    return {p[2], p[1], p[0]};
  }
  int count(Rgb colour) const {
    int n = 0;
    for (int y = 0; y < height(); ++y)
      for (int x = 0; x < width(); ++x) n += at(x, y) == colour;
    return n;
  }

 private:
  static cairo_status_t read(void* self, unsigned char* out, unsigned int size) {
    auto& picture = *static_cast<Picture*>(self);
    if (picture.bytes_.size() - picture.read_ < size) return CAIRO_STATUS_READ_ERROR;
    picture.bytes_.copy(reinterpret_cast<char*>(out), size, picture.read_);
    picture.read_ += size;
    return CAIRO_STATUS_SUCCESS;
  }
  std::string bytes_;
  size_t read_ = 0;
  std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface_{nullptr,
                                                                        cairo_surface_destroy};
};

TEST(Png, HasSignatureAndSize) {
  const std::string png = to_png(make_lines({0, 1}, {0, 1}), 320, 240);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  const Picture picture(png);
  EXPECT_EQ(picture.width(), 320);
  EXPECT_EQ(picture.height(), 240);
  EXPECT_EQ(picture.at(0, 0), white);
}

TEST(Png, HeatmapStartsAtTheTopLeft) {
  const ColourScale scale{-1, 1};
  const Picture picture(to_png(make_map(2, 2, {1, -1, 0.5, nan}), 400, 300));
  EXPECT_EQ(picture.at(120, 100), scale(1));
  EXPECT_EQ(picture.at(280, 100), scale(-1));
  EXPECT_EQ(picture.at(120, 200), scale(0.5));
  EXPECT_EQ(picture.at(280, 200), missing);
}

TEST(Png, HeatmapValuesBeyondTheScaleTakeItsEnds) {
  Heatmap map = make_map(1, 2, {-70, 90});
  map.low = 0;
  map.high = 10;
  const Picture picture(to_png(map, 400, 300));
  EXPECT_EQ(picture.at(120, 150), (ColourScale{0, 10}(0)));
  EXPECT_EQ(picture.at(280, 150), (ColourScale{0, 10}(10)));
}

TEST(Png, LargeHeatmapShowsAverages) {
  std::vector<double> values(20000 * 256);
  for (size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? -0.5 : 0.75;
  values[7] = infinity;
  const Picture picture(to_png(make_map(20000, 256, std::move(values)), 200, 150));
  EXPECT_NEAR(picture.at(90, 80).b, (ColourScale{-1, 1}(0.125).b), 25);
}

TEST(Png, CurveHasItsColourAndGaps) {
  const Picture whole(to_png(make_lines({0, 1, 2, 3, 4}, {1, 1, 1, 1, 1}), 1600, 1000));
  const Picture gap(to_png(make_lines({0, 1, 2, 3, 4}, {1, 1, nan, 1, 1}), 1600, 1000));
  const int drawn = whole.count(curve_colour(0));
  EXPECT_GT(drawn, 1000);
  EXPECT_NEAR(gap.count(curve_colour(0)), drawn / 2, drawn / 10);
}

TEST(Colours, ScalesAreBalanced) {
  EXPECT_EQ((ColourScale{-1, 3}(0)), (ColourScale{-1, 1}(0)));
  EXPECT_EQ((ColourScale{-1, 3}(3)), (ColourScale{-3, 3}(3)));
  EXPECT_EQ((ColourScale{-1, 3}(-3)), (ColourScale{-1, 3}(-1)));
  EXPECT_EQ((ColourScale{0, 1}(nan)), missing);
  for (const ColourScale scale : {ColourScale{0, 1}, ColourScale{-9, 1}})
    for (double v = scale.low; v < scale.high - 0.1; v += 0.1)
      EXPECT_NE(scale(v), scale(v + 0.1)) << v;
}

TEST(Svg, IsTextWithTitleAndOneImagePerRaster) {
  const std::string svg = to_svg(make_map(2, 2, {1, -1, 0, 1}), 400, 300);
  EXPECT_EQ(svg.substr(0, 5), "<?xml");
  EXPECT_NE(svg.find("<title>Title &amp; &lt;text&gt;</title>"), svg.npos);
  EXPECT_NE(svg.find("width=\"400px\" height=\"300px\""), svg.npos);
  EXPECT_NE(svg.find("id=\"image0\""), svg.npos);
  EXPECT_NE(svg.find("href=\"#image1\""), svg.npos);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(std::count(svg.begin(), svg.end(), '<'), std::count(svg.begin(), svg.end(), '>'));
  EXPECT_LT(svg.size(), 100'000u);
}

TEST(Svg, LongCurvesStaySmall) {
  std::vector<double> x(300'000), y(x.size());
  std::iota(x.begin(), x.end(), 0);
  for (size_t i = 0; i < y.size(); ++i) y[i] = std::sin(0.37 * x[i]);
  EXPECT_LT(to_svg(make_lines(x, y), 800, 500).size(), 500'000u);
}

TEST(Pictures, AreTheSameEveryTime) {
  for (const Plot& plot :
       {Plot(make_map(2, 2, {1, -1, nan, 1})), Plot(make_lines({0, 1}, {2, 3}))}) {
    EXPECT_EQ(to_svg(plot, 400, 300), to_svg(plot, 400, 300));
    EXPECT_EQ(to_png(plot, 400, 300), to_png(plot, 400, 300));
  }
}

TEST(Pictures, SurviveStrangeInput) {
  const std::string bad = "\xff\xc0\x80 \xed\xa0\x80 \x1b[31m" + std::string(5000, 'w');
  for (const double v : {0.0, 1e-308, 5e-324, 1e-150, 3.0, 1e199, 1e308, -1e308, infinity, nan})
    for (const bool log : {false, true}) {
      Lines lines = make_lines({1, 2, v, v, -v}, {v, -v, 1, v * 1.0000001, v});
      lines.title = lines.x.label = lines.y.label = lines.curves[0].label = bad;
      lines.x.log = lines.y.log = lines.dots = log;
      Heatmap map = make_map(2, 2, {v, -v, 1, v});
      map.title = map.scale_label = map.y.label = bad;
      map.low = map.high = 0;
      map.x.log = log;
      for (const int size : {1, 7, 200}) {
        EXPECT_FALSE(to_png(lines, size, 200).empty());
        EXPECT_FALSE(to_svg(lines, 200, size).empty());
        EXPECT_FALSE(to_png(map, size, size).empty());
        EXPECT_FALSE(to_svg(map, 200, size).empty());
      }
      EXPECT_EQ(terminal_lines(lines, 40, 12, Colour::none).find('\x1b'), std::string::npos);
      EXPECT_EQ(terminal_heatmap(map, 40, 12, Colour::none).find('\x1b'), std::string::npos);
    }
}

TEST(Pictures, RefuseWhatCannotBeDrawn) {
  const Heatmap map = make_map(1, 2, {0, 1});
  const Lines lines = make_lines({0, 1}, {0, 1});
  for (const int size : {0, -1, 20001, std::numeric_limits<int>::max()}) {
    EXPECT_THROW(to_png(map, size, 100), Error);
    EXPECT_THROW(to_svg(lines, 100, size), Error);
  }
  EXPECT_THROW(to_png(map, 20000, 20000), Error);
  EXPECT_THROW(to_png(make_map(0, 0, {}), 100, 100), Error);
  EXPECT_THROW(to_png(make_map(2, 2, {1, 2, 3}), 100, 100), Error);
  EXPECT_THROW(to_png(make_map(int64_t{1} << 62, 4, {}), 100, 100), Error);
  EXPECT_THROW(to_png(Lines{}, 100, 100), Error);
  EXPECT_THROW(to_png(make_lines({}, {}), 100, 100), Error);
  EXPECT_THROW(to_png(make_lines({1, 2}, {1}), 100, 100), Error);
  Heatmap upside_down = map;
  upside_down.low = 2;
  EXPECT_THROW(to_png(upside_down, 100, 100), Error);
  Lines wrong = lines;
  wrong.x = {"x", -1, 10, true};
  EXPECT_THROW(to_png(wrong, 100, 100), Error);
  wrong.x = {"x", nan, 10};
  EXPECT_THROW(to_png(wrong, 100, 100), Error);
}

}  // namespace
}  // namespace posenc::draw::plot_test
