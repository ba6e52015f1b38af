/* Around what einkorn-codelets writes: no warning. The compiler has warned of the program's own text where it stands.
 *
 * clang has one name for all; gcc has none, and so each of its warnings in C stands here: those of gcc 12 by its own
 * list (gcc -Q --help=warnings), and what later versions have added. tests/compiler/warnings.py tells of one that is
 * missing. */
#ifndef EINKORN_GENERATED_H
#define EINKORN_GENERATED_H
#pragma GCC system_header

#define EK_PRAGMA(text) _Pragma(#text)
#define EK_IGNORED(warning) EK_PRAGMA(GCC diagnostic ignored warning)

#ifdef __clang__
#define EK_GENERATED_BEGIN EK_PRAGMA(GCC diagnostic push) EK_IGNORED("-Weverything")
#else
/* clang-format off */
#define EK_GENERATED_BEGIN \
  EK_PRAGMA(GCC diagnostic push) \
  EK_IGNORED("-Wpragmas") EK_IGNORED("-WNSObject-attribute") EK_IGNORED("-Wabi") EK_IGNORED("-Wabsolute-value") \
  EK_IGNORED("-Waddress") EK_IGNORED("-Waddress-of-packed-member") EK_IGNORED("-Waggregate-return") \
  EK_IGNORED("-Waggressive-loop-optimizations") EK_IGNORED("-Walloc-size") EK_IGNORED("-Walloc-size-larger-than=") \
  EK_IGNORED("-Walloc-zero") EK_IGNORED("-Walloca") EK_IGNORED("-Walloca-larger-than=") \
  EK_IGNORED("-Wanalyzer-allocation-size") EK_IGNORED("-Wanalyzer-deref-before-check") \
  EK_IGNORED("-Wanalyzer-double-fclose") EK_IGNORED("-Wanalyzer-double-free") \
  EK_IGNORED("-Wanalyzer-exposure-through-output-file") EK_IGNORED("-Wanalyzer-exposure-through-uninit-copy") \
  EK_IGNORED("-Wanalyzer-fd-access-mode-mismatch") EK_IGNORED("-Wanalyzer-fd-double-close") \
  EK_IGNORED("-Wanalyzer-fd-leak") EK_IGNORED("-Wanalyzer-fd-phase-mismatch") \
  EK_IGNORED("-Wanalyzer-fd-type-mismatch") EK_IGNORED("-Wanalyzer-fd-use-after-close") \
  EK_IGNORED("-Wanalyzer-fd-use-without-check") EK_IGNORED("-Wanalyzer-file-leak") \
  EK_IGNORED("-Wanalyzer-free-of-non-heap") EK_IGNORED("-Wanalyzer-imprecise-fp-arithmetic") \
  EK_IGNORED("-Wanalyzer-infinite-loop") EK_IGNORED("-Wanalyzer-infinite-recursion") \
  EK_IGNORED("-Wanalyzer-jump-through-null") EK_IGNORED("-Wanalyzer-malloc-leak") \
  EK_IGNORED("-Wanalyzer-mismatching-deallocation") EK_IGNORED("-Wanalyzer-null-argument") \
  EK_IGNORED("-Wanalyzer-null-dereference") EK_IGNORED("-Wanalyzer-out-of-bounds") \
  EK_IGNORED("-Wanalyzer-overlapping-buffers") EK_IGNORED("-Wanalyzer-possible-null-argument") \
  EK_IGNORED("-Wanalyzer-possible-null-dereference") EK_IGNORED("-Wanalyzer-putenv-of-auto-var") \
  EK_IGNORED("-Wanalyzer-shift-count-negative") EK_IGNORED("-Wanalyzer-shift-count-overflow") \
  EK_IGNORED("-Wanalyzer-stale-setjmp-buffer") EK_IGNORED("-Wanalyzer-symbol-too-complex") \
  EK_IGNORED("-Wanalyzer-tainted-allocation-size") EK_IGNORED("-Wanalyzer-tainted-array-index") \
  EK_IGNORED("-Wanalyzer-tainted-assertion") EK_IGNORED("-Wanalyzer-tainted-divisor") \
  EK_IGNORED("-Wanalyzer-tainted-offset") EK_IGNORED("-Wanalyzer-tainted-size") \
  EK_IGNORED("-Wanalyzer-too-complex") EK_IGNORED("-Wanalyzer-undefined-behavior-ptrdiff") \
  EK_IGNORED("-Wanalyzer-undefined-behavior-strtok") EK_IGNORED("-Wanalyzer-unsafe-call-within-signal-handler") \
  EK_IGNORED("-Wanalyzer-use-after-free") EK_IGNORED("-Wanalyzer-use-of-pointer-in-stale-stack-frame") \
  EK_IGNORED("-Wanalyzer-use-of-uninitialized-value") EK_IGNORED("-Wanalyzer-va-arg-type-mismatch") \
  EK_IGNORED("-Wanalyzer-va-list-exhausted") EK_IGNORED("-Wanalyzer-va-list-leak") \
  EK_IGNORED("-Wanalyzer-va-list-use-after-va-end") EK_IGNORED("-Wanalyzer-write-to-const") \
  EK_IGNORED("-Wanalyzer-write-to-string-literal") EK_IGNORED("-Warith-conversion") EK_IGNORED("-Warray-bounds") \
  EK_IGNORED("-Warray-bounds=") EK_IGNORED("-Warray-compare") EK_IGNORED("-Warray-parameter") \
  EK_IGNORED("-Warray-parameter=") EK_IGNORED("-Wattribute-alias") EK_IGNORED("-Wattribute-alias=") \
  EK_IGNORED("-Wattribute-warning") EK_IGNORED("-Wattributes") EK_IGNORED("-Wbad-function-cast") \
  EK_IGNORED("-Wbidi-chars") EK_IGNORED("-Wbool-compare") EK_IGNORED("-Wbool-operation") \
  EK_IGNORED("-Wbuiltin-declaration-mismatch") EK_IGNORED("-Wbuiltin-macro-redefined") EK_IGNORED("-Wc++-compat") \
  EK_IGNORED("-Wc11-c23-compat") EK_IGNORED("-Wc11-c2x-compat") EK_IGNORED("-Wc23-c2y-compat") \
  EK_IGNORED("-Wc90-c99-compat") EK_IGNORED("-Wc99-c11-compat") EK_IGNORED("-Wcalloc-transposed-args") \
  EK_IGNORED("-Wcannot-profile") EK_IGNORED("-Wcast-align") EK_IGNORED("-Wcast-align=strict") \
  EK_IGNORED("-Wcast-function-type") EK_IGNORED("-Wcast-qual") EK_IGNORED("-Wchar-subscripts") \
  EK_IGNORED("-Wchkp") EK_IGNORED("-Wclobbered") EK_IGNORED("-Wcomment") EK_IGNORED("-Wcomments") \
  EK_IGNORED("-Wcompare-distinct-pointer-types") EK_IGNORED("-Wcomplain-wrong-lang") EK_IGNORED("-Wconversion") \
  EK_IGNORED("-Wcoverage-invalid-line-number") EK_IGNORED("-Wcoverage-mismatch") EK_IGNORED("-Wcpp") \
  EK_IGNORED("-Wdangling-else") EK_IGNORED("-Wdangling-pointer") EK_IGNORED("-Wdangling-pointer=") \
  EK_IGNORED("-Wdate-time") EK_IGNORED("-Wdeclaration-after-statement") \
  EK_IGNORED("-Wdeclaration-missing-parameter-type") EK_IGNORED("-Wdeprecated") \
  EK_IGNORED("-Wdeprecated-declarations") EK_IGNORED("-Wdeprecated-non-prototype") EK_IGNORED("-Wdesignated-init") \
  EK_IGNORED("-Wdisabled-optimization") EK_IGNORED("-Wdiscarded-array-qualifiers") \
  EK_IGNORED("-Wdiscarded-qualifiers") EK_IGNORED("-Wdiv-by-zero") EK_IGNORED("-Wdouble-promotion") \
  EK_IGNORED("-Wduplicate-decl-specifier") EK_IGNORED("-Wduplicated-branches") EK_IGNORED("-Wduplicated-cond") \
  EK_IGNORED("-Wempty-body") EK_IGNORED("-Wendif-labels") EK_IGNORED("-Wenum-compare") \
  EK_IGNORED("-Wenum-conversion") EK_IGNORED("-Wenum-int-mismatch") \
  EK_IGNORED("-Werror-implicit-function-declaration") EK_IGNORED("-Wexpansion-to-defined") \
  EK_IGNORED("-Wflex-array-member-not-at-end") EK_IGNORED("-Wfloat-conversion") EK_IGNORED("-Wfloat-equal") \
  EK_IGNORED("-Wformat") EK_IGNORED("-Wformat-contains-nul") EK_IGNORED("-Wformat-diag") \
  EK_IGNORED("-Wformat-extra-args") EK_IGNORED("-Wformat-nonliteral") EK_IGNORED("-Wformat-overflow") \
  EK_IGNORED("-Wformat-overflow=") EK_IGNORED("-Wformat-security") EK_IGNORED("-Wformat-signedness") \
  EK_IGNORED("-Wformat-truncation") EK_IGNORED("-Wformat-truncation=") EK_IGNORED("-Wformat-y2k") \
  EK_IGNORED("-Wformat-zero-length") EK_IGNORED("-Wformat=") EK_IGNORED("-Wframe-address") \
  EK_IGNORED("-Wframe-larger-than=") EK_IGNORED("-Wfree-labels") EK_IGNORED("-Wfree-nonheap-object") \
  EK_IGNORED("-Wheader-guard") EK_IGNORED("-Whsa") EK_IGNORED("-Wif-not-aligned") \
  EK_IGNORED("-Wignored-attributes") EK_IGNORED("-Wignored-qualifiers") EK_IGNORED("-Wimplicit") \
  EK_IGNORED("-Wimplicit-fallthrough") EK_IGNORED("-Wimplicit-fallthrough=") \
  EK_IGNORED("-Wimplicit-function-declaration") EK_IGNORED("-Wimplicit-int") \
  EK_IGNORED("-Wincompatible-pointer-types") EK_IGNORED("-Winfinite-recursion") EK_IGNORED("-Winit-self") \
  EK_IGNORED("-Winline") EK_IGNORED("-Wint-conversion") EK_IGNORED("-Wint-in-bool-context") \
  EK_IGNORED("-Wint-to-pointer-cast") EK_IGNORED("-Winterference-size") EK_IGNORED("-Winvalid-memory-model") \
  EK_IGNORED("-Winvalid-pch") EK_IGNORED("-Wjump-misses-init") EK_IGNORED("-Wlarger-than=") \
  EK_IGNORED("-Wleading-whitespace=") EK_IGNORED("-Wlogical-not-parentheses") EK_IGNORED("-Wlogical-op") \
  EK_IGNORED("-Wlong-long") EK_IGNORED("-Wlto-type-mismatch") EK_IGNORED("-Wmain") \
  EK_IGNORED("-Wmaybe-musttail-local-addr") EK_IGNORED("-Wmaybe-uninitialized") EK_IGNORED("-Wmemset-elt-size") \
  EK_IGNORED("-Wmemset-transposed-args") EK_IGNORED("-Wmisleading-indentation") EK_IGNORED("-Wmismatched-dealloc") \
  EK_IGNORED("-Wmissing-attributes") EK_IGNORED("-Wmissing-braces") EK_IGNORED("-Wmissing-declarations") \
  EK_IGNORED("-Wmissing-field-initializers") EK_IGNORED("-Wmissing-format-attribute") \
  EK_IGNORED("-Wmissing-include-dirs") EK_IGNORED("-Wmissing-noreturn") EK_IGNORED("-Wmissing-parameter-name") \
  EK_IGNORED("-Wmissing-parameter-type") EK_IGNORED("-Wmissing-profile") EK_IGNORED("-Wmissing-prototypes") \
  EK_IGNORED("-Wmissing-variable-declarations") EK_IGNORED("-Wmultichar") EK_IGNORED("-Wmultistatement-macros") \
  EK_IGNORED("-Wmusttail-local-addr") EK_IGNORED("-Wnarrowing") EK_IGNORED("-Wnested-externs") \
  EK_IGNORED("-Wnonnull") EK_IGNORED("-Wnonnull-compare") EK_IGNORED("-Wnormalized") \
  EK_IGNORED("-Wnull-dereference") EK_IGNORED("-Wodr") EK_IGNORED("-Wold-style-declaration") \
  EK_IGNORED("-Wold-style-definition") EK_IGNORED("-Wopenacc-parallelism") EK_IGNORED("-Wopenmp-simd") \
  EK_IGNORED("-Woverflow") EK_IGNORED("-Woverlength-strings") EK_IGNORED("-Woverride-init") \
  EK_IGNORED("-Woverride-init-side-effects") EK_IGNORED("-Wpacked") EK_IGNORED("-Wpacked-bitfield-compat") \
  EK_IGNORED("-Wpacked-not-aligned") EK_IGNORED("-Wpadded") EK_IGNORED("-Wparentheses") EK_IGNORED("-Wpedantic") \
  EK_IGNORED("-Wpointer-arith") EK_IGNORED("-Wpointer-compare") EK_IGNORED("-Wpointer-sign") \
  EK_IGNORED("-Wpointer-to-int-cast") EK_IGNORED("-Wprio-ctor-dtor") EK_IGNORED("-Wpsabi") \
  EK_IGNORED("-Wredundant-decls") EK_IGNORED("-Wrestrict") EK_IGNORED("-Wreturn-local-addr") \
  EK_IGNORED("-Wreturn-mismatch") EK_IGNORED("-Wreturn-type") EK_IGNORED("-Wscalar-storage-order") \
  EK_IGNORED("-Wsequence-point") EK_IGNORED("-Wshadow") EK_IGNORED("-Wshadow-compatible-local") \
  EK_IGNORED("-Wshadow-local") EK_IGNORED("-Wshadow=compatible-local") EK_IGNORED("-Wshadow=global") \
  EK_IGNORED("-Wshadow=local") EK_IGNORED("-Wshift-count-negative") EK_IGNORED("-Wshift-count-overflow") \
  EK_IGNORED("-Wshift-negative-value") EK_IGNORED("-Wshift-overflow") EK_IGNORED("-Wshift-overflow=") \
  EK_IGNORED("-Wsign-compare") EK_IGNORED("-Wsign-conversion") EK_IGNORED("-Wsizeof-array-argument") \
  EK_IGNORED("-Wsizeof-array-div") EK_IGNORED("-Wsizeof-pointer-div") EK_IGNORED("-Wsizeof-pointer-memaccess") \
  EK_IGNORED("-Wstack-protector") EK_IGNORED("-Wstack-usage=") EK_IGNORED("-Wstrict-aliasing") \
  EK_IGNORED("-Wstrict-aliasing=") EK_IGNORED("-Wstrict-flex-arrays") EK_IGNORED("-Wstrict-overflow") \
  EK_IGNORED("-Wstrict-overflow=") EK_IGNORED("-Wstrict-prototypes") EK_IGNORED("-Wstring-compare") \
  EK_IGNORED("-Wstringop-overflow") EK_IGNORED("-Wstringop-overflow=") EK_IGNORED("-Wstringop-overread") \
  EK_IGNORED("-Wstringop-truncation") EK_IGNORED("-Wsuggest-attribute=cold") \
  EK_IGNORED("-Wsuggest-attribute=const") EK_IGNORED("-Wsuggest-attribute=format") \
  EK_IGNORED("-Wsuggest-attribute=malloc") EK_IGNORED("-Wsuggest-attribute=noreturn") \
  EK_IGNORED("-Wsuggest-attribute=pure") EK_IGNORED("-Wsuggest-final-methods") EK_IGNORED("-Wsuggest-final-types") \
  EK_IGNORED("-Wswitch") EK_IGNORED("-Wswitch-bool") EK_IGNORED("-Wswitch-default") EK_IGNORED("-Wswitch-enum") \
  EK_IGNORED("-Wswitch-outside-range") EK_IGNORED("-Wswitch-unreachable") EK_IGNORED("-Wsync-nand") \
  EK_IGNORED("-Wtautological-compare") EK_IGNORED("-Wtraditional") EK_IGNORED("-Wtraditional-conversion") \
  EK_IGNORED("-Wtrailing-whitespace") EK_IGNORED("-Wtrailing-whitespace=") EK_IGNORED("-Wtrampolines") \
  EK_IGNORED("-Wtrigraphs") EK_IGNORED("-Wtrivial-auto-var-init") EK_IGNORED("-Wtsan") EK_IGNORED("-Wtype-limits") \
  EK_IGNORED("-Wundef") EK_IGNORED("-Wuninitialized") EK_IGNORED("-Wunknown-pragmas") \
  EK_IGNORED("-Wunreachable-code") EK_IGNORED("-Wunsafe-loop-optimizations") \
  EK_IGNORED("-Wunsuffixed-float-constants") EK_IGNORED("-Wunterminated-string-initialization") \
  EK_IGNORED("-Wunused") EK_IGNORED("-Wunused-but-set-parameter") EK_IGNORED("-Wunused-but-set-variable") \
  EK_IGNORED("-Wunused-const-variable") EK_IGNORED("-Wunused-const-variable=") EK_IGNORED("-Wunused-function") \
  EK_IGNORED("-Wunused-label") EK_IGNORED("-Wunused-local-typedefs") EK_IGNORED("-Wunused-macros") \
  EK_IGNORED("-Wunused-parameter") EK_IGNORED("-Wunused-result") EK_IGNORED("-Wunused-value") \
  EK_IGNORED("-Wunused-variable") EK_IGNORED("-Wuse-after-free") EK_IGNORED("-Wuse-after-free=") \
  EK_IGNORED("-Wvarargs") EK_IGNORED("-Wvariadic-macros") EK_IGNORED("-Wvector-operation-performance") \
  EK_IGNORED("-Wvla") EK_IGNORED("-Wvla-larger-than=") EK_IGNORED("-Wvla-parameter") \
  EK_IGNORED("-Wvolatile-register-var") EK_IGNORED("-Wwrite-strings") EK_IGNORED("-Wxor-used-pow") \
  EK_IGNORED("-Wzero-as-null-pointer-constant") EK_IGNORED("-Wzero-length-bounds")
/* clang-format on */
#endif
#define EK_GENERATED_END EK_PRAGMA(GCC diagnostic pop)

/* For --check-plan: where the next function has its locals nothing is left of what another one had there. */
static __attribute__((__noinline__, __unused__)) void ek_internal_overwrite_stack(void) {
  char ek_bytes[8192];
  __builtin_memset(ek_bytes, 0xa5, sizeof ek_bytes);
  __asm__ volatile("" : : "r"(ek_bytes) : "memory");
}

#endif
