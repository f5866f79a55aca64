#include "run-data.h"

RpRunData *
rp_run_data_new (const char *dir)
{
  RpRunData *d = g_new0 (RpRunData, 1);

  d->arena = vc_arena_new ();
  d->dir = g_strdup (dir);
  d->text = g_hash_table_new (g_str_hash, g_str_equal);
  d->cycles = g_array_new (FALSE, FALSE, sizeof (RpCycle));
  d->queues = g_array_new (FALSE, FALSE, sizeof (RpQueue));
  d->jobs = g_array_new (FALSE, FALSE, sizeof (RpJob));
  d->tasks = g_array_new (FALSE, FALSE, sizeof (RpTask));
  d->events = g_array_new (FALSE, FALSE, sizeof (RpEvent));
  d->waits = g_array_new (FALSE, FALSE, sizeof (RpWait));
  d->evictions = g_array_new (FALSE, FALSE, sizeof (RpEviction));
  d->quotas = g_array_new (FALSE, FALSE, sizeof (RpQuota));
  d->nodes = g_array_new (FALSE, FALSE, sizeof (RpNode));
  d->recorded = g_array_new (FALSE, FALSE, sizeof (RpRecorded));
  return d;
}

void
rp_run_data_free (RpRunData *d)
{
  if (d == NULL)
    return;
  g_array_unref (d->cycles);
  g_array_unref (d->queues);
  g_array_unref (d->jobs);
  g_array_unref (d->tasks);
  g_array_unref (d->events);
  g_array_unref (d->waits);
  g_array_unref (d->evictions);
  g_array_unref (d->quotas);
  g_array_unref (d->nodes);
  g_array_unref (d->recorded);
  g_hash_table_unref (d->text);
  vc_arena_free (d->arena);
  g_free (d->summary);
  g_free (d->dir);
  g_free (d);
}

const char *
rp_run_data_text (RpRunData *d, const char *text)
{
  char *known = g_hash_table_lookup (d->text, text);

  if (known == NULL) {
    known = vc_arena_strdup (d->arena, text);
    g_hash_table_add (d->text, known);
  }
  return known;
}
