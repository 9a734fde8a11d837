/* A template of a header that launches what it is given. */
#pragma once
template <void (*K)(float *, const float *, int)> static void by_type(int n) { K<<<n / 128, 128>>>(nullptr, nullptr, n); }
