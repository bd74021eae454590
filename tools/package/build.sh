#!/usr/bin/env bash
# Makes the packages of a built program: ./dev package. See usage().
set -euo pipefail

usage() {
  cat <<'TEXT'
build.sh BUILD_FOLDER OUTPUT_FOLDER [deb|tarball]

writes into OUTPUT_FOLDER, all or one of them, from what was built with the release preset, the target sda_portable included:

  sda_VERSION_ARCHITECTURE.deb          program, man pages, completion, headers, CMake package
  sda-VERSION-linux-MACHINE.tar.gz      program and the libraries that it uses, all but glibc
  Dockerfile                            an image of the .deb: docker build OUTPUT_FOLDER

The same build gives the same bytes: files have the time of the last commit, or $SOURCE_DATE_EPOCH.
TEXT
}

what=${3:-all}
(($# >= 2 && $# <= 3)) && [[ $what =~ ^(all|deb|tarball)$ ]] || { usage >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(realpath "$1")
mkdir -p "$2"
output=$(realpath "$2")
version=$(sed -n 's/^project(sda VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
architecture=$(dpkg --print-architecture)
maintainer=$(sed -n 's/^ -- \(.*>\)  .*/\1/p' "$here/changelog" | head -n 1)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null ||
  date +%s -d "$(sed -n 's/^ -- .*>  //p' "$here/changelog" | head -n 1)")}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# compress FILE...: the same bytes at any time.
compress() { gzip -9 -n "$@"; }

# share FOLDER: what both packages have below share/. Man pages and completion come from the program.
share() {
  local doc=$1/doc/sda
  mkdir -p "$doc"
  cp "$root/README.md" "$root/SECURITY.md" "$doc"
  cp -r "$root/docs" "$doc/docs"
  if ! "$build/bin/sda" completion bash >/dev/null 2>&1; then return; fi
  mkdir -p "$1/man/man1" "$1/bash-completion/completions" "$1/zsh/vendor-completions" \
    "$1/fish/vendor_completions.d"
  "$build/bin/sda" help --man "$1/man/man1"
  compress "$1"/man/man1/*.1
  "$build/bin/sda" completion bash >"$1/bash-completion/completions/sda"
  "$build/bin/sda" completion zsh >"$1/zsh/vendor-completions/_sda"
  "$build/bin/sda" completion fish >"$1/fish/vendor_completions.d/sda.fish"
}

# The packages that a program needs, with their versions, as dpkg-shlibdeps finds them.
depends() (
  mkdir -p "$work/shlibs/debian"
  cd "$work/shlibs"
  printf 'Source: sda\nMaintainer: %s\n\nPackage: sda\nArchitecture: any\n' "$maintainer" >debian/control
  dpkg-shlibdeps -O "$1" | sed -n 's/^shlibs:Depends=//p'
)

make_deb() {
  local tree=$work/deb doc
  cmake --install "$build" --component sda --strip --prefix "$tree/usr" >/dev/null
  # Debugging symbols of the library are of no use without its sources.
  strip --strip-debug --enable-deterministic-archives "$tree/usr/lib/libsda.a"
  share "$tree/usr/share"
  doc=$tree/usr/share/doc/sda
  cp "$here/copyright" "$doc/copyright"
  cp "$here/changelog" "$doc/changelog"
  compress "$doc/changelog"
  find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  mkdir "$tree/DEBIAN"
  (cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
  sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@MAINTAINER@/$maintainer/" \
    -e "s/@DEPENDS@/$(depends "$tree/usr/bin/sda")/" \
    -e "s/@SIZE@/$(du -sk --apparent-size "$tree/usr" | cut -f 1)/" "$here/control.in" >"$tree/DEBIAN/control"
  dpkg-deb --root-owner-group -Zxz --build "$tree" "$output/sda_${version}_$architecture.deb" >/dev/null
}

# Whether every Linux system with glibc has this library: it is glibc's own.
is_glibc() {
  case $1 in
    linux-vdso.so* | ld-linux*.so* | libc.so.6 | libm.so.6 | libpthread.so.0 | libdl.so.2 | librt.so.1 | libresolv.so.2) true ;;
    *) false ;;
  esac
}

# The package that has a file; some still have it under the name from before /lib was /usr/lib.
package_of() {
  { dpkg-query -S "$1" 2>/dev/null || dpkg-query -S "${1#/usr}"; } | head -n 1 | cut -d: -f 1
}

# Copies the libraries of a program, and the licences of their packages.
bundle() {
  local program=$1 libraries=$2 licenses=$3 name path package
  mkdir -p "$libraries" "$licenses"
  while read -r name _ path _; do
    if is_glibc "$(basename "$name")"; then continue; fi
    [[ -e $path ]] || { echo "package: $program needs $name, which is not here" >&2; return 1; }
    cp -L "$path" "$libraries/$name"
    package=$(package_of "$(realpath "$path")")
    cp -L "/usr/share/doc/$package/copyright" "$licenses/$package"
  done < <(ldd "$program")
}

# The newest version of glibc that these files need.
newest_glibc() { objdump -T "$@" 2>/dev/null | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -n 1 | cut -d_ -f 2; }

make_tarball() {
  local name=sda-$version-linux-$(uname -m) tree doc
  tree=$work/$name
  mkdir -p "$tree/bin"
  strip -o "$tree/bin/sda" "$build/bin/sda_portable"
  share "$tree/share"
  doc=$tree/share/doc/sda
  cp "$root/LICENSE" "$doc"
  bundle "$tree/bin/sda" "$tree/lib/sda" "$doc/licenses"
  sed -e "s/@VERSION@/$version/" -e "s/@GLIBC@/$(newest_glibc "$tree/bin/sda" "$tree"/lib/sda/*)/" \
    "$here/INSTALL.in" >"$tree/INSTALL"
  chmod -R u=rwX,go=rX "$tree"
  tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --format=gnu -cf - "$name" | gzip -n >"$output/$name.tar.gz"
}

if [[ $what != tarball ]]; then
  make_deb
  cp "$here/Dockerfile" "$output/Dockerfile"
fi
if [[ $what != deb ]]; then make_tarball; fi
find "$output" -maxdepth 1 -type f | LC_ALL=C sort
