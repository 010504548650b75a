# libzip without encryption, bzip2 and xz. Its own build tests the C library by linking programs; what wasi-libc and glibc have is
# set here.
set(libzip "${sources}/libzip/lib")
set(generated "${CMAKE_CURRENT_BINARY_DIR}/libzip")
file(STRINGS "${libzip}/../CMakeLists.txt" libzip_VERSION REGEX "^ +VERSION [0-9.]+$" LIMIT_COUNT 1)
string(REGEX MATCH "[0-9]+[.][0-9]+[.][0-9]+" libzip_VERSION "${libzip_VERSION}")
string(REPLACE "." ";" parts "${libzip_VERSION}")
list(GET parts 0 libzip_VERSION_MAJOR)
list(GET parts 1 libzip_VERSION_MINOR)
list(GET parts 2 libzip_VERSION_PATCH)
set(ZIP_STATIC ON)
set(LIBZIP_TYPES_INCLUDE "#include <stdint.h>")
set(ZIP_NULLABLE_DEFINES "#define _Nullable\n#define _Nonnull")
foreach(bits IN ITEMS 8 16 32 64)
  set(ZIP_INT${bits}_T int${bits}_t)
  set(ZIP_UINT${bits}_T uint${bits}_t)
endforeach()
foreach(name IN ITEMS FILENO FSEEKO FTELLO LOCALTIME_R SNPRINTF STRCASECMP STRDUP STRTOLL STRTOULL STDBOOL_H STRINGS_H UNISTD_H DIRENT_H)
  set(HAVE_${name} ON)
endforeach()
set(SIZEOF_OFF_T 8)
set(SIZEOF_SIZE_T ${CMAKE_SIZEOF_VOID_P})
configure_file("${libzip}/../cmake-config.h.in" "${generated}/config.h")
configure_file("${libzip}/../cmake-zipconf.h.in" "${generated}/zipconf.h")

# The texts of its errors, from the comments of zip.h.
file(STRINGS "${libzip}/zip.h" errors REGEX "^#define ZIP_ER_[A-Z_]+ +[0-9]+ +/[*] [NSZ] ")
set(texts "")
set(types "")
foreach(error IN LISTS errors)
  string(REGEX MATCH "/[*] ([NSZ]) ([^*]*[^* ]) *[*]/" match "${error}")
  string(APPEND types "  ZIP_ET_${CMAKE_MATCH_1},\n")
  string(APPEND texts "  \"${CMAKE_MATCH_2}\",\n")
endforeach()
file(CONFIGURE OUTPUT "${generated}/zip_err_str.c" @ONLY CONTENT "#include \"zipint.h\"
#define ZIP_ET_N ZIP_ET_NONE
#define ZIP_ET_S ZIP_ET_SYS
#define ZIP_ET_Z ZIP_ET_ZLIB
const char* const _zip_err_str[] = {
${texts}};
const int _zip_nerr_str = sizeof(_zip_err_str) / sizeof(_zip_err_str[0]);
const int _zip_err_type[] = {
${types}};
")

file(GLOB libzip_sources "${libzip}/zip_*.c")
list(FILTER libzip_sources EXCLUDE REGEX "win32|uwp|crypto_|winzip_aes|bzip2|_xz|fdopen")
if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
  list(FILTER libzip_sources EXCLUDE REGEX "mkstempm|random_")
  list(APPEND libzip_sources wasi/libzip/system.c)
endif()
static_library(zip ${libzip_sources} "${generated}/zip_err_str.c")
target_include_directories(zip PRIVATE "${generated}" "${libzip}" "${sources}/zlib")
set_target_properties(zip PROPERTIES UNITY_BUILD OFF)
install(FILES "${libzip}/zip.h" "${generated}/zipconf.h" DESTINATION include)
