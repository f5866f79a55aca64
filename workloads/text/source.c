/* workloads/text/source.c - see source.h. */
#include "source.h"
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

#define CHUNK (64 * 1024)

struct WlSource {
  int fd;         /* -1: libarchive reads; 0: standard input, or not open yet */
  GConverter *gz; /* NULL: plain bytes */
  guint8 *in;     /* [CHUNK] compressed bytes, for gz */
  gsize in_pos, in_len;
  guint64 in_total; /* compressed bytes read so far */
  gboolean in_end;  /* no more compressed bytes will come */
  gboolean between; /* a gzip member has ended, the next has not begun */
  guint8 ahead[8];  /* read to look at: ahead_pos to n_ahead are still to be given out */
  gsize ahead_pos, n_ahead;
#ifdef HAVE_LIBARCHIVE
  struct archive *archive;
#endif
};

static gssize
read_fd (WlSource *src, void *buf, gsize size, GError **error)
{
  gssize n;

  if (src->ahead_pos < src->n_ahead) {
    n = (gssize) MIN (size, src->n_ahead - src->ahead_pos);
    memcpy (buf, src->ahead + src->ahead_pos, (gsize) n);
    src->ahead_pos += (gsize) n;
    return n;
  }
  do
    n = read (src->fd, buf, size);
  while (n < 0 && errno == EINTR);
  if (n < 0) {
    g_set_error (error, WL_ERROR, WL_ERROR_IO, "cannot read, expected readable data, found: %s",
                 g_strerror (errno));
    return -1;
  }
  return n;
}

static gboolean
damaged (WlSource *src, const char *what, GError **error)
{
  g_set_error (error, WL_ERROR, WL_ERROR_IO,
               "%s, expected an intact gzip file, found %" G_GUINT64_FORMAT " compressed bytes",
               what, src->in_total);
  return FALSE;
}

/* More compressed bytes behind those that are left. */
static gboolean
refill (WlSource *src, GError **error)
{
  gssize n;

  memmove (src->in, src->in + src->in_pos, src->in_len - src->in_pos);
  src->in_len -= src->in_pos;
  src->in_pos = 0;
  if (src->in_len == CHUNK)
    return TRUE;
  n = read_fd (src, src->in + src->in_len, CHUNK - src->in_len, error);
  if (n < 0)
    return FALSE;
  src->in_end = n == 0;
  src->in_len += (gsize) n;
  src->in_total += (guint64) n;
  return TRUE;
}

static gssize
read_gz (WlSource *src, void *buf, gsize size, GError **error)
{
  for (;;) {
    g_autoptr (GError) local = NULL;
    GConverterResult res;
    gsize used = 0, made = 0;

    if (src->in_pos == src->in_len && !src->in_end && !refill (src, error))
      return -1;
    if (src->between) { /* members follow one another; zero bytes may pad the end (tape blocks) */
      while (src->in_pos < src->in_len && src->in[src->in_pos] == 0)
        src->in_pos++;
      if (src->in_pos == src->in_len) {
        if (src->in_end)
          return 0;
        continue;
      }
      g_converter_reset (src->gz);
      src->between = FALSE;
    }
    res = g_converter_convert (src->gz, src->in + src->in_pos, src->in_len - src->in_pos, buf, size,
                               src->in_end ? G_CONVERTER_INPUT_AT_END : G_CONVERTER_NO_FLAGS, &used,
                               &made, &local);
    if (res == G_CONVERTER_ERROR) {
      if (!g_error_matches (local, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT)) {
        damaged (src, "damaged gzip data", error);
        return -1;
      }
      if (src->in_end) {
        damaged (src, "gzip data ends too early", error);
        return -1;
      }
      if (!refill (src, error))
        return -1;
      continue;
    }
    src->in_pos += used;
    src->between = res == G_CONVERTER_FINISHED;
    if (made > 0)
      return (gssize) made;
  }
}

typedef enum { PLAIN, GZIP, ZSTD, XZ, ZIP } Packing;
static const char *const packing_suffix[] = { "", ".gz", ".zst", ".xz", ".zip" };
#ifdef HAVE_LIBARCHIVE
static const char *const packing_name[] = { "plain", "gzip", "zstd", "xz", "zip" };

static gboolean
open_archive (WlSource *src, const char *path, Packing packing, GError **error)
{
  static const int filter[] = { [ZSTD] = ARCHIVE_FILTER_ZSTD, [XZ] = ARCHIVE_FILTER_XZ, [ZIP] = ARCHIVE_FILTER_NONE };
  struct archive_entry *entry;
  struct archive *a = src->archive = archive_read_new ();
  const char *name = packing_name[packing];
  int status;

  if (packing == ZSTD)
    archive_read_support_filter_zstd (a);
  else if (packing == XZ)
    archive_read_support_filter_xz (a);
  if (packing == ZIP) {
    archive_read_support_format_zip (a);
  } else {
    archive_read_support_format_raw (a);
    archive_read_support_format_empty (a);
  }
  status = archive_read_open_filename (a, path, CHUNK);
  do /* folders of a zip hold nothing */
    status = status == ARCHIVE_OK ? archive_read_next_header (a, &entry) : status;
  while (packing == ZIP && status == ARCHIVE_OK && archive_entry_filetype (entry) != AE_IFREG);
  if (status != ARCHIVE_OK || archive_filter_code (a, 0) != filter[packing]) {
    g_set_error (error, WL_ERROR, WL_ERROR_IO,
                 "%s: cannot decompress, expected %s data, found something else", path, name);
    return FALSE;
  }
  return TRUE;
}
#endif

