/* workloads/text/file-digest.c - see file-digest.h. */
#include "file-digest.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define CHUNK (256 * 1024)

char *
wl_file_digest (const char *path, guint64 *size)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guint8 *buffer = g_malloc (CHUNK);
  int fd = strcmp (path, "-") != 0 ? open (path, O_RDONLY | O_CLOEXEC) : -1;
  guint64 total = 0;
  gssize n = -1;

  if (fd >= 0) {
    do {
      n = read (fd, buffer, CHUNK);
      if (n > 0) {
        g_checksum_update (sum, buffer, n);
        total += (guint64) n;
      }
    } while (n > 0 || (n < 0 && errno == EINTR));
    close (fd);
  }
  if (size != NULL)
    *size = total;
  return g_strdup (n == 0 ? g_checksum_get_string (sum) : "");
}
