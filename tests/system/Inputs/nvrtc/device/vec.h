#pragma once
#include <iostream>

struct Vec3 {
	float x, y, z;
};
__host__ __device__ inline Vec3 operator+(const Vec3 &a, const Vec3 &b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__host__ __device__ inline Vec3 operator*(float s, const Vec3 &a) { return {s * a.x, s * a.y, s * a.z}; }
inline std::ostream &operator<<(std::ostream &out, const Vec3 &v) { return out << v.x << ' ' << v.y << ' ' << v.z; }
inline std::istream &operator>>(std::istream &in, Vec3 &v) { return in >> v.x >> v.y >> v.z; }
