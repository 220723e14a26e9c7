#!/usr/bin/env bash
# bare_system.sh ROOT PACKAGE…: makes a folder with the files of these installed Debian packages, of all packages that
# they need, and of the essential ones: a system on which nothing else is installed. Only the folder is written to.
set -euo pipefail
root=$1
shift

# Names of the packages that a line of dependencies accepts, in order; alternatives count only if they are installed.
needs() { dpkg-query -W -f='${Pre-Depends}, ${Depends}\n' "$1" | tr ',|' '\n' | sed 's/ *(.*//; s/:any//; s/ //g'; }
is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null | head -c 9)" = installed ]; }

declare -A wanted
mapfile -t queue < <(dpkg-query -W -f='${Essential} ${Package}\n' | sed -n 's/^yes //p')  # every system has these
queue+=(libc-bin "$@")
while [ ${#queue[@]} -gt 0 ]; do
  package=${queue[0]}
  queue=("${queue[@]:1}")
  if [ -z "$package" ] || [ -n "${wanted[$package]:-}" ] || ! is_installed "$package"; then continue; fi
  wanted[$package]=1
  mapfile -t -O "${#queue[@]}" queue < <(needs "$package")
done

# Debian merges /bin, /lib and /sbin into /usr.
mkdir -p "$root"/{usr/bin,usr/lib,usr/lib64,usr/sbin,tmp,proc,dev,home,etc}
for folder in bin lib lib64 sbin; do ln -s "usr/$folder" "$root/$folder"; done
dpkg-query -L "${!wanted[@]}" | grep -v -e '^/usr/share/\(doc\|man\|locale\|info\)/' | sort -u |
  while read -r file; do
    if [ -f "$file" ] || [ -L "$file" ]; then echo "${file#/}"; fi
  done | tar -C / --create --no-recursion --hard-dereference --files-from=- | tar -C "$root" --extract --keep-directory-symlink
cp -a /etc/alternatives "$root/etc/"
echo "${#wanted[@]} packages"
