/* workloads/import/records.h - equal records of a fixed size are kept once, under a number: what makes a million jobs small. */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct WlRecords WlRecords;
/** @size is a multiple of 8; padding of records must be zero. */
WlRecords *wl_records_new (guint size);
void wl_records_free (WlRecords *r);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlRecords, wl_records_free)
/** Number of @record, from 0 in the order of the first additions. */
guint32 wl_records_add (WlRecords *r, const void *record);
/** Borrowed, until the next addition. */
const void *wl_records_get (const WlRecords *r, guint32 id);
guint wl_records_len (const WlRecords *r);

/** strcmp() in line: the few texts that come again and again are short. */
static inline gboolean
wl_same_text (const char *a, const char *b)
{
  while (*a == *b && *a != '\0') {
    a++;
    b++;
  }
  return *a == *b;
}

/* Texts are kept once, too: equal texts are one pointer. */
typedef struct WlTexts WlTexts;
WlTexts *wl_texts_new (void);
void wl_texts_free (WlTexts *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WlTexts, wl_texts_free)
/** NULL and "" give NULL. */
const char *wl_texts_add (WlTexts *t, const char *text);
/** The kept copy of a text that is new; NULL when it is known already. */
const char *wl_texts_add_new (WlTexts *t, const char *text);
/** No text will be added any more: what finds them is given back, the texts stay. */
void wl_texts_seal (WlTexts *t);

G_END_DECLS
