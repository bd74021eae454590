# The packages of ./dev package: what is in them is right, it installs, and it runs.
source "$(dirname "$0")/common.sh" "$1"
root=$2
build=$(dirname "$(dirname "$sda")")
for tool in dpkg-deb dpkg-shlibdeps lintian readelf; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool; ./dev check installs it"; exit 77; }
done

cmake --build "$build" --target sda_portable >out 2>&1 || fail "sda_portable: $(tail -n 20 out)"
"$root/tools/package/build.sh" "$build" packages >out 2>err || fail "build.sh: $(cat err)"
version=$("$sda" --version | cut -d ' ' -f 2)
deb=$(echo packages/sda_"$version"_*.deb)
tarball=$(echo packages/sda-"$version"-linux-*.tar.gz)
[[ -s $deb && -s $tarball && -s packages/Dockerfile ]] || fail "not all packages: $(cat out)"
expect_match "$root/tools/package/changelog" "^sda \\($version\\) "

# Built again, it is the same.
"$root/tools/package/build.sh" "$build" again >out 2>err || fail "build.sh: $(cat err)"
for file in packages/*; do cmp "$file" "again/${file#*/}" || fail "$file is not reproducible"; done

# ---- the .deb ---------------------------------------------------------------------------------

lintian --fail-on error "$deb" >out 2>err || fail "lintian: $(cat out err)"
dpkg-deb --field "$deb" Depends >depends
for library in libc6 libstdc++6 libicu librdkafka1; do
  if [[ $library == librdkafka1 ]] && ! readelf -d "$sda" | found rdkafka; then continue; fi
  expect_match depends "${library//+/\\+}"
done
dpkg-deb --contents "$deb" | awk '$2 != "root/root" {exit 1}' || fail "files of others than root"
# Installed by dpkg itself, in a root of its own; where its packages are not, which are here.
installed=$PWD/installed
mkdir -p installed/var/lib/dpkg/{updates,info,triggers}
touch installed/var/lib/dpkg/status
if ((EUID == 0)); then
  dpkg --root="$installed" --log="$PWD/dpkg.log" --force-depends --install "$deb" >out 2>&1 || fail "dpkg: $(cat out)"
else
  dpkg-deb --extract "$deb" installed
fi
installed/usr/bin/sda demo >out 2>err || fail "demo: $(cat err)"
expect_match out 'intervals'
for file in usr/share/doc/sda/{copyright,changelog.gz,README.md,docs/usage.md} usr/include/sda/sda.h usr/lib/libsda.a; do
  [[ -s installed/$file ]] || fail "the package has no $file"
done
if "$sda" completion bash >/dev/null 2>&1; then
  for file in man/man1/sda.1.gz man/man1/sda-fit.1.gz bash-completion/completions/sda zsh/vendor-completions/_sda \
    fish/vendor_completions.d/sda.fish; do
    [[ -s installed/usr/share/$file ]] || fail "the package has no $file"
  done
fi
# A project that only knows what was installed.
cmake -S "$root/tests/system/outside_project" -B outside -DCMAKE_PREFIX_PATH="$installed/usr" >out 2>&1 || fail "$(cat out)"
grep -q "^sda_DIR:PATH=$installed/usr/" outside/CMakeCache.txt || fail "another sda was found"
cmake --build outside --target outside >out 2>&1 || fail "$(cat out)"
outside/outside >out 2>&1 || fail "the outside project: $(cat out)"

# ---- the tarball ------------------------------------------------------------------------------

tar -xzf "$tarball"
tree=$(echo sda-"$version"-linux-*[!z])
glibc='^(ld-linux.*\.so\.[0-9]|lib(c|m)\.so\.6|libpthread\.so\.0|libdl\.so\.2|librt\.so\.1|libresolv\.so\.2)$'
readelf -d "$tree/bin/sda" "$tree"/lib/sda/* | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u >needed
while read -r library; do
  [[ $library =~ $glibc || -e $tree/lib/sda/$library ]] || fail "the program needs $library, which is not in the tarball"
done <needed
for file in "$tree"/lib/sda/*; do
  [[ ! $(basename "$file") =~ $glibc ]] || fail "$file is glibc's own"
done
licenses=$(find "$tree/share/doc/sda/licenses" -type f -size +0 | wc -l)
((2 * licenses >= $(find "$tree/lib/sda" -type f | wc -l))) || fail "licences are missing: $(ls "$tree/share/doc/sda/licenses")"
newest=$(objdump -T "$tree/bin/sda" "$tree"/lib/sda/* 2>/dev/null | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -n 1)
expect_match "$tree/INSTALL" "glibc ${newest#GLIBC_} or newer"
mkdir moved && mv "$tree" moved/sda && ln -s ../moved/sda/bin/sda again/sda
again/sda --version >out || fail "it does not run elsewhere"
LD_DEBUG=libs again/sda --version 2>&1 | grep 'calling init' | grep -vE "$PWD/|/ld-linux|/lib(c|m|dl|rt|pthread|resolv)\.so" &&
  fail "libraries of this machine were used"
# In a folder that has glibc and nothing else it runs, too.
if ((EUID == 0)); then
  ldd moved/sda/bin/sda | grep -oE '/[^ ]+' | grep -v "^$PWD" | while read -r library; do
    [[ $(basename "$library") =~ $glibc ]] || fail "$library would be taken from this machine"
    mkdir -p "moved/$(dirname "$library")"
    cp -L "$library" "moved/$library"
  done
  # Without /proc the loader has to be told where the program is.
  LD_ORIGIN_PATH=/sda/bin chroot moved /sda/bin/sda demo >out 2>err || fail "with glibc alone: $(cat err)"
  expect_match out 'intervals'
fi