static gboolean
open_compressed (WlSource *src, const char *path, Packing packing, GError **error)
{
#ifdef HAVE_LIBARCHIVE
  return open_archive (src, path, packing, error);
#else
  g_set_error (error, WL_ERROR, WL_ERROR_IO,
               "%s: cannot decompress, expected a plain or .gz file (built without libarchive), "
               "found a %s file",
               path, packing_suffix[packing]);
  return FALSE;
#endif
}

static gboolean
open_file (WlSource *src, const char *path, GError **error)
{
  src->fd = open (path, O_RDONLY | O_CLOEXEC);
  if (src->fd >= 0)
    return TRUE;
  g_set_error (error, WL_ERROR, WL_ERROR_IO, "%s: cannot open, expected a readable file, found: %s", path, g_strerror (errno));
  return FALSE;
}

static gboolean
unpack (WlSource *src, const char *path, Packing packing, GError **error)
{
  if (packing == GZIP) {
    src->gz = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP));
    src->in = g_malloc (CHUNK);
  } else if (packing != PLAIN) { /* libarchive opens it for itself */
    close (src->fd);
    src->fd = -1;
    return open_compressed (src, path, packing, error);
  }
  return TRUE;
}

WlSource *
wl_source_open (const char *path, GError **error)
{
  g_autoptr (WlSource) src = g_new0 (WlSource, 1);
  Packing packing = PLAIN;

  if (strcmp (path, "-") == 0) {
    src->fd = STDIN_FILENO;
    return g_steal_pointer (&src);
  }
  for (guint i = GZIP; i <= XZ; i++)
    if (g_str_has_suffix (path, packing_suffix[i]))
      packing = i;
  return open_file (src, path, error) && unpack (src, path, packing, error) ? g_steal_pointer (&src) : NULL;
}

WlSource *
wl_source_open_any (const char *path, GError **error)
{
  static const struct {
    const char *bytes;
    gsize n;
    Packing packing;
  } magic[] = { { "\x1f\x8b", 2, GZIP }, { "\x28\xb5\x2f\xfd", 4, ZSTD }, { "\xfd" "7zXZ", 5, XZ }, { "PK\x03\x04", 4, ZIP } };
  g_autoptr (WlSource) src = g_new0 (WlSource, 1);
  Packing packing = PLAIN;
  guint8 first[sizeof src->ahead];
  gsize have = 0;

  if (strcmp (path, "-") == 0)
    src->fd = STDIN_FILENO;
  else if (!open_file (src, path, error))
    return NULL;
  for (gssize n = 1; n > 0 && have < sizeof first; have += (gsize) MAX (n, 0)) {
    n = read_fd (src, first + have, sizeof first - have, error);
    if (n < 0) {
      g_prefix_error (error, "%s: ", wl_source_name (path));
      return NULL;
    }
  }
  memcpy (src->ahead, first, have);
  src->n_ahead = have;
  for (guint i = 0; i < G_N_ELEMENTS (magic); i++)
    if (have >= magic[i].n && memcmp (first, magic[i].bytes, magic[i].n) == 0)
      packing = magic[i].packing;
  if (packing > GZIP && src->fd == STDIN_FILENO) {
    g_set_error (error, WL_ERROR, WL_ERROR_IO, "standard input: cannot decompress, expected plain or gzip data, found %s data", packing_suffix[packing] + 1);
    return NULL;
  }
  return unpack (src, path, packing, error) ? g_steal_pointer (&src) : NULL;
}

void
wl_source_free (WlSource *src)
{
  if (src == NULL)
    return;
  if (src->fd > STDIN_FILENO)
    close (src->fd);
  g_clear_object (&src->gz);
  g_free (src->in);
#ifdef HAVE_LIBARCHIVE
  if (src->archive != NULL)
    archive_read_free (src->archive);
#endif
  g_free (src);
}

gssize
wl_source_read (WlSource *src, void *buf, gsize size, GError **error)
{
#ifdef HAVE_LIBARCHIVE
  if (src->archive != NULL) {
    gssize n = archive_read_data (src->archive, buf, size);

    if (n < 0) {
      g_set_error (error, WL_ERROR, WL_ERROR_IO,
                   "damaged compressed data, expected an intact file, found: %s",
                   archive_error_string (src->archive) != NULL ? archive_error_string (src->archive)
                                                               : "an error");
      return -1;
    }
    return n;
  }
#endif
  return src->gz != NULL ? read_gz (src, buf, size, error) : read_fd (src, buf, size, error);
}

const char *
wl_source_name (const char *path)
{
  return strcmp (path, "-") == 0 ? "standard input" : path;
}

char *
wl_read_file (const char *path, gsize limit, gsize *len, GError **error)
{
  g_autoptr (WlSource) src = wl_source_open (path, error);
  g_autoptr (GByteArray) all = NULL;
  g_autofree guint8 *buf = NULL;
  gssize n;

  if (src == NULL)
    return NULL;
  all = g_byte_array_new ();
  buf = g_malloc (CHUNK);
  while ((n = wl_source_read (src, buf, CHUNK, error)) > 0) {
    gsize most = limit > 0 ? limit : G_MAXUINT - CHUNK; /* the array's own limit */

    if (all->len + (gsize) n > most) {
      g_set_error (error, WL_ERROR, WL_ERROR_IO,
                   "%s: file too large, expected at most %" G_GSIZE_FORMAT " bytes, found more",
                   wl_source_name (path), most);
      return NULL;
    }
    g_byte_array_append (all, buf, (guint) n);
  }
  if (n < 0) {
    g_prefix_error (error, "%s: ", wl_source_name (path));
    return NULL;
  }
  if (len != NULL)
    *len = all->len;
  g_byte_array_append (all, (const guint8 *) "", 1);
  return (char *) g_byte_array_free (g_steal_pointer (&all), FALSE);
}
