#!/bin/sh
# Installs yoke @VERSION@ for this user, without root:
#   curl -fsSL URL/install.sh | sh
#   wget -qO- URL/install.sh | sh -s -- --to ~/bin
# Runs in any POSIX shell. Can be run again, to repair or update; --uninstall takes the program away.
set -eu

version='@VERSION@'
url="${YOKE_INSTALL_URL:-@URL@}"
folder="${XDG_BIN_HOME:-${HOME:+$HOME/.local/bin}}"
target=''
work=''

usage() {
  cat <<'HELP'
Usage: install.sh [options]

Options:
  --to FOLDER      Where the program goes (default: $XDG_BIN_HOME or ~/.local/bin)
  --from URL       Where the archives are (default: where this script came from)
  --target NAME    Another binary than this machine's, such as linux-x64-musl
  --uninstall      Remove the program from the folder
  --help           Show this
HELP
}

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

detect() {
  case "$(uname -s)" in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "there is no binary for $(uname -s); on Windows use install.ps1, elsewhere: npm install -g yoke" ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "there is no binary for $(uname -m); with Node: npm install -g yoke" ;;
  esac
  # A shell under Rosetta says x86_64 on a machine that is not.
  if [ "$system" = darwin ] && [ "$cpu" = x64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || echo 0)" = 1 ]; then
    cpu=arm64
  fi
  if [ "$system" = linux ] && [ "$cpu" = x64 ] && [ -r /proc/cpuinfo ] && ! grep -q sse4_2 /proc/cpuinfo; then
    fail 'this processor has no SSE4.2, which the binary needs; with Node: npm install -g yoke --omit=optional'
  fi
  target="$system-$cpu"
  if [ "$system" = linux ] && is_musl; then target="$target-musl"; fi
}

# A glibc system may have musl beside it: what the shell itself is linked with counts.
is_musl() {
  if have ldd; then
    case "$(ldd /bin/sh 2>&1 || :) $(ldd --version 2>&1 || :)" in
      *ld-musl* | *'musl libc'*) return 0 ;;
      *) return 1 ;;
    esac
  fi
  set -- /lib/ld-musl-*.so.1
  [ -e "$1" ] && [ ! -e /lib64/ld-linux-x86-64.so.2 ] && [ ! -e /lib/ld-linux-aarch64.so.1 ]
}

# The last line of what a program said, in brackets.
reason() {
  last="${1##*'
'}"
  if [ -n "$last" ]; then printf ' (%s)' "$last"; fi
}

fetch() {
  what="$1 cannot be downloaded into $folder"
  if have curl; then
    said="$(curl -fsSL --retry 2 -o "$2" "$1" 2>&1)" || fail "$what$(reason "$said")"
  elif have wget; then
    said="$(wget -q -O "$2" "$1" 2>&1)" || fail "$what$(reason "$said")"
  else
    fail 'install curl or wget first'
  fi
}

sum_of() {
  if have sha256sum; then sha256sum "$1" | cut -d ' ' -f 1
  elif have shasum; then shasum -a 256 "$1" | cut -d ' ' -f 1
  elif have openssl; then openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  else fail 'install sha256sum, shasum or openssl first: the download must be checked'
  fi
}

clean_up() {
  if [ -n "$work" ]; then rm -rf "$work"; fi
}

# What installers left that were killed; the name of their folder has their pid.
clean_up_others() {
  for old in "$folder"/.yoke-install.*; do
    pid="${old##*/.yoke-install.}"
    if [ -d "$old" ] && ! kill -0 "${pid%%.*}" 2>/dev/null; then rm -rf "$old"; fi
  done
}

install_yoke() {
  [ -n "$target" ] || detect
  [ -n "$url" ] || fail 'say where the archives are: --from URL'
  url="${url%/}"
  stem="yoke-$version-$target"
  said="$(mkdir -p "$folder" 2>&1)" || fail "$folder cannot be made; name another one with --to$(reason "$said")"
  [ -w "$folder" ] || fail "$folder cannot be written to; name another one with --to"
  [ ! -d "$folder/yoke" ] || fail "$folder/yoke is a folder; name another one with --to"
  clean_up_others
  # In the same folder, so that the last step is a rename.
  work="$(mktemp -d "$folder/.yoke-install.$$.XXXXXX" 2>/dev/null)" ||
    fail "$folder cannot be written to"
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM

  printf 'yoke %s for %s\n' "$version" "$target"
  fetch "$url/SHA256SUMS" "$work/SHA256SUMS"
  expected="$(grep "  $stem.tar.gz\$" "$work/SHA256SUMS" | cut -d ' ' -f 1)" || :
  [ -n "$expected" ] || fail "there is no $stem.tar.gz at $url"
  fetch "$url/$stem.tar.gz" "$work/archive.tar.gz"
  [ "$(sum_of "$work/archive.tar.gz")" = "$expected" ] ||
    fail "$stem.tar.gz is not what SHA256SUMS says: nothing was installed"
  (cd "$work" && gzip -dc archive.tar.gz | tar -xf -) 2>/dev/null ||
    fail "$stem.tar.gz cannot be unpacked in $folder: see whether the disk is full"
  chmod 755 "$work/$stem/yoke"
  if ! "$work/$stem/yoke" --version >/dev/null 2>"$work/error"; then
    cat "$work/error" >&2
    case "$target" in
      *-musl) fail 'it does not start here: nothing was installed. It needs libstdc++: apk add libstdc++' ;;
      *) fail 'it does not start here: nothing was installed' ;;
    esac
  fi
  mv -f "$work/$stem/yoke" "$folder/yoke"
  printf 'installed %s\n' "$folder/yoke"
  # shellcheck disable=SC2016 # The shell of the profile is to expand it.
  case ":${PATH:-}:" in
    *":$folder:"*) ;;
    *) printf 'Put it on your PATH, in the profile of your shell:\n  export PATH="%s:$PATH"\n' "$folder" ;;
  esac
  printf 'Next: yoke doctor\n'
}

uninstall() {
  clean_up_others
  if [ -d "$folder/yoke" ]; then
    fail "$folder/yoke is a folder: it was not installed by this"
  elif [ -e "$folder/yoke" ]; then
    rm -f "$folder/yoke" 2>/dev/null || fail "$folder/yoke cannot be removed: see who owns it"
    printf 'removed %s\n' "$folder/yoke"
  else
    printf 'there is no %s\n' "$folder/yoke"
  fi
  printf 'Your tasks, notes and settings stay: .loop/ in your projects, ~/.config/yoke, ~/.local/state/yoke.\n'
}

main() {
  action=install_yoke
  while [ $# -gt 0 ]; do
    case "$1" in
      --to | --from | --target)
        [ $# -gt 1 ] || fail "$1 wants a value"
        case "$1" in
          --to) folder="$2" ;;
          --from) url="$2" ;;
          --target) target="$2" ;;
        esac
        shift
        ;;
      --uninstall) action=uninstall ;;
      --help | -h) action=usage ;;
      *) fail "unknown option $1; see --help" ;;
    esac
    shift
  done
  if [ "$action" = usage ]; then
    usage
    return
  fi
  [ -n "$folder" ] || fail 'HOME is not set: name a folder with --to'
  case "$folder" in
    /*) ;;
    *) folder="$(pwd)/$folder" ;;
  esac
  "$action"
}

# The last line: a download that was cut off does nothing.
main "$@"
