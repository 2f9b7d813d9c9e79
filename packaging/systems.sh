# systems.sh: root file systems of Debian, and of Ubuntu where no Debian has a Python, unpacked but not configured: that takes no
# privilege, and no program of theirs runs. For wheels.sh and test_wheel.sh, which set $work.

# The oldest release with that Python; nothing where there is none.
release_of() {  # release_of PYTHON
  case $1 in 3.9) echo bullseye ;; 3.10) echo jammy ;; 3.11) echo bookworm ;; 3.13) echo trixie ;; esac
}

ubuntu_keys() {  # the file with the keys that Ubuntu signs with
  local name=ubuntu-keyring_2021.03.26_all.deb keys=$work/ubuntu-keyring
  if [[ ! -f $keys/made ]]; then
    rm -rf "$keys" && mkdir -p "$keys"
    curl -fsSL --retry 3 -o "$keys/$name" "http://archive.ubuntu.com/ubuntu/pool/main/u/ubuntu-keyring/$name"
    echo "0d0e7ed6b112f5d03eabf3c7eb01ebdacf9c57714b279e90495cfc58c8c4520f  $keys/$name" | sha256sum --check --quiet >&2
    dpkg-deb -x "$keys/$name" "$keys" && touch "$keys/made"
  fi
  echo "$keys/usr/share/keyrings/ubuntu-archive-keyring.gpg"
}

make_system() {  # make_system SUITE ARCH PACKAGES DIR
  local source=http://deb.debian.org/debian keys
  [[ ! -f $4/unpacked ]] || return 0
  if [[ $1 == jammy ]]; then
    keys=$(ubuntu_keys) || return 1
    source="deb [signed-by=$keys] http://archive.ubuntu.com/ubuntu jammy main"
    [[ $2 == amd64 ]] || source="deb [signed-by=$keys] http://ports.ubuntu.com/ubuntu-ports jammy main"
  fi
  rm -rf "$4"
  mmdebstrap --quiet --variant=extract --architectures="$2" --include="$3" --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
    "$1" "$4" "$source" >"$work/system.log" 2>&1 || { cat "$work/system.log" >&2 && return 1; }
  touch "$4/unpacked"
}
