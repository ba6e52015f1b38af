// What the compiler knows of a C file, without the compiler that read it: functions, directives and their clauses as
// ranges of the text, variables with their uses. read.h fills these; all else works on them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::compiler {

// Bytes [begin, end) of the file.
struct Range {
  uint32_t begin = 0, end = 0;
  bool has(uint32_t at) const { return at >= begin && at < end; }
  bool has(const Range& r) const { return r.begin >= begin && r.end <= end; }
  bool empty() const { return begin >= end; }
};

// A loop. counts: it ends by itself; others may go on until another thread has done something.
struct Repeated : Range {
  bool counts = false;
};

// How something of a type is declared: '@' stands where the name goes.
struct Type {
  enum Kind : uint8_t { integer, floating, pointer, complex, array, aggregate, other };
  Kind kind = other;
  std::string text;         // "int @[10]"
  std::string plain;        // the same without const
  std::string constant;     // the same with const
  std::string to;           // a pointer to one: "int (*@)[10]"
  std::string element;      // arrays: a pointer to an element, "int *@"
  std::string base;         // arrays: what is no array any more, "int @"; pointers: what they point to
  std::string least, most;  // integers and floats: the values that max and min begin with
  bool is_const = false, is_volatile = false;
  bool varies = false;  // a variable length array is in it
  // Of such a one, if that is an array, or a pointer to one, and an object of it tells its lengths:
  std::string sized{};                 // "double (*@)[#0]", '#0' standing where the first length goes that varies
  std::vector<std::string> lengths{};  // expressions: "sizeof(@[0]) / sizeof(@[0][0])"
  std::string flat{};                  // a pointer to what is no array any more: "double *@"
  bool over_aligned = false;           // to more than 16 bytes
  bool local = false;                  // it names a type that the function declares, or one without a name
  bool holds_const = false;  // a struct or union, or an array of them, with a const member at any depth: not assignable
  uint64_t bytes = 0;        // 0: not known
};

struct Variable {
  std::string name;
  Type type;
  Range scope;        // of the function's own: where the name may be used; empty: file scope
  Range block;        // the block that declares it: its lifetime, from which a goto may lead back to before its scope
  Range declaration;  // the statement that declares it, parameters and file scope: empty
  uint32_t at = 0;    // of the name in its declaration
  uint32_t line = 0;
  uint16_t beside = 0;         // declared by the same statement, itself included
  bool file_scope = false;     // or extern in the function
  bool is_static = false;      // of the function's own, and static
  bool is_register = false;    // declared so: it has no address
  bool thread_local_ = false;  // threadprivate, too
  bool in_macro = false;       // a macro declares it
  bool in_for = false;         // in a for's first part
  bool has_init = false;
  bool is_zeroed = false;      // of a declaration: by a list of nothing but zeros
  bool is_listed = false;      // of a declaration: by a list or a string, which initialise and cannot be assigned
  Range init;                  // of a declaration: the initializer; empty: a macro cuts it
  bool address_taken = false;  // anywhere in the function
};

// What an expression does with the object that it names. `read` is what has to be shown: the walk says it only of an
// object whose value is loaded (clang's LValueToRValue) and `element` only of an array that is subscripted on the spot.
// Whatever the walk does not know is `address`: from there on the object may be read and written anywhere.
struct Use {
  enum How : uint8_t {
    read,
    element,  // of an array: one of its elements is read or written, and no pointer to it is left
    decays,   // of an array: it becomes a pointer
    whole,    // sizeof and the like, which evaluate nothing
    clause,
    write,
    address
  };  // the larger, the worse
  uint32_t at = 0;
  int variable = -1;
  How how = read;
  bool in_macro = false;  // a macro's body names it; at: where the macro is used
};

// Would a pointer to its first element do instead of the array?
inline bool names_elements(const Use& u) { return u.how == Use::element || u.how == Use::decays; }

// An item of a reduction that is not a number with one of OpenMP's own operations.
struct Reduced {
  bool plain = true;           // it is one
  bool by_user = false;        // declare reduction: with omp_out and omp_in,
  Range combiner, initial;     // omp_priv and omp_orig; initial: empty, zero
  bool initial_calls = false;  // it is a call, and no value
  bool section = false;        // x[lower:length]; lower: empty, 0
  Range lower, length;
};

