/* core/actions/actions.h - what the actions share. */
#pragma once
#include "core/session/search.h"
#include "core/session/session-private.h"
#include "core/session/statement.h"
G_BEGIN_DECLS
extern const VcArgSpec vc_allocate_args[], vc_backfill_args[], vc_enqueue_args[];
extern const VcActionClass vc_action_allocate, vc_action_backfill, vc_action_enqueue;
G_END_DECLS
