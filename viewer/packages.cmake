# cmake -DNPM=npm -P packages.cmake, in the folder of a package.json: installs what its lock file names. Several build
# folders share one node_modules: where it was installed since the lock file changed, of which npm leaves a note,
# nothing is done.
get_filename_component(folder . REALPATH)
set(note ${folder}/node_modules/.package-lock.json)
if(EXISTS ${note} AND ${note} IS_NEWER_THAN ${folder}/package.json AND ${note} IS_NEWER_THAN ${folder}/package-lock.json)
  return()
endif()
execute_process(COMMAND ${NPM} ci --no-audit --no-fund --loglevel=error WORKING_DIRECTORY ${folder} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "npm ci failed in ${folder}")
endif()
