import { useState } from "preact/hooks";
import type { EndpointReply } from "../../../data/api.ts";
import { callApiAsUser } from "../../../data/session.ts";
import { Icon } from "../../../parts/icon.tsx";
import { OlderPages } from "../../../parts/lists/older.tsx";
import { formatExactTime, formatTimeOfDay } from "../../../parts/texts/format.ts";
import { showToast } from "../../../parts/toast.tsx";
import { LoadedReply, useEndpoint } from "../parts.tsx";
import { DeliveryPayload, type DeliverySenderKind } from "./payload.tsx";

type Delivery = EndpointReply<"GET /api/webhooks/:id/deliveries">["deliveries"][number];
type Attempt = Delivery["attempts"][number];

const MOST = 10;

interface DeliveriesProps {
  from: DeliverySenderKind;
  id: string;
  target: string;
  /** Text for an empty list. */
  none: string;
  /** Reason why the webhook or the rule sends nothing, or not to every recipient. */
  error: string | null;
}

/** Deliveries of a webhook or a notice rule, newest first, with all attempts. */
export function DeliveryLog({ from, id, target, none, error }: DeliveriesProps) {
  const [cursor, setCursor] = useState("");
  const [failedOnly, setFailedOnly] = useState(false);
  const list = useEndpoint(`GET /api/${from}/:id/deliveries`, { path: { id }, query: { limit: 50, cursor } });
  const again = (delivery: Delivery) =>
    callApiAsUser(`POST /api/${from}/:id/deliveries/:deliveryId/redeliver`, { path: { id, deliveryId: delivery.id } })
      .then(() => showToast("Delivery sent again."))
      .catch((failure: Error) => showToast(failure.message))
      .finally(list.load);
  return (
    <section class="card" aria-labelledby="deliveries">
      <header>
        <h2 id="deliveries">Deliveries</h2>
        <span class="mono dim cut only-wide">{target}</span>
        <span class="acts">
          <button class="btn" type="button" aria-pressed={failedOnly} onClick={() => setFailedOnly(!failedOnly)}>
            Failed only
          </button>
          <button class="btn" type="button" onClick={() => void list.load()}>
            <Icon name="retry" class="i-14" /> Refresh
          </button>
        </span>
      </header>
      {error && <p class="pad note">{error}</p>}
      <LoadedReply of={list}>
        {({ deliveries, next_cursor }) => (
          <>
            <Table
              {...{ from, id }}
              none={none}
              deliveries={deliveries.filter((one) => !failedOnly || stateOf(one)[1] === "fail")}
              again={again}
            />
            {(next_cursor || cursor) && (
              <p class="pad row">
                <OlderPages cursor={cursor} next={next_cursor} show={setCursor} />
              </p>
            )}
          </>
        )}
      </LoadedReply>
    </section>
  );
}

type State = [words: string, state: "ok" | "fail" | "run"];

function stateOf({ status }: Delivery): State {
  if (/^(delivered|succeeded|success|ok)$/i.test(status)) return ["Delivered", "ok"];
  if (/^(failed|dead|exhausted|given_up)$/i.test(status)) return ["Failed", "fail"];
  return ["Trying", "run"];
}

const ICONS = { ok: "okc", fail: "fail", run: "run" } as const;
const COLORS = { ok: "", fail: "c-fail", run: "c-run" } as const;

interface OneProps {
  from: DeliverySenderKind;
  id: string;
  delivery: Delivery;
  again: (delivery: Delivery) => void;
}

interface TableProps extends Omit<OneProps, "delivery"> {
  deliveries: Delivery[];
  none: string;
}

function Table({ deliveries, none, ...rest }: TableProps) {
  if (deliveries.length === 0) return <p class="pad mid">{none}</p>;
  return (
    <table class="tbl cards" role="table" aria-labelledby="deliveries">
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader">State</th>
          <th role="columnheader">Change</th>
          <th role="columnheader" class="num">
            Response
          </th>
          <th role="columnheader" class="num">
            Attempts
          </th>
          <th role="columnheader" class="num">
            Last attempt
          </th>
          <th role="columnheader">
            <span class="sr">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} {...rest} />
        ))}
      </tbody>
    </table>
  );
}

function DeliveryRow({ from, id, delivery, again }: OneProps) {
  const [open, setOpen] = useState(false);
  const last = delivery.attempts.at(-1);
  const at = last?.at ?? delivery.createdAt;
  const [words, state] = stateOf(delivery);
  return (
    <>
      <tr class="dlv" role="row">
        <td role="cell">
          <button class="btn quiet flush" type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
            <Icon name={open ? "down" : "right"} class="i-14" />
            <span class={`st ${state}`}>
              <Icon name={ICONS[state]} class={state === "run" ? "i-14 ring" : "i-14"} />
              {words}
            </span>
          </button>
        </td>
        <td role="cell" class="l2">
          {delivery.type} {delivery.action}
        </td>
        <td role="cell" class="num only-wide">
          <code class={COLORS[state]}>{last ? answerOf(last) : "–"}</code>
        </td>
        <td role="cell" class="num only-wide">
          {delivery.attempts.length}
          <span class="dim"> of {MOST}</span>
        </td>
        <td role="cell" class="num mid mono r1">
          <time dateTime={at} title={formatExactTime(Date.parse(at))}>
            {formatTimeOfDay(Date.parse(at))}
          </time>
        </td>
        <td role="cell" class="num r2">
          <Redeliver delivery={delivery} again={again} />
        </td>
      </tr>
      {open && (
        <tr role="row">
          <td role="cell" class="wide flush" colSpan={6}>
            <Attempts delivery={delivery} />
            <DeliveryPayload from={from} id={id} deliveryId={delivery.id} />
          </td>
        </tr>
      )}
    </>
  );
}

const Redeliver = ({ delivery, again }: Pick<OneProps, "delivery" | "again">) => (
  <button class="btn quiet thin" type="button" onClick={() => again(delivery)}>
    Redeliver
    <span class="sr">
      {" "}
      {delivery.type} {delivery.action}
    </span>
  </button>
);

const answerOf = ({ status, error }: Attempt): string => (status === null ? (error ?? "no response") : String(status));

const Attempts = ({ delivery }: { delivery: Delivery }) => (
  <ol class="tries">
    {delivery.attempts.length === 0 && <li>No attempts yet.</li>}
    {delivery.attempts.map((attempt, at) => {
      const ok = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
      return (
        <li key={attempt.at}>
          <Icon name={ok ? "okc" : "fail"} class={ok ? "i-14 c-ok" : "i-14 c-fail"} />
          <span>Attempt {at + 1}</span>
          <span class="mono">{formatTimeOfDay(Date.parse(attempt.at))}</span>
          <span class={ok ? "mono" : "mono c-fail"}>{attempt.status ?? "–"}</span>
          <span class="wraps">{attempt.error}</span>
        </li>
      );
    })}
  </ol>
);
