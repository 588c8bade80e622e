import { useState } from "preact/hooks";
import type { Reply } from "../../../data/api.ts";
import { api } from "../../../data/session.ts";
import { Icon } from "../../../parts/icon.tsx";
import { type Column, DataTable } from "../../../parts/lists/data-table.tsx";
import { Empty } from "../../../parts/states.tsx";
import { toast } from "../../../parts/toast.tsx";
import { place, setSearch } from "../../../shell/router.ts";
import { Form, Intro, isOwner, Loaded, Once, OwnersOnly, Sure, useApi } from "../parts.tsx";
import { Deliveries } from "./deliveries.tsx";

/** A webhook, as the API lists it. */
type Webhook = Reply<"GET /api/webhooks">["webhooks"][number];

interface Actions {
  choose: (webhook: Webhook) => void;
  setEnabled: (webhook: Webhook, enabled: boolean) => void;
  rotate: (webhook: Webhook) => void;
  /** Asks before the webhook is deleted; undefined asks no longer. */
  leave: (webhook: Webhook | undefined) => void;
}

const AUDIT = "AuditEntry" as const;

/** The webhooks and their deliveries. */
export const WebhooksPart = () =>
  isOwner() ? (
    <Owned />
  ) : (
    <>
      <Intro title="Webhooks">Every committed change is posted to these.</Intro>
      <OwnersOnly />
    </>
  );

function Owned() {
  const { list, create, made, forget, actions, leaving } = useWebhooks();
  const chosen = place.value.search.get("webhook");
  return (
    <>
      <Intro title="Webhooks">
        Every committed change is posted to these, or every entry of the audit log: signed, at least once, in up to ten
        attempts over two days.
      </Intro>
      <Form
        inline
        fields={[{ name: "target", type: "url", label: "Target of the new webhook", placeholder: "https://…" }]}
        action="Add webhook"
        submit={create}
      >
        <label>
          <span class="sr">What it sends</span>
          <select class="in" name="sends">
            <option value="">Every change</option>
            <option value={AUDIT}>The audit log</option>
          </select>
        </label>
      </Form>
      {made && <Once {...made} close={forget} />}
      <Loaded of={list}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty icon="link" title="No webhooks yet" />
          ) : (
            <>
              <div class="card">
                <DataTable label="Webhooks" rows={webhooks} columns={columns(actions)} keyOf={({ id }) => id} />
              </div>
              <Chosen webhook={webhooks.find(({ id }) => id === chosen) ?? webhooks[0]} />
            </>
          )
        }
      </Loaded>
      {leaving && (
        <Sure
          title="Delete this webhook?"
          action="Delete"
          act={() => api("DELETE /api/webhooks/:id", { path: { id: leaving.id } }).then(list.load)}
          close={() => actions.leave(undefined)}
        >
          What waits to be delivered to {leaving.target} is dropped.
        </Sure>
      )}
    </>
  );
}

/** The webhooks, a signing secret while it is shown, the webhook that is about to be deleted, and the actions. */
function useWebhooks() {
  const list = useApi("GET /api/webhooks", {});
  const [made, setMade] = useState<{ title: string; secret: string }>();
  const [leaving, leave] = useState<Webhook>();
  const create = async ({ target, sends }: { target: string; sends?: string }) => {
    const resourceTypes = sends ? [AUDIT] : null;
    const { id, secret } = await api("POST /api/webhooks", { body: { target, resourceTypes } });
    setMade({ title: "The webhook is made; this is its signing secret.", secret });
    setSearch({ webhook: id });
    await list.load();
  };
  const done = (work: Promise<unknown>) =>
    void work.catch((failure: Error) => toast(failure.message)).finally(list.load);
  const rotated = ({ secret }: { secret: string }) =>
    setMade({ title: "The new signing secret; the old one signs too for 24 hours.", secret });
  const actions: Actions = {
    choose: ({ id }) => setSearch({ webhook: id }),
    setEnabled: ({ id }, enabled) => done(api("PATCH /api/webhooks/:id", { path: { id }, body: { enabled } })),
    rotate: ({ id }) => done(api("POST /api/webhooks/:id/rotate-secret", { path: { id } }).then(rotated)),
    leave,
  };
  return { list, create, made, forget: () => setMade(undefined), actions, leaving };
}

const Chosen = ({ webhook }: { webhook: Webhook | undefined }) =>
  webhook ? (
    <Deliveries
      key={webhook.id}
      from="webhooks"
      id={webhook.id}
      target={webhook.target}
      error={webhook.error}
      none="Nothing was posted. A change of an issue is, within a second."
    />
  ) : null;

const columns = ({ choose, setEnabled, rotate, leave }: Actions): Column<Webhook>[] => [
  {
    name: "Target",
    class: "wide",
    cell: (webhook) => (
      <button class="plain name mono cut" type="button" title={webhook.target} onClick={() => choose(webhook)}>
        {webhook.target}
      </button>
    ),
  },
  { name: "Sends", class: "mid l2", cell: ({ resourceTypes }) => resourceTypes.join(", ") || "every change" },
  {
    name: "State",
    class: "r2",
    cell: ({ enabled }) =>
      enabled ? (
        <span class="st ok">
          <Icon name="okc" class="i-14" />
          Active
        </span>
      ) : (
        <span class="st idle">
          <Icon name="pause" class="i-14" />
          Disabled
        </span>
      ),
  },
  {
    name: "Actions",
    quiet: true,
    class: "num wide",
    cell: (webhook) => (
      <span class="row to-end">
        <button class="btn quiet thin" type="button" onClick={() => setEnabled(webhook, !webhook.enabled)}>
          {webhook.enabled ? "Disable" : "Enable"}
          <span class="sr"> {webhook.target}</span>
        </button>
        <button class="btn quiet thin" type="button" onClick={() => rotate(webhook)}>
          New secret<span class="sr"> for {webhook.target}</span>
        </button>
        <button class="btn quiet thin" type="button" onClick={() => leave(webhook)}>
          Delete<span class="sr"> {webhook.target}</span>
        </button>
      </span>
    ),
  },
];
