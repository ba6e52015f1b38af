# The runtime's own sources that run on a platform of model/: in the model checker, and on the timed platform (bench/large).
set(EINKORN_MODELLED)
foreach(source loop/batch loop/guided task/blocks task/large_blocks task/cancel task/capture task/taken_order task/dep_table task/depend task/inline task/instance
               loop/doacross settings/icv sync/reduction loop/share loop/spec sync/sleep task/stack task/task task/merged task/loop_ranges team/team
               team/threadprivate team/worker tuned/tuned observe/dependences observe/tool observe/tool_tasks observe/work task/urgent
               sync/barrier sync/wait)
  list(APPEND EINKORN_MODELLED ${CMAKE_SOURCE_DIR}/src/runtime/${source}.cpp)
endforeach()
list(APPEND EINKORN_MODELLED ${CMAKE_SOURCE_DIR}/src/codelet/beside.cpp ${CMAKE_SOURCE_DIR}/src/codelet/graph.cpp ${CMAKE_SOURCE_DIR}/src/codelet/procedure.cpp
     ${CMAKE_SOURCE_DIR}/src/codelet/stretches.cpp ${CMAKE_SOURCE_DIR}/src/flow/thread.cpp)
