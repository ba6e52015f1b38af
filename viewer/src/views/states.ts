// Where a thread's time goes, in words. The colours are in style.css.
export const kStates: { name: string; label: string; why: string }[] = [
  { name: "work", label: "work", why: "User code: tasks, chunks and shares, critical sections included." },
  {
    name: "overhead",
    label: "overhead",
    why: "Runtime code: creating, queueing, fetching and joining tasks and chunks.",
  },
  { name: "idle", label: "idle", why: "Looking for work and finding none." },
  { name: "blocked", label: "blocked", why: "Waiting for a critical section, a lock or an ordered section." },
  { name: "serial", label: "serial", why: "Outside of all parallel regions." },
  { name: "offcpu", label: "off CPU", why: "The operating system ran something else on the CPU." },
  { name: "recorder", label: "recorder", why: "The recording itself." },
  { name: "unattributed", label: "unattributed", why: "Could not be attributed to any state." },
];
