# Run by CPack on the staged tree of the Debian package: compressed manual pages, copyright and changelogs.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(tree ${CPACK_TEMPORARY_DIRECTORY}/usr)
set(source ${CMAKE_CURRENT_LIST_DIR}/..)

file(STRINGS ${source}/CHANGELOG.md heading REGEX "^## [0-9.]+ \\([0-9-]+\\)" LIMIT_COUNT 1)
string(REGEX MATCH "[0-9]+-[0-9]+-[0-9]+" date "${heading}")
string(SUBSTRING "${date}" 0 4 year)
execute_process(COMMAND date -u -R -d "${date}" OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
set(documents ${tree}/share/doc/ktcc)
file(WRITE ${documents}/changelog.Debian "ktcc (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; \
urgency=medium\n\n  * New upstream release: changelog.gz tells what changed.\n\n \
-- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}\n")
file(READ ${source}/CHANGELOG.md changes)
file(WRITE ${documents}/changelog "${changes}")
file(WRITE ${documents}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ktcc

Files: *
Copyright: ${year} the ktcc authors
License: Apache-2.0
 On Debian systems the complete text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
file(REMOVE ${tree}/share/ktcc/LICENSE)
file(GLOB pages ${tree}/share/man/man1/*.1)
execute_process(COMMAND gzip -9n ${pages} ${documents}/changelog ${documents}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
