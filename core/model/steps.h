/* core/model/steps.h - who wants to follow a job through the engine: each function of Volcano's chain that did something about it, by its upstream name.
 *
 * Nobody listens as a rule; then a step costs one comparison, and no text is made. Steps never decide anything. */
#pragma once
#include "cluster.h"
G_BEGIN_DECLS

/** Tell the listener: @function (static) did @format to @job, and @task of it when not VC_NONE. @job VC_NONE: it concerns the session as a whole. */
#define vc_step(c, function, job, task, ...)                                                                                               \
  G_STMT_START                                                                                                                             \
  {                                                                                                                                        \
    if (G_UNLIKELY ((c)->listener.step != NULL))                                                                                           \
      vc_step_tell ((c), (function), (job), (task), __VA_ARGS__);                                                                          \
  }                                                                                                                                        \
  G_STMT_END

/** @text, or "-" for an empty one. */
static inline const char *
vc_step_text (const char *text)
{
  return text != NULL && *text != '\0' ? text : "-";
}

void vc_step_tell (VcCluster *c, const char *function, guint32 job, guint32 task, const char *format, ...) G_GNUC_PRINTF (5, 6);

G_END_DECLS
