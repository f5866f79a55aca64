/* sim/interrupt.c - see interrupt.h. */
#include "interrupt.h"
#include "workloads/native/folder.h"

/* The one thing that a signal handler can reach. */
static volatile sig_atomic_t interrupted;

static void
on_signal (int number)
{
  interrupted = number;
  wl_folder_interrupt (number);
}

const volatile sig_atomic_t *
sim_interrupted (void)
{
  return &interrupted;
}

void
sim_catch_signals (void)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND }; /* a second one ends the program at once */
  struct sigaction before;

  sigemptyset (&action.sa_mask);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  sigaction (SIGHUP, NULL, &before);
  if (before.sa_handler != SIG_IGN) /* nohup */
    sigaction (SIGHUP, &action, NULL);
}
