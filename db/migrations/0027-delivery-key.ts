import type { Migration } from "./index.ts";

/** A delivery is found by its organization first, as every row of an organization is. */
export const deliveryKey: Migration = {
  id: "0027-delivery-key",
  statements: [
    `do $$ begin
      if (select count(*) from pg_constraint k, unnest(k.conkey) where k.conname = 'delivery_pkey') = 1 then
        alter table delivery drop constraint delivery_pkey, add primary key ("organizationId", id);
      end if;
    end $$`,
    `create index if not exists delivery_due on delivery ("organizationId", "nextAttemptAt") where status = 'pending'`,
    `create index if not exists delivery_due_webhook on delivery ("organizationId", "webhookId", "nextAttemptAt") where status = 'pending'`,
    `drop index if exists delivery_pending`,
  ],
};
