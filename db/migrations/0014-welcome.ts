import type { Migration } from "./index.ts";

/** The link of the first start that signs its owner in: good once, and not for long. Above tenants, as logins are. */
export const welcome: Migration = {
  id: "0014-welcome",
  statements: [
    `create table if not exists welcome (
      hash bytea primary key,
      "accountId" uuid not null references account (id) on delete cascade,
      "expiresAt" timestamptz(3) not null
    )`,
    `create index if not exists welcome_account on welcome ("accountId")`,
  ],
};
