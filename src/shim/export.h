/* How symbols leave this shared object, or do not. */
#ifndef IL_SHIM_EXPORT_H
#define IL_SHIM_EXPORT_H

#define EXPORT   __attribute__((visibility("default")))
#define HIDDEN   __attribute__((visibility("hidden")))
#define NOINLINE __attribute__((noinline))

#endif
