/* workloads/text/file-digest.c - see file-digest.h. Where nettle is there it computes, with the processor's own instructions for SHA-256: seven times as fast as GLib, which was half the
 * time of a large import. */
#include "file-digest.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_NETTLE
#include <nettle/sha2.h>
#endif

#define CHUNK (256 * 1024)

#ifdef HAVE_NETTLE
typedef struct sha256_ctx Sum;

static void
sum_init (Sum *s)
{
  sha256_init (s);
}

static void
sum_update (Sum *s, const guint8 *bytes, gsize n)
{
  sha256_update (s, n, bytes);
}

static char *
sum_finish (Sum *s)
{
  static const char digits[] = "0123456789abcdef";
  guint8 bytes[SHA256_DIGEST_SIZE];
  char *text = g_malloc (2 * sizeof bytes + 1);

  sha256_digest (s, sizeof bytes, bytes);
  for (guint i = 0; i < sizeof bytes; i++) {
    text[2 * i] = digits[bytes[i] >> 4];
    text[2 * i + 1] = digits[bytes[i] & 15];
  }
  text[2 * sizeof bytes] = '\0';
  return text;
}
#else
typedef GChecksum *Sum;

static void
sum_init (Sum *s)
{
  *s = g_checksum_new (G_CHECKSUM_SHA256);
}

static void
sum_update (Sum *s, const guint8 *bytes, gsize n)
{
  g_checksum_update (*s, bytes, (gssize) n);
}

static char *
sum_finish (Sum *s)
{
  char *text = g_strdup (g_checksum_get_string (*s));

  g_checksum_free (*s);
  return text;
}
#endif

char *
wl_file_digest (const char *path, guint64 *size)
{
  g_autofree guint8 *buffer = g_malloc (CHUNK);
  g_autofree char *text = NULL;
  int fd = strcmp (path, "-") != 0 ? open (path, O_RDONLY | O_CLOEXEC) : -1;
  guint64 total = 0;
  gssize n = -1;
  Sum sum;

  sum_init (&sum);
  if (fd >= 0) {
    do {
      n = read (fd, buffer, CHUNK);
      if (n > 0) {
        sum_update (&sum, buffer, (gsize) n);
        total += (guint64) n;
      }
    } while (n > 0 || (n < 0 && errno == EINTR));
    close (fd);
  }
  text = sum_finish (&sum);
  if (size != NULL)
    *size = total;
  return n == 0 ? g_steal_pointer (&text) : g_strdup ("");
}
