/* core/conf/preset.h - policy presets: whole configurations by the name of what they amount to.
 *
 * A preset is the text of a volcano-scheduler.conf, so that it can be saved, changed and given to a real scheduler. Those with plain names consist of Volcano's
 * own actions and plugins; names that begin with x- need some that only volsim has (core/beyond). */
#pragma once
#include <glib.h>
G_BEGIN_DECLS

typedef struct {
  const char *name;
  const char *summary; /* one line */
  const char *text;    /* of the configuration; its head comment tells why it amounts to that */
} VcPreset;
extern const VcPreset vc_presets[]; /* in the order in which they are listed; name NULL ends it */

/** The preset @name; NULL with @error, which gives the nearest names. */
const VcPreset *vc_preset_find (const char *name, GError **error);
/** Does it need what Volcano does not have? */
gboolean vc_preset_is_beyond (const VcPreset *preset);

G_END_DECLS
