#include "svg-steps.h"
#include "page.h"
#include "reports/words.h"
#include <math.h>

#define WIDTH 640
#define HEIGHT 200
#define LEFT 52
#define RIGHT 8
#define TOP 26
#define BOTTOM 24

static const char *const colour[] = { "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9" };
static const char *const dash[] = { "", "6 3", "2 3", "8 3 2 3", "1 2", "10 4" };

/* The next round number: 1, 2 or 5 times a power of ten. */
static double
round_up (double v)
{
  double power = 1;

  while (power * 10 <= v)
    power *= 10;
  return v <= power ? power : v <= 2 * power ? 2 * power : v <= 5 * power ? 5 * power : 10 * power;
}

void
rp_svg_steps (GString *out, const RpSteps *series, guint n, gint64 end, const char *what)
{
  double top = 1, across = WIDTH - LEFT - RIGHT, up = HEIGHT - TOP - BOTTOM;

  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < series[i].points->len; k++)
      top = MAX (top, g_array_index (series[i].points, RpPoint, k).value);
  top = round_up (top);
  g_string_append_printf (out, "<svg viewBox=\"0 0 %d %d\" style=\"min-width:32rem;max-width:44rem\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
  rp_page_text (out, what);
  g_string_append (out, " over time\" font-family=\"system-ui,sans-serif\" font-size=\"12\" fill=\"#444\">\n");
  for (guint i = 0; i <= 2; i++) {
    double y = TOP + up * (1 - i / 2.0);
    g_autofree char *span = rp_span ((double) end / 1e6 * i / 2.0);

    g_string_append_printf (out, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>", LEFT, y, WIDTH - RIGHT, LEFT - 6, y + 4,
                            top * i / 2.0);
    g_string_append_printf (out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", LEFT + across * i / 2.0, HEIGHT - 8,
                            i == 0 ? "start" : i == 1 ? "middle" : "end", span);
  }
  g_string_append_printf (out, "<text x=\"%d\" y=\"14\">", 4);
  rp_page_text (out, what);
  g_string_append (out, "</text>\n");
  double x = 190;

  for (guint i = 0; i < MIN (n, G_N_ELEMENTS (colour)); i++) {
    g_string_append_printf (out, "<path d=\"M%.0f 10h22\" stroke=\"%s\" stroke-width=\"2.5\" stroke-dasharray=\"%s\"/><text x=\"%.0f\" y=\"14\">", x, colour[i], dash[i], x + 28);
    rp_page_text (out, series[i].name);
    g_string_append (out, "</text>\n");
    x += 50 + 7.5 * (double) g_utf8_strlen (series[i].name, -1);
    g_string_append (out, "<path fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\" d=\"");
    for (guint k = 0; k < series[i].points->len; k++) {
      const RpPoint *p = &g_array_index (series[i].points, RpPoint, k);

      g_string_append_printf (out, k == 0 ? "M%.1f %.1f" : "H%.1fV%.1f", LEFT + across * (double) p->time / (double) MAX (end, 1), TOP + up * (1 - p->value / top));
    }
    g_string_append_printf (out, "H%.1f\" stroke=\"%s\" stroke-dasharray=\"%s\"/>\n", LEFT + across, colour[i], dash[i]);
  }
  g_string_append (out, "</svg>\n");
}
