# The other scripts of this folder source this file, from the top folder of the repository.
say() { printf '\n== %s\n' "$*"; }
free_port() { node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
# Installs packages. Installed packages are not upgraded, because an upgrade would replace the libraries of a running
# PostgreSQL.
apt_install() {
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends --no-upgrade "$@" >/dev/null
}

# Temporary PostgreSQL clusters, of the newest installed version. The superuser is `trackway`, without a password.
postgres_bin() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1; }
# Runs a command line as a user that PostgreSQL accepts, with PostgreSQL's programs in the PATH.
as_postgres() {
  local line="PATH='$(postgres_bin)':\$PATH; $1"
  if [ "$(id -u)" = 0 ]; then su postgres -s /bin/sh -c "$line"; else sh -c "$line"; fi
}
# Creates a cluster in a folder, and makes that user the owner of the parent folder: make_cluster FOLDER
make_cluster() {
  local parent=${1%/*}
  chmod 755 "$parent"
  [ "$(id -u)" != 0 ] || chown postgres "$parent"
  as_postgres "initdb -D '$1' -A trust -U trackway >/dev/null"
}
# Starts a cluster, with its log and socket beside the folder, and waits until it responds: start_cluster FOLDER PORT
# [OPTIONS]
start_cluster() { as_postgres "pg_ctl -D '$1' -l '$1.log' -w -o '-p $2 -k ${1%/*} ${3:-}' start >/dev/null"; }
# Stops a cluster at once, if it is running: stop_cluster FOLDER
stop_cluster() { as_postgres "pg_ctl -D '$1' -m immediate stop >/dev/null 2>&1" || true; }
