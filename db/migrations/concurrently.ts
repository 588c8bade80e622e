/**
 * Statements that build an index while others write: it may not run in a transaction, and a build that was interrupted
 * leaves an index that nothing uses, which is dropped first.
 */
export const builtConcurrently = (name: string, on: string): string[] => [
  `do $$ begin
    if exists (select from pg_index where indexrelid = to_regclass('${name}') and not indisvalid) then
      drop index ${name};
    end if;
  end $$`,
  `create index concurrently if not exists ${name} on ${on}`,
];
