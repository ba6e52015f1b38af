// What leaves a codelet by an exception, or as its thread is ended in it (pthread_exit()), would leave the runtime in
// the middle of something. The library has no exceptions, so it cannot catch this one; but whoever unwinds the stack
// asks each frame's personality routine first. Those of the functions that call codelets are ours, and end the program
// with a message: also where a caller further out would catch it, and whatever unwinder the program brings. It costs
// nothing where nothing is thrown.
#pragma once

// In the function from which a codelet is called, beside the call. personality: an extern "C" function of this library.
// 0x1b: the address relative to where it is written down, in four bytes.
#define EK_NOTHING_LEAVES_TO_HERE(personality) asm volatile(".cfi_personality 0x1b, " #personality)

extern "C" {
// The unwinder's arguments are of no use: what was running is known.
int ek_left_graph(), ek_left_task(), ek_left_region(), ek_left_by_hand();
}
