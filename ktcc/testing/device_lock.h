/*
 * One measurement on a device at a time, across users and processes: locks on a
 * file in /tmp named by the device's UUID (a MIG instance has its private one).
 * Every user may open the file; its content is not used. $XDG_RUNTIME_DIR where
 * /tmp cannot be used. Processes that wait get it in the order in which they
 * asked; one that releases it and asks again is last.
 */
#ifndef KT_TESTING_DEVICE_LOCK_H
#define KT_TESTING_DEVICE_LOCK_H

#include "base/arena.h"

struct kt_device_lock;

/* KT_ERR_INVALID for what is no UUID; KT_ERR_IO where no folder can hold the file. Nothing is held yet. */
kt_status kt_device_lock_open(struct kt_device_lock **out, struct kt_arena *arena, const char *uuid,
                              struct kt_error *err) KT_MUST_CHECK;
/* Waits at most wait_s, with a progress line from the first second on. KT_ERR_BUSY: somebody else still holds it. */
kt_status kt_device_lock_take(struct kt_device_lock *lock, double wait_s, struct kt_error *err) KT_MUST_CHECK;
/* Does another process wait for it? False also where that cannot be told. */
bool kt_device_lock_is_wanted(const struct kt_device_lock *lock);
void kt_device_lock_release(struct kt_device_lock *lock); /* accepts NULL */
void kt_device_lock_close(struct kt_device_lock *lock);   /* accepts NULL */
const char *kt_device_lock_path(const struct kt_device_lock *lock);

#endif
