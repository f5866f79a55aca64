/* workloads/file-digest.c - see file-digest.h. GLib's SHA-256 takes as long as the whole rest of an import; with the instructions of x86 processors it takes a tenth of that.
 * tests/test-bulk.c compares the two. */
#include "file-digest.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define CHUNK (256 * 1024)
#define BLOCK 64

typedef struct {
  GChecksum *plain; /* NULL: the processor does it */
  guint32 state[8];
  guint64 size;
} Digest;

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

static gboolean
processor_has_it (void)
{
  guint a, b, c, d;

  return __builtin_cpu_supports ("sse4.1") && __get_cpuid_count (7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0;
}

static const guint32 round_constant[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74,
  0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d,
  0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
  0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
  0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* FIPS 180-4, four rounds at a time. */
__attribute__ ((target ("sha,sse4.1"))) static void
add_blocks (guint32 *state, const guint8 *bytes, gsize n_blocks)
{
  const __m128i big_endian = _mm_set_epi64x (0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i abef = _mm_set_epi32 ((int) state[0], (int) state[1], (int) state[4], (int) state[5]);
  __m128i cdgh = _mm_set_epi32 ((int) state[2], (int) state[3], (int) state[6], (int) state[7]);

  for (; n_blocks > 0; n_blocks--, bytes += BLOCK) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4]; /* the last 16 words of the schedule, w[i % 4] the oldest */

    for (guint i = 0; i < 16; i++) {
      __m128i sum;

      if (i < 4) {
        w[i] = _mm_shuffle_epi8 (_mm_loadu_si128 ((const __m128i *) (const void *) (bytes + 16 * i)), big_endian);
      } else {
        __m128i part = _mm_sha256msg1_epu32 (w[i % 4], w[(i + 1) % 4]);

        part = _mm_add_epi32 (part, _mm_alignr_epi8 (w[(i + 3) % 4], w[(i + 2) % 4], 4));
        w[i % 4] = _mm_sha256msg2_epu32 (part, w[(i + 3) % 4]);
      }
      sum = _mm_add_epi32 (w[i % 4], _mm_loadu_si128 ((const __m128i *) (const void *) (round_constant + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32 (cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32 (abef, cdgh, _mm_shuffle_epi32 (sum, 0x0e));
    }
    abef = _mm_add_epi32 (abef, abef_before);
    cdgh = _mm_add_epi32 (cdgh, cdgh_before);
  }
  state[0] = (guint32) _mm_extract_epi32 (abef, 3);
  state[1] = (guint32) _mm_extract_epi32 (abef, 2);
  state[2] = (guint32) _mm_extract_epi32 (cdgh, 3);
  state[3] = (guint32) _mm_extract_epi32 (cdgh, 2);
  state[4] = (guint32) _mm_extract_epi32 (abef, 1);
  state[5] = (guint32) _mm_extract_epi32 (abef, 0);
  state[6] = (guint32) _mm_extract_epi32 (cdgh, 1);
  state[7] = (guint32) _mm_extract_epi32 (cdgh, 0);
}
#else
static gboolean
processor_has_it (void)
{
  return FALSE;
}

static void
add_blocks (guint32 *state, const guint8 *bytes, gsize n_blocks)
{
  g_assert_not_reached ();
}
#endif

static Digest
begin (gboolean plain)
{
  return (Digest){ .plain = plain || !processor_has_it () ? g_checksum_new (G_CHECKSUM_SHA256) : NULL,
                   .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

/* Whole blocks, or the end of it all. */
static void
add (Digest *d, const guint8 *bytes, gsize n)
{
  d->size += n;
  if (d->plain != NULL)
    g_checksum_update (d->plain, bytes, (gssize) n);
  else
    add_blocks (d->state, bytes, n / BLOCK);
}

/* The digest, once all is added; @rest: the bytes behind the last whole block. */
static char *
end (Digest *d, const guint8 *rest)
{
  guint8 last[2 * BLOCK] = { 0 };
  gsize n = d->size % BLOCK, n_blocks = n + 9 <= BLOCK ? 1 : 2;
  guint64 bits = GUINT64_TO_BE (d->size * 8);
  GString *text;

  if (d->plain != NULL) {
    char *digest = g_strdup (g_checksum_get_string (d->plain));

    g_checksum_free (d->plain);
    return digest;
  }
  if (n > 0)
    memcpy (last, rest, n);
  last[n] = 0x80;
  memcpy (last + n_blocks * BLOCK - sizeof bits, &bits, sizeof bits);
  add_blocks (d->state, last, n_blocks);
  text = g_string_sized_new (BLOCK + 1);
  for (guint i = 0; i < G_N_ELEMENTS (d->state); i++)
    g_string_append_printf (text, "%08x", d->state[i]);
  return g_string_free (text, FALSE);
}

char *
wl_digest (const void *bytes, gsize n, gboolean plain)
{
  Digest d = begin (plain);

  add (&d, bytes, n);
  return end (&d, (const guint8 *) bytes + n - n % BLOCK);
}

char *
wl_file_digest (const char *path, guint64 *size)
{
  g_autofree guint8 *buffer = g_malloc (CHUNK);
  int fd = strcmp (path, "-") != 0 ? open (path, O_RDONLY | O_CLOEXEC) : -1;
  Digest d = begin (FALSE);
  gsize have = 0;
  gssize n = fd >= 0 ? 1 : -1;
  char *text;

  while (n > 0) {
    do
      n = read (fd, buffer + have, CHUNK - have);
    while (n < 0 && errno == EINTR);
    have += (gsize) MAX (n, 0);
    if (have == CHUNK || n == 0) {
      add (&d, buffer, have);
      have = n == 0 ? have : 0;
    }
  }
  if (fd >= 0)
    close (fd);
  text = end (&d, buffer + have - d.size % BLOCK);
  if (n < 0)
    *text = '\0';
  if (size != NULL)
    *size = d.size;
  return text;
}
