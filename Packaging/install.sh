#!/bin/sh
# Installs facecrop @VERSION@ from the archive of its release, after a check of the archive's checksum. It needs no root.
#
#   sh install.sh [PREFIX]      PREFIX is ~/.local unless given; FACECROP_URL overrides the folder of the release
#
# An archive beside this script is taken as it is. Otherwise it is downloaded.
set -eu
version=@VERSION@ archive=@ARCHIVE@ sum=@SHA256@
url=${FACECROP_URL:-https://facecrop.invalid/releases/download/v$version}
fail() { echo "install.sh: $1" >&2; exit 1; }

case ${1-} in -*) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 64 ;; esac
[ $# -le 1 ] || fail "there is more than one folder (pass one PREFIX)"
prefix=${1:-${HOME:?}/.local}

architecture=${archive%-linux.tar.xz} architecture=${architecture##*-}
[ "$(uname -s)" = Linux ] || fail "this is $(uname -s), and the archive is for Linux (use the container)"
[ "$(uname -m)" = "$architecture" ] || fail "this is $(uname -m), and the archive is for $architecture (build from source)"
for tool in tar xz sha256sum; do
  command -v "$tool" > /dev/null || fail "there is no $tool (install it with your package manager)"
done
glibc=$(getconf GNU_LIBC_VERSION 2> /dev/null | sed -n 's/^glibc //p')
[ "$(printf '%s\n' 2.36 "${glibc:-0}" | sort -V | head -n 1)" = 2.36 ] ||
  fail "glibc is ${glibc:-missing}, and the archive needs 2.36 (use Debian 12, Ubuntu 24.04 or later, or build from source)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
beside=$(cd "$(dirname "$0")" && pwd)/$archive
if [ -f "$beside" ]; then
  cp "$beside" "$work/$archive"
elif command -v curl > /dev/null; then
  curl --fail --silent --show-error --location --retry 3 --output "$work/$archive" "$url/$archive" ||
    fail "$url/$archive cannot be downloaded (download it yourself, and put it beside this script)"
elif command -v wget > /dev/null; then
  wget --quiet --output-document "$work/$archive" "$url/$archive" ||
    fail "$url/$archive cannot be downloaded (download it yourself, and put it beside this script)"
else
  fail "there is neither curl nor wget (install one, or put $archive beside this script)"
fi
found=$(sha256sum "$work/$archive" | cut -d ' ' -f 1)
[ "$found" = "$sum" ] || fail "$archive has the checksum $found, not $sum (download it again)"

folder=$prefix/lib/facecrop
trap 'rm -rf "$work" "$folder.new"' EXIT
[ ! -e "$folder" ] || [ -x "$folder/bin/facecrop" ] || fail "$folder is no facecrop (move it away)"
# Files of others in the places of the links stay.
link() {
  [ ! -e "$2" ] || [ -L "$2" ] || fail "$2 exists, and is not from this script (move it away)"
  mkdir -p "$(dirname "$2")"
  ln -sfn "$1" "$2"
}
rm -rf "$folder.new"
mkdir -p "$folder.new"
tar --extract --xz --file "$work/$archive" --directory "$folder.new" --strip-components=1 --no-same-owner
"$folder.new/bin/facecrop" --version > "$work/version" || fail "the command does not run here (report it with the line above)"
[ "$(cat "$work/version")" = "$version" ] || fail "the command says it is $(cat "$work/version"), not $version"
for file in bin/facecrop bin/facecrop-shard share/man/man1/facecrop.1 share/man/man1/facecrop-shard.1 \
  share/bash-completion/completions/facecrop share/zsh/site-functions/_facecrop \
  share/fish/vendor_completions.d/facecrop.fish; do
  [ ! -e "$folder.new/$file" ] || link "$folder/$file" "$prefix/$file"
done
rm -rf "$folder"
mv "$folder.new" "$folder"
echo "facecrop $version is in $folder ($prefix/bin/facecrop)"
case :$PATH: in *:"$prefix/bin":*) ;; *) echo "Add $prefix/bin to PATH to run it as facecrop." ;; esac
