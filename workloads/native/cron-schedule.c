/* workloads/native/cron-schedule.c - see cron-schedule.h. The steps of wl_cron_schedule_next() are those of SpecSchedule.Next: with clocks that
 * jump, another search would find other times. */
#include "cron-schedule.h"
#include "native.h"
#include "core/base/go-duration.h"
#include "workloads/text/time-zone.h"
#include <string.h>

#define STAR (G_GUINT64_CONSTANT (1) << 63) /* the field was written with a star */
#define NS_PER_SECOND G_GINT64_CONSTANT (1000000000)

typedef enum { MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK, N_FIELDS } Field;

struct WlCronSchedule {
  gint64 every;            /* microseconds, whole seconds; 0: the fields */
  guint64 field[N_FIELDS]; /* a bit for each value, and STAR */
  WlTimeZone *zone;
};

static const struct {
  guint min, max;
  const char *names;       /* three letters each, from min on */
} bounds[N_FIELDS] = { [MINUTE] = { 0, 59, "" },
                       [HOUR] = { 0, 23, "" },
                       [DAY_OF_MONTH] = { 1, 31, "" },
                       [MONTH] = { 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec" },
                       [DAY_OF_WEEK] = { 0, 6, "sunmontuewedthufrisat" } };

/* ---- reading -------------------------------------------------------------------------------- */

static gboolean
refuse (GError **error, const char *what, const char *text)
{
  g_set_error (error, WL_ERROR, WL_ERROR_SYNTAX, "%s: %s", what, text);
  return FALSE;
}

/* As strconv.Atoi, but not below 0. */
static gboolean
read_number (const char *text, gsize len, guint64 *out)
{
  g_autofree char *copy = g_strndup (text, len);
  const char *p = copy;
  gint64 v = 0;

  if (*p == '+')
    p++;
  if (!g_ascii_isdigit (*p) || !g_ascii_string_to_signed (p, 10, 0, G_MAXINT64, &v, NULL))
    return FALSE;
  *out = (guint64) v;
  return TRUE;
}

static gboolean
read_value (Field f, const char *text, gsize len, guint64 *out)
{
  for (guint i = 0; len == 3 && bounds[f].names[3 * i] != '\0'; i++)
    if (g_ascii_strncasecmp (&bounds[f].names[3 * i], text, 3) == 0) {
      *out = bounds[f].min + i;
      return TRUE;
    }
  return read_number (text, len, out);
}

/* FIRST, FIRST-LAST, a star or a question mark, each with or without /STEP. */
static gboolean
read_range (Field f, const char *text, guint64 *bits, GError **error)
{
  g_auto (GStrv) part = g_strsplit (text, "/", -1), end = g_strsplit (part[0] != NULL ? part[0] : "", "-", -1);
  const char *low = end[0] != NULL ? end[0] : "";
  guint n_ends = MAX (g_strv_length (end), 1), n_parts = g_strv_length (part);
  guint64 first = bounds[f].min, last = bounds[f].max, step = 1, star = 0;

  if (strcmp (low, "*") == 0 || strcmp (low, "?") == 0)
    star = STAR; /* whatever follows a hyphen is not looked at */
  else if (!read_value (f, low, strlen (low), &first))
    return refuse (error, "failed to parse int from", text);
  else if (n_ends > 2)
    return refuse (error, "too many hyphens", text);
  else if (n_ends == 1)
    last = first;
  else if (!read_value (f, end[1], strlen (end[1]), &last))
    return refuse (error, "failed to parse int from", text);
  if (n_parts > 2)
    return refuse (error, "too many slashes", text);
  if (n_parts == 2) {
    if (!read_number (part[1], strlen (part[1]), &step))
      return refuse (error, "failed to parse int from", text);
    if (n_ends == 1)
      last = bounds[f].max;
    if (step > 1)
      star = 0;
  }
  if (first < bounds[f].min)
    return refuse (error, "beginning of range below minimum", text);
  if (last > bounds[f].max)
    return refuse (error, "end of range above maximum", text);
  if (first > last)
    return refuse (error, "beginning of range beyond end of range", text);
  if (step == 0)
    return refuse (error, "step of range should be a positive number", text);
  for (guint64 v = first; v <= last; v += MIN (step, 64))
    *bits |= G_GUINT64_CONSTANT (1) << v;
  *bits |= star;
  return TRUE;
}

static gboolean
read_field (Field f, const char *text, guint64 *bits, GError **error)
{
  g_auto (GStrv) range = g_strsplit (text, ",", -1);

  for (guint i = 0; range[i] != NULL; i++)
    if (*range[i] != '\0' && !read_range (f, range[i], bits, error)) /* nothing between two commas is nothing */
      return FALSE;
  return TRUE;
}

/* unicode.IsSpace */
static inline gboolean
is_space (gunichar c)
{
  return c == '\v' || c == 0x85 || g_unichar_isspace (c);
}

/* As strings.Fields. (transfer full) */
static GPtrArray *
split (const char *text)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);

  for (const char *p = text; *p != '\0';) {
    const char *start;

    for (; *p != '\0' && is_space (g_utf8_get_char_validated (p, -1)); p = g_utf8_next_char (p))
      ;
    for (start = p; *p != '\0' && !is_space (g_utf8_get_char_validated (p, -1)); p++)
      ;
    if (p > start)
      g_ptr_array_add (words, g_strndup (start, (gsize) (p - start)));
  }
  return words;
}

