# .ci/image, .ci/compose and .ci/systemd source this file as root. It provides Debian's container tools, and base images
# from Debian's packages. Nothing is pulled. The base images contain the same parts as the Docker Hub images that the
# Dockerfile and compose.yaml name: Debian with this machine's Node.js, and Debian with Debian's version of PostgreSQL.
base=localhost/trackway-base postgres_base=localhost/trackway-postgres machine=localhost/trackway-machine
. .ci/common.sh
# Waits up to two minutes until a command succeeds.
wait_until() { for _ in $(seq 240); do "$@" >/dev/null 2>&1 && return; sleep 0.5; done; echo "FAILED: $*" >&2; return 1; }
answers() { curl -fsS "$1" >/dev/null 2>&1; }

# Installs the packages of missing commands: install_missing COMMAND=PACKAGE…
install_missing() {
  local pair packages=()
  for pair; do [ -e "${pair%%=*}" ] || command -v "${pair%%=*}" >/dev/null || packages+=("${pair#*=}"); done
  [ ${#packages[@]} = 0 ] || { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null; }
}
install_missing buildah=buildah podman=podman runc=runc debootstrap=debootstrap jq=jq /usr/lib/podman/netavark=netavark \
  /usr/lib/podman/aardvark-dns=aardvark-dns catatonit=catatonit

folder=$(mktemp -d)
# Debian's crun needs newer control groups than some machines have. The limits are values that such a machine can set.
cat > "$folder/containers.conf" <<'CONF'
[containers]
default_ulimits = ["nofile=10000:10000", "nproc=4096:4096"]
[engine]
runtime = "runc"
[network]
network_backend = "netavark"
CONF
export CONTAINERS_CONF=$folder/containers.conf BUILDAH_ISOLATION=chroot

# Creates an image from Debian's packages: debian IMAGE PACKAGES FUNCTION [buildah config options]. FUNCTION adds files
# to the image's root folder.
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
  # Copies the certificate authorities that this machine trusts, so that npm reaches its registry in the same way as on
  # this machine.
  cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/ca-certificates.crt"
  echo cafile=/etc/ssl/certs/ca-certificates.crt > "$1/usr/local/etc/npmrc"
  chroot "$1" useradd --uid 1000 --create-home node
}

# Prepares a Debian with systemd, and Node.js where Debian's package installs it.
with_systemd() {
  with_node "$1"
  ln -s ../local/bin/node "$1/usr/bin/node"
}

# Provides the parts of the PostgreSQL image that compose.yaml uses: three variables, the data folder, and pg_isready.
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
