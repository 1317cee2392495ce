# What the packaging scripts share; they source it from the top folder.
set -euo pipefail
export LC_ALL=C TZ=UTC
umask 022

# The time that every file of a release carries, in seconds: that of the newest commit, so that the
# same sources make the same bytes at any time.
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
export SOURCE_DATE_EPOCH

# The publisher and home page; the Makefile has their defaults.
: "${MAINTAINER:=$(sed -n 's/^MAINTAINER ?= //p' Makefile)}"
: "${HOMEPAGE:=}"

# release_date FORMAT: the time of the release, as `date` prints it.
release_date() { date --utc --date "@$SOURCE_DATE_EPOCH" "$1"; }

# same_tar FOLDER MEMBER...: a tar of members that depends on their content alone.
same_tar() {
  local folder=$1
  shift
  tar --directory "$folder" --create --format ustar --sort name --mtime "@$SOURCE_DATE_EPOCH" \
    --owner 0 --group 0 --numeric-owner "$@"
}

fail() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  exit 1
}
