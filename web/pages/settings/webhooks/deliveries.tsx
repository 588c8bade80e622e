import { useState } from "preact/hooks";
import type { Reply } from "../../../data/api.ts";
import { api } from "../../../data/session.ts";
import { Icon } from "../../../parts/icon.tsx";
import { Older } from "../../../parts/lists/older.tsx";
import { clock, exact } from "../../../parts/texts/format.ts";
import { toast } from "../../../parts/toast.tsx";
import { Loaded, useApi } from "../parts.tsx";
import { Payload, type Sender } from "./payload.tsx";

type Delivery = Reply<"GET /api/webhooks/:id/deliveries">["deliveries"][number];
type Attempt = Delivery["attempts"][number];

const MOST = 10;

interface DeliveriesProps {
  from: Sender;
  id: string;
  target: string;
  /** Shown where there are no deliveries. */
  none: string;
  /** Why the webhook or the rule sends nothing, or not to everybody. */
  error: string | null;
}

/** The deliveries of a webhook, or of a rule of notices, newest first, with each attempt. */
export function Deliveries({ from, id, target, none, error }: DeliveriesProps) {
  const [cursor, setCursor] = useState("");
  const [failedOnly, setFailedOnly] = useState(false);
  const list = useApi(`GET /api/${from}/:id/deliveries`, { path: { id }, query: { limit: 50, cursor } });
  const again = (delivery: Delivery) =>
    api(`POST /api/${from}/:id/deliveries/:deliveryId/redeliver`, { path: { id, deliveryId: delivery.id } })
      .then(() => toast("It is sent again."))
      .catch((failure: Error) => toast(failure.message))
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
            <Icon name="retry" class="i-14" />
            Read again
          </button>
        </span>
      </header>
      {error && <p class="pad note">{error}</p>}
      <Loaded of={list}>
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
                <Older cursor={cursor} next={next_cursor} show={setCursor} />
              </p>
            )}
          </>
        )}
      </Loaded>
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
  from: Sender;
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
            Answer
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
          <One key={delivery.id} delivery={delivery} {...rest} />
        ))}
      </tbody>
    </table>
  );
}

function One({ from, id, delivery, again }: OneProps) {
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
          <time dateTime={at} title={exact(Date.parse(at))}>
            {clock(Date.parse(at))}
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
            <Payload from={from} id={id} deliveryId={delivery.id} />
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

const answerOf = ({ status, error }: Attempt): string => (status === null ? (error ?? "no answer") : String(status));

const Attempts = ({ delivery }: { delivery: Delivery }) => (
  <ol class="tries">
    {delivery.attempts.length === 0 && <li>No attempt was made yet.</li>}
    {delivery.attempts.map((attempt, at) => {
      const ok = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
      return (
        <li key={attempt.at}>
          <Icon name={ok ? "okc" : "fail"} class={ok ? "i-14 c-ok" : "i-14 c-fail"} />
          <span>Attempt {at + 1}</span>
          <span class="mono">{clock(Date.parse(attempt.at))}</span>
          <span class={ok ? "mono" : "mono c-fail"}>{attempt.status ?? "–"}</span>
          <span class="wraps">{attempt.error}</span>
        </li>
      );
    })}
  </ol>
);