struct Clause {
  enum Kind : uint8_t {
    if_,
    num_threads,
    default_,
    shared,
    private_,
    firstprivate,
    lastprivate,
    conditional,  // lastprivate of the last iteration that assigns
    reduction,
    inscan,          // a reduction of which each iteration gets what there is so far
    task_reduction,  // of a taskgroup,
    in_reduction,    // in which that task takes part
    copyprivate,
    schedule,
    collapse,
    nowait,
    filter,
    linear,
    copyin,
    proc_bind,
    ordered,
    simd,  // of a loop's simd alone
    hint,  // may be left out
    other
  };
  Kind kind = other;
  std::string name;  // as OpenMP calls it
  Range text;        // with its parentheses
  Range argument;    // an expression, where it has one; linear: the step
  std::vector<int> variables;
  std::vector<Reduced> reduced;  // of the variables of a reduction
  std::string op;  // reduction: + * & | ^ && || max min; schedule: static, dynamic ...; default: none, shared
  int number = 0;  // collapse, ordered; schedule: it has a size of chunks; reduction: of tasks, too
};

// for (first; i < bound; step)
struct Loop {
  Range header;  // between the parentheses
  Range body;
  int variable = -1;
  bool declares = false;              // for (int i = ...
  Range first, bound, step;           // expressions; step: empty if it is 1
  bool up = true, inclusive = false;  // < or <=, > or >=
  bool negated = false;               // i += step where the loop goes down: what is added is negative
  bool plain = false;                 // all of this was understood
  bool by_pointer = false;
};

struct Directive {
  enum Kind : uint8_t {
    parallel,
    parallel_for,
    parallel_sections,
    for_,
    sections,
    single,
    master,
    masked,
    barrier,
    kept,
    function,  // none of the program's: the body of one that becomes a procedure, and its first
    invoke,    // a task that is a call of a procedure
    taskwait   // where a procedure gives way
  };
  Kind kind = kept;
  std::string name;  // "parallel for"
  uint32_t line = 0;
  Range pragma;     // from '#' to the end of its line
  Range statement;  // what it stands before, without it; empty: nothing
  std::vector<Clause> clauses;
  Loop loop;
  std::vector<Loop> inner;  // what is collapsed with it, as far as nothing stands between
  int parent = -1;          // the directive around it
  bool in_list = false;     // stands in a compound statement, not as the only statement of an if or a loop:
  Range list;               // in that one
  bool simd = false, nowait = false;
  bool teams = false;             // a parallel for in teams, of which one will do
  bool primary = false;           // a parallel or taskloop with the code of one thread: master, masked
  bool task = false;              // a task's kind: made here, and run later
  std::vector<int> firstprivate;  // a task's: those that nobody wrote down
  std::vector<int> counters;      // of its loops: private
  int call = -1;                  // invoke: of Function::calls
};

// Where, and why it cannot be translated (or only on threads of its own, or only without sync points).
struct Note {
  // macro: never, as the text is now. looks: pins in a loop that may wait. calls: pins, and may make tasks that nobody
  // waits for. binds: what stands before a sync point and what stands behind it may have to be on the same thread.
  // label: takes the address of the one in `range`, which has to be in the region, too. team: it may ask how many
  // threads there are, or for a region's level.
  enum Kind : uint8_t { never, macro, pins, looks, calls, no_sync, binds, label, team };
  Kind kind;
  uint32_t at;
  std::string why;
  Range range;  // no_sync: no sync point in here
};

// f(x);  v = f(x);  T v = f(x);  return f(x);
struct Call {
  enum Form : uint8_t { plain, assigns, declares, returns };
  Form form = plain;
  std::string callee;
  uint32_t at = 0;               // of its name
  Range whole;                   // the statement
  Range target;                  // assigns: v
  int variable = -1;             // that has the value, or of which a part has it; -1: behind a pointer, or nobody
  std::vector<Range> arguments;  // expressions
  bool pure = false;             // these change nothing,
  bool calls_nothing = true;     // nor do they call anything, be it that it changes nothing
  bool keeps_value = false;      // or there is none
  bool is_called = false;        // as a procedure, by an instance that is one with it
};

struct Return {
  Range whole, value;  // value: an expression, or empty
  bool in_macro = false;
};

// How control goes through a statement.
struct Flow {
  enum Kind : uint8_t {
    plain,      // expressions, declarations
    list,       // one part after the other
    branch,     // one of its parts; may_skip: or none
    loop,       // its part again and again; may_skip: or never
    select,     // a switch: its part from an entry on; may_skip: or none of it
    entry,      // case, default
    label,      // of that name
    jump,       // to the label of that name
    next,       // continue
    out,        // break
    back,       // return
    directive,  // its part is the statement
  };
  Kind kind = plain;
  uint32_t at = 0;                            // where it begins; a directive: its pragma
  bool may_skip = false, is_endless = false;  // endless: a loop that nothing but a jump ends
  std::string name;
  std::vector<Flow> parts;
};

