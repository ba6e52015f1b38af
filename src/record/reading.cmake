# The part of the recorder's code that readers share. The recorder takes it from here, and so does the Python package,
# which is built by itself.
get_filename_component(EINKORN_RECORD_FOLDER ${CMAKE_CURRENT_LIST_DIR} ABSOLUTE)
set(EINKORN_RECORD_READING crc32c.cpp halves.cpp packed.cpp)
list(TRANSFORM EINKORN_RECORD_READING PREPEND ${EINKORN_RECORD_FOLDER}/)
