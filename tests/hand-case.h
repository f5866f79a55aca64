/* tests/hand-case.h - folders of small runs whose result was derived by hand, in the head of their scenario.yaml.
 *
 * expected-NAME.csv holds columns of the run's NAME.csv; all rows must agree, whatever their order. Of events.csv only those rows
 * count whose event the expectation names. Every run is made again in three ways that must give the same bytes: once more, with every
 * cycle, and without shortcuts. */
#pragma once

/** Check the folder tests/@name. */
void hand_case_check (const char *name);
/** No folder is forgotten: those below tests/@name are @folders (NULL-terminated). */
void hand_case_no_other (const char *name, const char *const *folders);
