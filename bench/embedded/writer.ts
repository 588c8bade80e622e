import { openDatabase } from "../../db/open.ts";

// The process to kill: opens the embedded database, reports the stored rows, and writes until killed. Prints lines:
// `stored {ids, torn}` once, then `<id>` for every acknowledged write. With "early" the process prints before
// writing, the fault that the check must find.

const [, , dataDir = "", early] = process.argv;
const ROWS_A_BATCH = 50;

const db = await openDatabase({ dataDir, poolSize: 1 });
const table = "create table if not exists torture (id bigint primary key, twin bigint, said boolean, word text)";
await db.query({ text: table });
// A row is torn when its content is wrong or the other row of its transaction is missing.
const [stored] = await db.query({
  text: `select coalesce(json_agg(id) filter (where said), '[]') as ids, count(*) filter (
    where word <> repeat(md5(id::text), 20)
    or not exists (select from torture other where other.id = torture.twin)) as torn from torture`,
});
process.stdout.write(`stored ${JSON.stringify(stored)}\n`);

/** Runs `work`, then prints the id. The pipe receives the line before the call returns. */
async function write(id: number, work: () => Promise<unknown>): Promise<void> {
  if (early) process.stdout.write(`${id}\n`);
  await work();
  if (!early) process.stdout.write(`${id}\n`);
}

const insert = (first: number, last: number, twin: string) => ({
  text: `insert into torture
    select i, ${twin}, i = $1, repeat(md5(i::text), 20) from generate_series($1::bigint, $2::bigint) i`,
  values: [first, last],
});

for (let id = Date.now() * 1_000; ; id += 100) {
  await write(id, () => db.query(insert(id, id, "i")));
  await write(id + 1, () =>
    db.transaction(async (trx) => {
      await trx.query(insert(id + 1, id + 1, "i + 1"));
      await trx.query(insert(id + 2, id + 2, "i - 1"));
    }),
  );
  await write(id + 4, () => db.query(insert(id + 4, id + 4 + ROWS_A_BATCH, "i")));
  await db.query({ text: "update torture set twin = twin where id = $1", values: [id] });
  if (id % 10_000 === 0) await db.query({ text: "vacuum torture" });
}
