#include "draw/plot.h"

#include <cairo-svg.h>
#include <cairo.h>

#include "draw/check.h"
#include "draw/frame.h"
#include "draw/svg.h"
#include "draw/text.h"
#include "posenc/tensor.h"

namespace posenc::draw {
namespace {

using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;

// Takes bytes from cairo. An exception must not pass through C.
cairo_status_t append(void* out, const unsigned char* bytes, unsigned int size) noexcept {
  try {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), size);
    return CAIRO_STATUS_SUCCESS;
  } catch (...) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

void check_cairo(std::string_view where, cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    fail(where, "expected cairo to draw, got ", cairo_status_to_string(status));
}

void draw_on(cairo_surface_t* surface, std::string_view where, const Plot& plot, int width,
             int height) {
  check_cairo(where, cairo_surface_status(surface));
  Canvas canvas(surface, width, height);
  std::visit([&](const auto& one) { draw(canvas, where, one); }, plot);
  if (const std::string error = canvas.error(); !error.empty())
    fail(where, "expected cairo to draw, got ", error);
}

}  // namespace

std::string to_png(const Plot& plot, int width, int height) {
  check_size("to_png", width, height);
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height),
                        cairo_surface_destroy);
  draw_on(surface.get(), "to_png", plot, width, height);
  std::string bytes;
  check_cairo("to_png", cairo_surface_write_to_png_stream(surface.get(), append, &bytes));
  return bytes;
}

std::string to_svg(const Plot& plot, int width, int height) {
  check_size("to_svg", width, height);
  std::string bytes;
  const Surface surface(cairo_svg_surface_create_for_stream(append, &bytes, width, height),
                        cairo_surface_destroy);
  cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
  draw_on(surface.get(), "to_svg", plot, width, height);
  cairo_surface_finish(surface.get());
  check_cairo("to_svg", cairo_surface_status(surface.get()));
  return std::visit(
      [&](const auto& one) {
        return finish_svg(std::move(bytes), clean(one.title), clean(one.note));
      },
      plot);
}

}  // namespace posenc::draw
