/* sim/interrupt.h - Ctrl-C and its like: long work looks at a flag and ends in good order. */
#pragma once
#include <glib.h>
#include <signal.h>
G_BEGIN_DECLS

/** The flag: 0 as long as nobody interrupts. */
const volatile sig_atomic_t *sim_interrupted (void);
/** From now on SIGINT, SIGTERM and SIGHUP set the flag; a second one ends the program at once. */
void sim_catch_signals (void);

G_END_DECLS
