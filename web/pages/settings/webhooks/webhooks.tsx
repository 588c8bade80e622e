import { useState } from "preact/hooks";
import type { EndpointReply } from "../../../data/api.ts";
import { callApiAsUser } from "../../../data/session.ts";
import { Icon } from "../../../parts/icon.tsx";
import { type Column, DataTable } from "../../../parts/lists/data-table.tsx";
import { EmptyState } from "../../../parts/states.tsx";
import { showToast } from "../../../parts/toast.tsx";
import { appLocation, setSearchParameters } from "../../../shell/router.ts";
import {
  ConfirmDialog,
  isCurrentUserOwner,
  LoadedReply,
  OwnersOnlyNote,
  SecretShownOnce,
  SettingsForm,
  SettingsPageHeader,
  useEndpoint,
} from "../parts.tsx";
import { DeliveryLog } from "./deliveries.tsx";

/** Webhook as listed by the API. */
type Webhook = EndpointReply<"GET /api/webhooks">["webhooks"][number];

interface Actions {
  choose: (webhook: Webhook) => void;
  setEnabled: (webhook: Webhook, enabled: boolean) => void;
  rotate: (webhook: Webhook) => void;
  /** Opens the dialog that confirms the deletion of the webhook. The value undefined closes the dialog. */
  leave: (webhook: Webhook | undefined) => void;
}

const AUDIT = "AuditEntry" as const;

/** Webhooks with deliveries. */
export const WebhooksSettings = () =>
  isCurrentUserOwner() ? (
    <Owned />
  ) : (
    <>
      <SettingsPageHeader title="Webhooks">Trackway sends every change to these URLs.</SettingsPageHeader>
      <OwnersOnlyNote />
    </>
  );

function Owned() {
  const { list, create, made, forget, actions, leaving } = useWebhooks();
  const chosen = appLocation.value.search.get("webhook");
  return (
    <>
      <SettingsPageHeader title="Webhooks">
        Trackway sends every change, or every entry of the audit log, to these URLs. Requests are signed. Trackway
        delivers at least once and makes up to ten attempts over two days.
      </SettingsPageHeader>
      <SettingsForm
        inline
        fields={[{ name: "target", type: "url", label: "URL of the new webhook", placeholder: "https://…" }]}
        action="Add webhook"
        submit={create}
      >
        <label>
          <span class="sr">What the webhook sends</span>
          <select class="in" name="sends">
            <option value="">Every change</option>
            <option value={AUDIT}>The audit log</option>
          </select>
        </label>
      </SettingsForm>
      {made && <SecretShownOnce {...made} close={forget} />}
      <LoadedReply of={list}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <EmptyState icon="link" title="No webhooks yet" />
          ) : (
            <>
              <div class="card">
                <DataTable label="Webhooks" rows={webhooks} columns={columns(actions)} keyOf={({ id }) => id} />
              </div>
              <Chosen webhook={webhooks.find(({ id }) => id === chosen) ?? webhooks[0]} />
            </>
          )
        }
      </LoadedReply>
      {leaving && (
        <ConfirmDialog
          title="Delete this webhook?"
          action="Delete"
          act={() => callApiAsUser("DELETE /api/webhooks/:id", { path: { id: leaving.id } }).then(list.load)}
          close={() => actions.leave(undefined)}
        >
          Trackway discards changes that are not delivered to {leaving.target} yet.
        </ConfirmDialog>
      )}
    </>
  );
}

/** Returns the webhooks, the new signing secret, the webhook that the dialog asks about, and the actions. */
function useWebhooks() {
  const list = useEndpoint("GET /api/webhooks", {});
  const [made, setMade] = useState<{ title: string; secret: string }>();
  const [leaving, leave] = useState<Webhook>();
  const create = async ({ target, sends }: { target: string; sends?: string }) => {
    const resourceTypes = sends ? [AUDIT] : null;
    const { id, secret } = await callApiAsUser("POST /api/webhooks", { body: { target, resourceTypes } });
    setMade({ title: "Webhook created. This is the signing secret.", secret });
    setSearchParameters({ webhook: id });
    await list.load();
  };
  const done = (work: Promise<unknown>) =>
    void work.catch((failure: Error) => showToast(failure.message)).finally(list.load);
  const rotated = ({ secret }: { secret: string }) =>
    setMade({ title: "This is the new signing secret. Trackway also signs with the old secret for 24 hours.", secret });
  const actions: Actions = {
    choose: ({ id }) => setSearchParameters({ webhook: id }),
    setEnabled: ({ id }, enabled) =>
      done(callApiAsUser("PATCH /api/webhooks/:id", { path: { id }, body: { enabled } })),
    rotate: ({ id }) => done(callApiAsUser("POST /api/webhooks/:id/rotate-secret", { path: { id } }).then(rotated)),
    leave,
  };
  return { list, create, made, forget: () => setMade(undefined), actions, leaving };
}

const Chosen = ({ webhook }: { webhook: Webhook | undefined }) =>
  webhook ? (
    <DeliveryLog
      key={webhook.id}
      from="webhooks"
      id={webhook.id}
      target={webhook.target}
      error={webhook.error}
      none="No deliveries yet. When an issue changes, Trackway sends a request within a second."
    />
  ) : null;

const columns = ({ choose, setEnabled, rotate, leave }: Actions): Column<Webhook>[] => [
  {
    name: "URL",
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
