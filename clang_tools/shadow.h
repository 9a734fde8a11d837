/*
 * With a sanitizer's shadow there is no limit on address space, and libclang's threads have separate signal stacks.
 */
#ifndef KT_CLANG_SHADOW_H
#define KT_CLANG_SHADOW_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KT_HAS_SHADOW
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define KT_HAS_SHADOW
#endif

#endif
