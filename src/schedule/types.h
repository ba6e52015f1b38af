// A schedule is a point in one space (docs/design.md, contract 2). Start here.
//
// Nothing in this folder has threads, atomics or a clock: a decision is a deterministic function (view, state) -> action,
// and the caller owns the state. The runtime asks through a view that may be stale, so that an action is a request
// which can fail and be asked again; the simulator asks through a view that never is.
#pragma once
#include <cstdint>

namespace einkorn::schedule {

enum class Places : uint8_t { core };          // one queue per worker
enum class Order : uint8_t { lifo };           // the owner's end; thieves take from the other
enum class When : uint8_t { created };
enum class Defer : uint8_t { always, adaptive };  // adaptive: run at once what costs more to queue than that can gain
enum class Push : uint8_t { local };
enum class Select : uint8_t { random };
enum class Take : uint8_t { quarter };         // of what may be taken, up to 32; one where the thief waits in a task
enum class Wait : uint8_t { descendants };     // what a thread waiting in an explicit task may run

// Today's values are those of the default preset; the others of the design join with the code that serves them.
struct Schedule {
  const char* name;
  const char* what;  // one line for --help and error messages
  Places places;
  Order order;
  When when;
  Defer defer;
  Push push;
  Select select;
  Take take;
  Wait wait;
};

// The preset of that name, or nullptr. `count` of them stand in `presets()` in the order that messages list them.
const Schedule* find_preset(const char* name);
const Schedule* presets(int* count);

}  // namespace einkorn::schedule
