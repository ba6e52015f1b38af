// The functions that a library from before there were clusters has: it runs procedures at once.
struct ek_self { void *frame; };
struct ek_proc { const char *name, *file; int (*run)(struct ek_self *self); };

int ek_on(void) { return 1; }
void ek_invoke(struct ek_self *self, const struct ek_proc *proc, const void *frame) {
  struct ek_self its = {(void *)frame};
  (void)self;
  proc->run(&its);
}