static gboolean
read_descriptor (WlCronSchedule *s, const char *text, GError **error)
{
  static const struct { const char *name, *fields; } known[] = {
    { "@yearly", "0 0 1 1 *" },  { "@annually", "0 0 1 1 *" }, { "@monthly", "0 0 1 * *" },
    { "@weekly", "0 0 * * 0" },  { "@daily", "0 0 * * *" },    { "@midnight", "0 0 * * *" },
    { "@hourly", "0 * * * *" },
  };
  gint64 ns;

  if (g_str_has_prefix (text, "@every ")) {
    if (!vc_go_duration_parse (text + strlen ("@every "), &ns))
      return refuse (error, "failed to parse duration", text);
    s->every = MAX (ns / NS_PER_SECOND, 1) * G_USEC_PER_SEC;
    return TRUE;
  }
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (known[i].name, text) == 0) {
      g_auto (GStrv) field = g_strsplit (known[i].fields, " ", -1);

      for (guint f = 0; f < N_FIELDS; f++)
        read_field ((Field) f, field[f], &s->field[f], NULL);
      return TRUE;
    }
  return refuse (error, "unrecognized descriptor", text);
}

WlCronSchedule *
wl_cron_schedule_parse (const char *text, GError **error)
{
  g_autoptr (WlCronSchedule) s = g_new0 (WlCronSchedule, 1);
  g_autofree char *zone = NULL, *rest = NULL;

  if (*text == '\0') {
    refuse (error, "empty spec string", text);
    return NULL;
  }
  if (g_str_has_prefix (text, "TZ=") || g_str_has_prefix (text, "CRON_TZ=")) {
    const char *name = strchr (text, '=') + 1, *blank = strchr (text, ' ');

    if (blank == NULL || blank < name) { /* upstream's parser does not live through it */
      refuse (error, "a zone and no schedule", text);
      return NULL;
    }
    zone = g_strndup (name, (gsize) (blank - name));
    text = rest = g_strstrip (g_strdup (blank));
  }
  s->zone = wl_time_zone_load (zone != NULL ? zone : "", error);
  if (s->zone == NULL)
    return NULL;
  if (*text == '@')
    return read_descriptor (s, text, error) ? g_steal_pointer (&s) : NULL;
  g_autoptr (GPtrArray) word = split (text);

  if (word->len != N_FIELDS) {
    refuse (error, "expected exactly 5 fields", text);
    return NULL;
  }
  for (guint f = 0; f < N_FIELDS; f++)
    if (!read_field ((Field) f, word->pdata[f], &s->field[f], error))
      return NULL;
  return g_steal_pointer (&s);
}

void
wl_cron_schedule_free (WlCronSchedule *s)
{
  if (s == NULL)
    return;
  wl_time_zone_free (s->zone);
  g_free (s);
}

/* ---- following ------------------------------------------------------------------------------ */

static inline gboolean
fits (const WlCronSchedule *s, Field f, int value)
{
  return (s->field[f] >> value & 1) != 0;
}

