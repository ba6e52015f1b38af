/* Arithmetic that csmith's programs call so that nothing in them is undefined: what overflows wraps, what cannot be
 * divided or shifted stays. */
#define SAFE_OF(type, s, bits, is_signed)                                                                                             \
  static __attribute__((unused)) type safe_unary_minus_func_##type##_##s(type a) { return (type)(0 - (uint64_t)a); }                    \
  static __attribute__((unused)) type safe_add_func_##type##_##s##_##s(type a, type b) { return (type)((uint64_t)a + (uint64_t)b); }    \
  static __attribute__((unused)) type safe_sub_func_##type##_##s##_##s(type a, type b) { return (type)((uint64_t)a - (uint64_t)b); }    \
  static __attribute__((unused)) type safe_mul_func_##type##_##s##_##s(type a, type b) { return (type)((uint64_t)a * (uint64_t)b); }    \
  static __attribute__((unused)) type safe_div_func_##type##_##s##_##s(type a, type b) {                                                \
    return b == 0 || (is_signed && b == (type)-1) ? a : (type)(a / b);                                                                  \
  }                                                                                                                                     \
  static __attribute__((unused)) type safe_mod_func_##type##_##s##_##s(type a, type b) {                                                \
    return b == 0 || (is_signed && b == (type)-1) ? a : (type)(a % b);                                                                  \
  }                                                                                                                                     \
  static __attribute__((unused)) type safe_lshift_func_##type##_##s##_s(type a, int b) {                                                \
    return b < 0 || b >= bits ? a : (type)((uint64_t)a << b);                                                                           \
  }                                                                                                                                     \
  static __attribute__((unused)) type safe_lshift_func_##type##_##s##_u(type a, unsigned b) {                                           \
    return b >= bits ? a : (type)((uint64_t)a << b);                                                                                    \
  }                                                                                                                                     \
  static __attribute__((unused)) type safe_rshift_func_##type##_##s##_s(type a, int b) {                                                \
    return b < 0 || b >= bits || (is_signed && (int64_t)a < 0) ? a : (type)(a >> b);                                                    \
  }                                                                                                                                     \
  static __attribute__((unused)) type safe_rshift_func_##type##_##s##_u(type a, unsigned b) {                                           \
    return b >= bits || (is_signed && (int64_t)a < 0) ? a : (type)(a >> b);                                                             \
  }

SAFE_OF(int8_t, s, 8, 1)
SAFE_OF(int16_t, s, 16, 1)
SAFE_OF(int32_t, s, 32, 1)
SAFE_OF(int64_t, s, 64, 1)
SAFE_OF(uint8_t, u, 8, 0)
SAFE_OF(uint16_t, u, 16, 0)
SAFE_OF(uint32_t, u, 32, 0)
SAFE_OF(uint64_t, u, 64, 0)

static __attribute__((unused)) sum_t mix_bytes(sum_t s, const void *from, size_t bytes) {
  for (const unsigned char *p = from; bytes--; p++) s = mix(s, *p);
  return s;
}

/* What a task does that waits itself: a procedure. */
static __attribute__((unused)) unsigned tree(int depth, unsigned v) {
  if (depth <= 0) return v * 2654435761u >> 7;
  unsigned left = 0, right = 0;
#pragma omp task shared(left)
  left = tree(depth - 1, v + 1);
#pragma omp task shared(right)
  right = tree(depth - 1, v * 3);
#pragma omp taskwait
  return left ^ right * 5;
}
