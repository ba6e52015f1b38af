// Loaded while a recording runs: its addresses lie in no module that was known at the start.
int plugin_function(int x) { return x + 1; }
