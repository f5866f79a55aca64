/* reports/charts/draw.h - what charts have in common: a gnuplot script that grows, curves over time in panels below each other, distributions of waits.
 *
 * Data stands in the script as datablocks, and every chart's commands run twice, for SVG and for PNG. Names come from the user: they only ever
 * stand in single quotes, where gnuplot expands nothing, and without control characters. */
#pragma once
#include "curve.h"
G_BEGIN_DECLS

#define RP_DRAW_SERIES 8u /* colours, and so curves that one chart can tell apart */
/* Okabe and Ito's colours, told apart with any colour vision; yellow is left out since it fades on white. */
extern const char *const rp_draw_colours[RP_DRAW_SERIES];
#define RP_BLUE "#0072B2"
#define RP_LIGHT_BLUE "#A6CEE3"
#define RP_AMBER "#E69F00"
#define RP_ORANGE "#D55E00"
#define RP_LIGHT_ORANGE "#F4B183"
#define RP_GREEN "#009E73"
#define RP_LIGHT_GREEN "#A8DBC9"
#define RP_GREY "#666666"

/* A script and the time axis of its charts. */
typedef struct {
  GString *out;
  double unit;           /* µs of one step of the axis */
  const char *unit_name;
  gint64 from, to;       /* µs */
} RpDrawing;
/** A new script; the axis runs from @from to @to (at least a second) in seconds, minutes, hours or days. @d->out is the caller's to free. */
void rp_draw_init (RpDrawing *d, gint64 from, gint64 to);

void rp_draw_number (GString *out, const char *format, double v); /* NaN is written as gnuplot reads it */
/** A datablock `$<block><index>` of the curve, its last value drawn on to the end of the axis. */
void rp_draw_curve (RpDrawing *d, const char *block, guint index, const RpCurve *curve, double scale);
double rp_draw_highest (const RpCurve *curve); /* at least 0 */

typedef struct {
  char *title, *plots;   /* (owned) the latter: what follows `plot` */
  double y_max;
  const char *y_format;  /* NULL: plain numbers */
} RpPanel;
GArray *rp_draw_panels_new (void); /* of RpPanel */
/** Panels below each other on the time axis. */
void rp_draw_panels (RpDrawing *d, const char *name, const char *title, const char *subtitle, const GArray *panels, int panel_height);
/** A picture that only says why there is none. */
void rp_draw_note (RpDrawing *d, const char *name, const char *title, const char *note);

/* A curve of a chart of waits. */
typedef struct {
  char *label;           /* (owned) */
  const GArray *sorted;  /* double, seconds, ascending, at least one; borrowed */
} RpWaits;
/** Which share of each series waited at most how long; at most RP_DRAW_SERIES of them. */
void rp_draw_waits (RpDrawing *d, const char *name, const char *title, const char *subtitle, const RpWaits *series, guint n);

/** A chart of any other kind: @body are its commands, @height its pixels. The title stands above, the subtitle below it. */
void rp_draw_chart (RpDrawing *d, const char *name, int height, const char *title, const char *subtitle, const char *body);
/** The same without a frame: @body makes its own panels. `small` and `tiny` are fonts below the usual size there, which SVG and PNG count differently. */
void rp_draw_page (RpDrawing *d, const char *name, int height, const char *title, const char *subtitle, const char *body);
#define RP_DRAW_TOP 72 /* pixels that title and subtitle take */
/** Commands: labels `set xtics` (or ytics, …) of a logarithmic axis of seconds up to @most. */
void rp_draw_time_tics (GString *body, const char *tics, double most);

/** Let gnuplot draw: <name>.svg and <name>.png in the existing directory @dir for each of the NULL-terminated @names. TRUE with *@warning set when they
 * could not be drawn (no gnuplot, or it failed). FALSE with @error when the disk refuses or a picture is incomplete. */
gboolean rp_draw_run (const RpDrawing *d, const char *const *names, const char *dir, char **warning, GError **error);

G_END_DECLS
