#include "images.h"
#include "load-private.h"
#include "sim/record/record.h"
#include "sim/world/node-events.h"
#include "workloads/native/images.h"
#include "workloads/text/parse.h"

typedef struct {
  const char *name;
  gint64 size;
  SimTime time;         /* SIM_NO_TIME: by size */
} Image;

typedef struct { guint32 image; SimTime ready; } Pulled;
typedef struct {
  GArray *pulled;       /* Pulled, in the order of the pulls; NULL: none yet */
  SimTime idle;         /* when the kubelet has no pull to do any more */
} NodeImages;

struct SimImages {
  GArray *image;        /* Image */
  GHashTable *rows;     /* name → row + 1 */
  GHashTable *special;  /* image row << 32 | node row, as text → Image: what a node's own row says */
  NodeImages *node;     /* by row of the world */
  guint32 n_nodes;
  GArray *listed;       /* VcImage */
};

static char *
special_key (guint32 image, guint32 node)
{
  return g_strdup_printf ("%u %u", image, node);
}

static Image *
new_image (const WlImage *row, const char *name)
{
  Image *i = g_new (Image, 1);

  *i = (Image){ name, row->size, row->time == WL_TIME_NONE ? SIM_NO_TIME : row->time };
  return i;
}

SimImages *
sim_images_new (const SimWorld *w, const char *file, const GArray *rows, GHashTable *node_rows, GError **error)
{
  SimImages *images = g_new0 (SimImages, 1);

  images->image = g_array_new (FALSE, FALSE, sizeof (Image));
  images->rows = g_hash_table_new (g_str_hash, g_str_equal);
  images->special = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  images->n_nodes = w->n_nodes;
  images->node = g_new0 (NodeImages, MAX (w->n_nodes, 1));
  images->listed = g_array_new (FALSE, FALSE, sizeof (VcImage));
  for (guint i = 0; i < rows->len; i++) {
    const WlImage *row = &g_array_index (rows, WlImage, i);
    guint32 known = GPOINTER_TO_UINT (g_hash_table_lookup (images->rows, row->image));
    guint32 node = row->node != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (node_rows, row->node)) : 0;

    if (row->node != NULL && node == 0) {
      sim_loader_refuse (error, file, row->line, "node of an image, expected a node of this run, found '%s'", row->node);
      sim_images_free (images);
      return NULL;
    }
    const char *name = g_string_chunk_insert_const (w->text, row->image);

    if (known == 0) {
      Image fresh = { name, 0, SIM_NO_TIME };

      g_array_append_val (images->image, fresh);
      known = images->image->len;
      g_hash_table_insert (images->rows, (gpointer) name, GUINT_TO_POINTER (known));
    }
    g_autofree Image *said = new_image (row, name);

    if (row->node == NULL)
      g_array_index (images->image, Image, known - 1) = *said;
    else
      g_hash_table_insert (images->special, special_key (known - 1, node - 1), g_steal_pointer (&said));
  }
  return images;
}

void
sim_images_free (SimImages *images)
{
  if (images == NULL)
    return;
  for (guint32 i = 0; i < images->n_nodes; i++)
    g_clear_pointer (&images->node[i].pulled, g_array_unref);
  g_free (images->node);
  g_array_unref (images->image);
  g_array_unref (images->listed);
  g_hash_table_unref (images->rows);
  g_hash_table_unref (images->special);
  g_free (images);
}

static const Image *
image_on (const SimImages *images, guint32 image, guint32 node)
{
  const Image *special = NULL;

  if (g_hash_table_size (images->special) > 0) {
    g_autofree char *key = special_key (image, node);

    special = g_hash_table_lookup (images->special, key);
  }
  return special != NULL ? special : &g_array_index (images->image, Image, image);
}

static SimTime
pull_time (const SimWorld *w, const Image *i)
{
  if (i->time != SIM_NO_TIME)
    return i->time;
  if (w->model->image_bandwidth <= 0)
    return 0;
  return (SimTime) MIN ((double) i->size / w->model->image_bandwidth * (double) SIM_SECOND + 0.5, (double) WL_TIME_MAX);
}

static SimTime
pull (SimWorld *w, guint32 node, guint32 image)
{
  NodeImages *n = &w->images->node[node];

  if (n->pulled == NULL)
    n->pulled = g_array_new (FALSE, FALSE, sizeof (Pulled));
  for (guint i = 0; i < n->pulled->len; i++)
    if (g_array_index (n->pulled, Pulled, i).image == image)
      return g_array_index (n->pulled, Pulled, i).ready;
  Pulled fresh = { image, sim_time_after (MAX (w->now, n->idle), pull_time (w, image_on (w->images, image, node))) };

  n->idle = fresh.ready;
  g_array_append_val (n->pulled, fresh);
  sim_event_queue_post (w->events, fresh.ready, SIM_RANK_NODE, SIM_EVENT_NODE_IMAGE, node, w->node[node].machine);
  return fresh.ready;
}

SimTime
sim_images_pull (SimWorld *w, guint32 pod)
{
  const SimPod *p = &w->pod[pod];
  const VcPodSpec *spec = &w->role[p->role].shape->spec;
  SimTime ready = w->now;

  for (guint i = 0; w->images != NULL && i < spec->n_containers; i++) {
    const char *name = spec->container[i].image;
    guint32 image = name != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (w->images->rows, name)) : 0;

    if (image > 0)
      ready = MAX (ready, pull (w, p->node, image - 1));
  }
  return ready;
}

gboolean
sim_images_event (SimWorld *w, const SimEvent *ev)
{
  const SimNode *n = &w->node[ev->subject];

  if (n->machine != ev->stamp || !n->present)
    return FALSE;
  sim_node_publish (w, ev->subject);
  return TRUE;
}

void
sim_images_lose (SimWorld *w, guint32 node, gboolean keep)
{
  if (w->images == NULL)
    return;
  NodeImages *n = &w->images->node[node];

  n->idle = 0;
  for (guint i = 0; n->pulled != NULL && i < n->pulled->len;)
    if (!keep || g_array_index (n->pulled, Pulled, i).ready > w->now)
      g_array_remove_index (n->pulled, i);
    else
      i++;
}

const VcImage *
sim_images_of (SimWorld *w, guint32 node, guint *n)
{
  SimImages *images = w->images;

  *n = 0;
  if (images == NULL || images->node[node].pulled == NULL)
    return NULL;
  g_array_set_size (images->listed, 0);
  for (guint i = 0; i < images->node[node].pulled->len; i++) {
    const Pulled *p = &g_array_index (images->node[node].pulled, Pulled, i);
    const Image *known = image_on (images, p->image, node);
    VcImage image = { known->name, known->size };

    if (p->ready <= w->now)
      g_array_append_val (images->listed, image);
  }
  *n = images->listed->len;
  return (const VcImage *) (gpointer) images->listed->data;
}
