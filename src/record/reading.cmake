# What of the recorder's code its readers share: the recorder takes it from here, and the Python package, which is built by
# itself, too.
get_filename_component(EINKORN_RECORD_FOLDER ${CMAKE_CURRENT_LIST_DIR} ABSOLUTE)
set(EINKORN_RECORD_READING crc32c.cpp halves.cpp packed.cpp)
list(TRANSFORM EINKORN_RECORD_READING PREPEND ${EINKORN_RECORD_FOLDER}/)
