# Sourced by the scripts beside it, from the top folder of the repository.
say() { printf '\n== %s\n' "$*"; }
free_port() { node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'; }
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }
# What is installed already stays as it is: an upgrade would pull a running PostgreSQL's libraries from under it.
apt_install() {
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends --no-upgrade "$@" >/dev/null
}

# A throw-away PostgreSQL, of the newest version on this machine. Its superuser is `trackway`, without a password.
postgres_bin() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1; }
# Runs a command line as a user that PostgreSQL accepts, with its programs on the path.
as_postgres() {
  local line="PATH='$(postgres_bin)':\$PATH; $1"
  if [ "$(id -u)" = 0 ]; then su postgres -s /bin/sh -c "$line"; else sh -c "$line"; fi
}
# Makes the cluster of a folder, whose parent is given to that user: make_cluster FOLDER
make_cluster() {
  local parent=${1%/*}
  chmod 755 "$parent"
  [ "$(id -u)" != 0 ] || chown postgres "$parent"
  as_postgres "initdb -D '$1' -A trust -U trackway >/dev/null"
}
# Starts it, with its log and socket beside the folder, and waits until it answers: start_cluster FOLDER PORT [OPTIONS]
start_cluster() { as_postgres "pg_ctl -D '$1' -l '$1.log' -w -o '-p $2 -k ${1%/*} ${3:-}' start >/dev/null"; }
# Ends it at once, if it runs: stop_cluster FOLDER
stop_cluster() { as_postgres "pg_ctl -D '$1' -m immediate stop >/dev/null 2>&1" || true; }
