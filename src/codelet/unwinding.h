// What leaves a codelet by an exception, or as its thread is ended in it (pthread_exit()), would leave the runtime in
// the middle of something. The library has no exceptions, so it cannot catch this one; but whoever unwinds the stack
// asks each frame's personality routine first (Itanium C++ ABI: Exception Handling, 1.6.2 and 2.5). Those of the
// functions that call codelets are ours: also where a caller further out would catch it, and whatever unwinder the
// program brings. It costs nothing where nothing is thrown.
#pragma once

// In the function from which a codelet is called, beside the call. personality: an extern "C" function of this library.
// 0x1b: the address relative to where it is written down, in four bytes.
#define EK_NOTHING_LEAVES_TO_HERE(personality) asm volatile(".cfi_personality 0x1b, " #personality)

namespace einkorn::codelet {

// What `what` ("codelet 3 of ...") is left by: a message, and what the unwinder is to be told. An exception: that there
// is no way, so that C++ ends the program by std::terminate(), with the exception's type and what(), and a core. The
// end of the thread: the program ends here.
int left(int actions, const char* what);

}  // namespace einkorn::codelet

// The unwinder's further arguments are of no use. They are named in assembly alone: `used` is for the linker's
// optimiser.
extern "C" {
#define EK_PERSONALITY __attribute__((used)) int
EK_PERSONALITY ek_left_graph(int version, int actions);
EK_PERSONALITY ek_left_task(int version, int actions);
EK_PERSONALITY ek_left_region(int version, int actions);
EK_PERSONALITY ek_left_by_hand(int version, int actions);
}
