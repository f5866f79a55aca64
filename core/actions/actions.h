/* core/actions/actions.h - what the actions share. */
#pragma once
#include "core/session/search.h"
#include "core/session/session-private.h"
#include "core/session/statement.h"
G_BEGIN_DECLS
extern const VcArgSpec vc_allocate_args[], vc_backfill_args[], vc_enqueue_args[], vc_gangpreempt_args[], vc_gangreclaim_args[], vc_preempt_args[],
  vc_reclaim_args[], vc_shuffle_args[];
extern const VcActionClass vc_action_allocate, vc_action_backfill, vc_action_enqueue, vc_action_gangpreempt, vc_action_gangreclaim, vc_action_preempt,
  vc_action_reclaim, vc_action_shuffle;
G_END_DECLS