/* A star in one of the two makes them two conditions, else one is enough. */
static gboolean
day_fits (const WlCronSchedule *s, const WlCivil *c)
{
  gboolean month = fits (s, DAY_OF_MONTH, c->day), week = fits (s, DAY_OF_WEEK, c->weekday);

  return ((s->field[DAY_OF_MONTH] | s->field[DAY_OF_WEEK]) & STAR) != 0 ? month && week : month || week;
}

static gboolean
can_fire (const WlCronSchedule *s)
{
  for (guint f = 0; f < N_FIELDS; f++)
    if ((s->field[f] & ~STAR) == 0 && f != DAY_OF_MONTH && f != DAY_OF_WEEK)
      return FALSE; /* a field of commas alone: it would take five years of minutes to see */
  return TRUE;
}

typedef enum { ARRIVED, WRAPPED, STUCK } Move;

/* Whole second @t moves to the first day of a month that fits, then to a day, an hour, a minute: @fresh as long as its smaller parts are
 * those of the time from which the search began. WRAPPED: a larger part has turned over and is to be looked at again. */
static Move
move (const WlCronSchedule *s, gint64 *t, gboolean *fresh)
{
  WlCivil c = wl_civil_at (s->zone, *t);

  while (!fits (s, MONTH, c.month)) {
    *t = *fresh ? wl_civil_to_unix (s->zone, c.year, c.month, 1, 0, 0, 0) : *t;
    *fresh = FALSE;
    c = wl_civil_at (s->zone, *t);
    *t = wl_civil_to_unix (s->zone, c.year, c.month + 1, c.day, c.hour, c.minute, c.second);
    c = wl_civil_at (s->zone, *t);
    if (c.month == 1)
      return WRAPPED;
  }
  while (!day_fits (s, &c)) {
    *t = *fresh ? wl_civil_to_unix (s->zone, c.year, c.month, c.day, 0, 0, 0) : *t;
    *fresh = FALSE;
    c = wl_civil_at (s->zone, *t);
    gint64 before = *t;

    *t = wl_civil_to_unix (s->zone, c.year, c.month, c.day + 1, c.hour, c.minute, c.second);
    c = wl_civil_at (s->zone, *t);
    if (c.hour != 0) { /* there is no midnight, or two of them */
      *t += (c.hour > 12 ? 24 - c.hour : -c.hour) * 3600;
      c = wl_civil_at (s->zone, *t);
    }
    if (c.day == 1)
      return WRAPPED;
    if (*t <= before)
      return STUCK; /* the next day is left out of the calendar (Samoa, 2011): upstream's search does not end */
  }
  while (!fits (s, HOUR, c.hour)) {
    *t = *fresh ? wl_civil_to_unix (s->zone, c.year, c.month, c.day, c.hour, 0, 0) : *t;
    *fresh = FALSE;
    *t += 3600;
    c = wl_civil_at (s->zone, *t);
    if (c.hour == 0)
      return WRAPPED;
  }
  while (!fits (s, MINUTE, c.minute)) {
    if (*fresh)
      *t -= (*t % 60 + 60) % 60;
    *fresh = FALSE;
    *t += 60;
    c = wl_civil_at (s->zone, *t);
    if (c.minute == 0)
      return WRAPPED;
  }
  while (c.second != 0) {
    int rest = 60 - c.second;
    gboolean steady = wl_time_zone_offset (s->zone, *t) == wl_time_zone_offset (s->zone, *t + rest);

    *fresh = FALSE;
    *t += steady ? rest : 1; /* all those seconds in one step, unless the clock changes on the way */
    c = wl_civil_at (s->zone, *t);
    if (c.second == 0)
      return WRAPPED;
  }
  return ARRIVED;
}

gint64
wl_cron_schedule_next (const WlCronSchedule *s, gint64 time)
{
  gint64 second = time / G_USEC_PER_SEC - (time % G_USEC_PER_SEC < 0);
  gboolean fresh = TRUE;

  if (s->every > 0)
    return second * G_USEC_PER_SEC + s->every;
  if (!can_fire (s))
    return WL_CRON_ZERO;
  gint64 t = second + 1, last_year = wl_civil_at (s->zone, t).year + 5;

  while (wl_civil_at (s->zone, t).year <= last_year) {
    Move way = move (s, &t, &fresh);

    if (way == ARRIVED)
      return t * G_USEC_PER_SEC;
    if (way == STUCK)
      break;
  }
  return WL_CRON_ZERO;
}