// What a function begins with: `if (condition) return value;`, of which nothing changes or calls anything. Empty: with
// something else.
struct EarlyEnd {
  Range condition, value;  // value: empty where the function has none
};

struct Function {
  std::string name;
  std::string file;  // as #line names it
  Range whole, body;
  uint32_t line = 0;      // of whole.begin,
  uint32_t end_line = 0;  // and of whole.end
  std::string why_not;    // nothing of it can be translated
  bool by_macro = false;  // because a macro makes it
  std::vector<Variable> variables;
  std::vector<Use> uses;                 // sorted by `at`
  std::vector<uint32_t> named;           // names of functions, constants and the like: nothing to be done
  std::vector<std::string> types;        // that the function declares: types and constants,
  std::vector<Range> type_scopes;        // and where
  std::vector<std::string> type_values;  // of a constant: its value, if it is an int
  std::vector<std::pair<uint32_t, std::string>> constants_in_macros;  // where a macro names one
  std::vector<Directive> directives;                                  // in the order of the text
  std::vector<Repeated> loops;
  std::vector<Range> taskgraphs;  // what is taken down: OMPX_TASKGRAPH's statements; by hand: all there is
  std::vector<Range> labels;      // names of labels; a goto may lead back to them
  std::vector<std::pair<uint32_t, std::string>> strings;  // that macros make of their arguments (#x), and where
  // What its codelets need as well: the instructions that they may have, what sanitizers leave alone.
  std::string attributes;
  std::string pretty_name;  // clang's __PRETTY_FUNCTION__; empty: it does not name itself, by __func__ or the like
  std::vector<Note> notes;
  std::vector<int> parameters;  // variables
  Type result;                  // its text is empty: void
  bool has_prototype = false;   // and all parameters have names
  std::vector<Call> calls;      // of functions that a file of the program's own defines
  std::vector<Return> returns;
  EarlyEnd early;
  Flow flow;  // of the body
};

// A function that is called and invoked by codelets, as these see it.
struct Procedure {
  std::string name;
  std::vector<std::string> fields;  // of its parameters
  bool has_own = false;             // memory of its own beside the frame
  bool ends_early = false;          // there is a function that says so, and gives the value
};

// What a run is compared by: it is replayed where all of these are what they were when it was taken down.
struct RunValue {
  enum Kind : uint8_t {
    steers,  // of which loops, conditions or addresses are made
    saved,   // of which tasks have copies
    shared   // the address of a variable that tasks share
  };
  Kind kind;
  std::string expression;  // of type int64_t
};

// A list of tasks with depend, loops that count, and conditions (runs.h).
struct TaskRun {
  std::string name;  // FUNCTION_LINE_tasks
  std::string function, file;
  uint32_t line = 0;
  Range statements;  // of one list, or one statement
  int tasks = 0, loops = 0;
  bool repeats = false;  // one loop whose counter nothing in it names: each of its iterations makes the same tasks
  std::vector<RunValue> values;
  // What is against it, each with its line; empty: nothing.
  struct Against {
    std::string what;
    uint32_t line = 0;
  };
  Against beside;    // what is neither a task nor a loop or condition around tasks
  Against steering;  // a loop, condition or address that more than numbers and pointers of the function decide
  Against counter;   // a loop's counter that is needed behind the run, or that a task shares
  Against clause;    // a clause that a replay does not repeat
  Against inside;    // a directive in a task
  Against data;      // of a task, that is not copied as bytes
  Against goes_on;   // what the thread does behind the run before it waits
  std::vector<TaskRun> inner;  // in its loops and conditions
};

// A region in a file that is included, be it a header or a part of the source.
struct Included {
  std::string file, function;
  uint32_t line = 0;
};

struct Unit {
  std::string text;
  bool overwrites_dead = false;      // at each sync point whatever is held for dead gets another value (--check-plan)
  bool has_omp_h = false;            // it is included, somewhere
  bool expanded = false;             // macros that are in the way have been replaced by what they stand for
  std::vector<std::string> macros;   // names that are macros at the end of the file
  std::vector<Range> macro_changes;  // #define and #undef
  std::vector<uint32_t> counters;    // where __COUNTER__ counts
  bool has_timestamp = false;        // it asks when it was changed: __TIMESTAMP__
  std::vector<Function> functions;
  std::vector<Included> included;
  std::vector<TaskRun> runs;
  std::map<std::string, Procedure> procedures;  // by the function's name
};

}  // namespace einkorn::compiler
