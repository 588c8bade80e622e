# Sourced by the scripts beside it, from the top folder of the repository.
say() { printf '\n== %s\n' "$*"; }
free_port() { node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'; }
