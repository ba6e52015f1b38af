"""Which method of a thread (replay.py) each kind of record calls, and which kinds belong to the record before them."""
OF_THE_RECORD_BEFORE = (2, 31, 33, 35, 39, 40, 41, 47)
ACTIONS = {2: "on_cpu", 3: "on_cpu_time", 5: "on_region_begin", 6: "on_region_end", 7: "on_implicit_begin",
           8: "on_implicit_end", 9: "on_task_create", 10: "on_task_create_long", 11: "on_task_start",
           12: "on_task_start_other", 13: "on_task_end", 14: "on_wait_begin", 15: "on_wait_end", 16: "on_idle_begin",
           17: "on_idle_end", 18: "on_loop_begin", 19: "on_chunk_begin", 20: "on_chunk_begin_long",
           21: "on_chunk_end", 22: "on_loop_end", 23: "on_mutex_wait", 24: "on_mutex_acquired",
           25: "on_mutex_released", 26: "on_taskgroup_begin", 27: "on_yield", 28: "on_yield_end",
           32: "on_task_suspend", 33: "on_depend", 34: "on_edge", 37: "on_taskloop_begin", 38: "on_taskloop_end",
           42: "on_task_create_brief", 43: "on_task_next", 44: "on_task_start", 45: "on_wait_done",
           48: "on_chunk_next", 4: "on_thread_end", 46: "on_aggregate", 47: "on_subtree", 49: "on_graph_run",
           50: "on_codelet_begin", 51: "on_task_end", 52: "on_stretch", 54: "on_iteration", 55: "on_fulfill"} | dict.fromkeys((29, 31, 35, 39, 40, 41), "on_nothing")
