# Sourced by .ci/image, .ci/compose and .ci/systemd, as root: Debian's container tools, and base images of Debian's packages.
# Nothing is pulled. The bases have the same parts as those of Docker Hub that the Dockerfile and compose.yaml name: Debian with
# Node.js (this machine's own), and Debian with PostgreSQL (in Debian's version).
base=localhost/trackway-base postgres_base=localhost/trackway-postgres machine=localhost/trackway-machine
. .ci/common.sh
# Waits until a command succeeds, for two minutes at most.
wait_until() { for _ in $(seq 240); do "$@" >/dev/null 2>&1 && return; sleep 0.5; done; echo "FAILED: $*" >&2; return 1; }
answers() { curl -fsS "$1" >/dev/null 2>&1; }

# install_missing COMMAND=PACKAGE…
install_missing() {
  local pair packages=()
  for pair; do [ -e "${pair%%=*}" ] || command -v "${pair%%=*}" >/dev/null || packages+=("${pair#*=}"); done
  [ ${#packages[@]} = 0 ] || { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null; }
}
install_missing buildah=buildah podman=podman runc=runc debootstrap=debootstrap jq=jq /usr/lib/podman/netavark=netavark \
  /usr/lib/podman/aardvark-dns=aardvark-dns catatonit=catatonit

folder=$(mktemp -d)
# Debian's crun needs newer control groups than some machines have, and limits are those that such a machine may set.
cat > "$folder/containers.conf" <<'CONF'
[containers]
default_ulimits = ["nofile=10000:10000", "nproc=4096:4096"]
[engine]
runtime = "runc"
[network]
network_backend = "netavark"
CONF
export CONTAINERS_CONF=$folder/containers.conf BUILDAH_ISOLATION=chroot

# Makes an image of Debian's packages: debian IMAGE PACKAGES FUNCTION [buildah config options]; the function fills its folder.
debian() {
  local image=$1 packages=$2 fill=$3 container root
  shift 3
  ! buildah inspect --type image "$image" >/dev/null 2>&1 || return 0
  say "$image, of Debian's packages"
  container=$(buildah from scratch) root=$(buildah mount "$container")
  debootstrap --variant=minbase --include="$packages" bookworm "$root" >/dev/null
  rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/*
  "$fill" "$root"
  buildah umount "$container" >/dev/null
  [ $# = 0 ] || buildah config "$@" "$container"
  buildah commit -q --format docker "$container" "$image" >/dev/null
  buildah rm "$container" >/dev/null
}

with_node() {
  mkdir -p "$1/usr/local/lib/node_modules" "$1/usr/local/etc"
  cp -L "$(command -v node)" "$1/usr/local/bin/node"
  cp -a "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$1/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$1/usr/local/bin/npm"
  # The authorities that this machine trusts, so that npm reaches its registry as from here.
  cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/ca-certificates.crt"
  echo cafile=/etc/ssl/certs/ca-certificates.crt > "$1/usr/local/etc/npmrc"
  chroot "$1" useradd --uid 1000 --create-home node
}

# A Debian that systemd runs, with Node.js where its packages have it.
with_systemd() {
  with_node "$1"
  ln -s ../local/bin/node "$1/usr/bin/node"
}

# What compose.yaml uses of the image of PostgreSQL: its three variables, its folder of data, pg_isready.
with_postgres() {
  cat > "$1/usr/local/bin/entrypoint" <<'SH'
#!/bin/sh
set -e
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" > /tmp/password
  initdb -U "$POSTGRES_USER" --pwfile=/tmp/password -A scram-sha-256 >/dev/null
  rm /tmp/password
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  echo "create database \"$POSTGRES_DB\"" | postgres --single postgres >/dev/null
fi
exec postgres -c listen_addresses='*'
SH
  chmod 755 "$1/usr/local/bin/entrypoint"
  install -d -m 700 "$1/var/lib/postgresql/data"
  chroot "$1" chown postgres:postgres /var/lib/postgresql/data
}

base_image() { debian "$base" ca-certificates with_node; }
postgres_image() {
  debian "$postgres_base" postgresql with_postgres --user postgres --env PGDATA=/var/lib/postgresql/data \
    --volume /var/lib/postgresql/data --entrypoint '["/usr/local/bin/entrypoint"]'
}
machine_image() { debian "$machine" ca-certificates,systemd,systemd-sysv,adduser,sudo,curl,jq with_systemd; }
