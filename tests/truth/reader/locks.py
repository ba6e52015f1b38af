"""What a thread (replay.py) does with locks and turns, iterations of doacross loops, and the events of detached tasks."""
from contents import Wait


class Locks:
    def on_mutex_wait(self, payload, words):
        self.stack[-1].blocked = True
        self.lock_wait = self.now

    def on_mutex_acquired(self, payload, words):
        self.stack[-1].blocked = False
        site = self.file.sites[payload]
        lock = self.run.lock(words[0], site)
        lock.acquired += 1
        if self.lock_wait is not None:
            lock.contended += 1
            lock.waited += self.now - self.lock_wait
            if site.construct == "ordered":  # a turn is waited for at a place in the program
                self.run.waits.append(Wait(site, self.lock_wait, self.stack[-1].maker, self.now - self.lock_wait))
            self.lock_wait = None
        self.holding[words[0]] = self.now
        if site.construct == "ordered":
            self.stack[-1].chain.steps.append(("turn",))

    def on_mutex_released(self, payload, words):
        if words[0] in self.holding:
            lock = self.run.locks[words[0]]
            lock.held += self.now - self.holding.pop(words[0])
        if payload:
            self.overhead_until, self.guessed, self.creating = self.after_ticks(payload), False, None

    def on_iteration(self, payload, words):
        self.stack[-1].chain.steps.append(("iteration", payload == 1, words[0]))

    def on_fulfill(self, payload, words):
        self.stack[-1].chain.steps.append(("fulfill", words[0]))
