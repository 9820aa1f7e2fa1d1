# Fetches one package of the npm registry without npm: checks its SHA-256 and
# unpacks it. NPM_CONFIG_REGISTRY names a mirror, as for npm.
#
#   cmake -DPACKAGE=uplot -DVERSION=1.6.32 -DCHECKSUM=4b8a... -DFOLDER=build/packages/uplot
#     -P cmake/FetchPackage.cmake

cmake_minimum_required(VERSION 3.25)
set(registry $ENV{NPM_CONFIG_REGISTRY})
if(NOT registry)
  set(registry https://registry.npmjs.org)
endif()
string(REGEX REPLACE "/+$" "" registry "${registry}")
string(REGEX REPLACE ".*/" "" name "${PACKAGE}")
cmake_path(ABSOLUTE_PATH FOLDER)
set(tarball ${FOLDER}.tgz)

if(DEFINED ENV{SSL_CERT_FILE})
  set(CMAKE_TLS_CAINFO $ENV{SSL_CERT_FILE})
endif()
file(DOWNLOAD ${registry}/${PACKAGE}/-/${name}-${VERSION}.tgz ${tarball}
  TLS_VERIFY ON TIMEOUT 60 INACTIVITY_TIMEOUT 15 STATUS status)
list(GET status 0 code)
if(NOT code EQUAL 0)
  list(GET status 1 reason)
  file(REMOVE ${tarball})
  message(FATAL_ERROR "The download failed: ${reason}")
endif()
file(SHA256 ${tarball} found)
if(NOT found STREQUAL CHECKSUM)
  file(REMOVE ${tarball})
  message(FATAL_ERROR
    "The SHA-256 of ${PACKAGE} ${VERSION} must be ${CHECKSUM}, got ${found}.")
endif()

# The tarball has one folder, `package`. A half-unpacked one has no checksum.
file(REMOVE_RECURSE ${FOLDER} ${FOLDER}.unpacked)
file(ARCHIVE_EXTRACT INPUT ${tarball} DESTINATION ${FOLDER}.unpacked)
file(RENAME ${FOLDER}.unpacked/package ${FOLDER})
file(WRITE ${FOLDER}/.checksum ${CHECKSUM})
file(REMOVE_RECURSE ${FOLDER}.unpacked ${tarball})
