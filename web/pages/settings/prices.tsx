import { useState } from "preact/hooks";
import { type PriceInput, Prices, type PricesQuery, UpdateOrganization } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { ListPrices } from "./list-prices.tsx";
import { OwnersForm, Switch } from "./owners-form.tsx";
import { Intro, isOwner } from "./parts.tsx";

type Known = PricesQuery["organization"];

/** An organization's own prices of a million tokens, and the switch of computed costs; owners change both. */
export function PricesPart() {
  const { data, error, reload } = useQuery(Prices, {});
  return (
    <>
      <Intro title="Prices">
        What a million tokens cost where an agent does not report its cost. Your own prices go before the table that
        comes with the server. Costs of the last 90 days follow a change.
      </Intro>
      {!isOwner() && <p class="note">Only owners of the organization change this.</p>}
      <Loaded data={data?.organization} error={error} retry={reload} lines={4}>
        {(organization) => (
          <>
            <PricesForm known={organization} saved={reload} />
            <ListPrices />
          </>
        )}
      </Loaded>
    </>
  );
}

const COLUMNS = [
  ["model", "Model", "gpt-5*"],
  ["input", "In", "1.25"],
  ["output", "Out", "10"],
  ["cacheRead", "From cache", "as in"],
  ["cacheWrite", "To cache", "as in"],
  ["from", "From day", ""],
] as const;

type Row = Partial<Record<(typeof COLUMNS)[number][0], string | number | null>> & { key: number };

let rows = 0;
const newRow = (price: object = {}): Row => ({ ...price, key: rows++ });

function PricesForm({ known, saved }: { known: Known; saved: () => Promise<void> }) {
  const [prices, setPrices] = useState<readonly Row[]>(() => known.ownPrices.map(newRow));
  const save = (form: FormData) => {
    const input = { pricesEnabled: form.has("pricesEnabled"), ownPrices: prices.map(({ key }) => priceOf(form, key)) };
    return request(UpdateOrganization, { input }).then(saved);
  };
  return (
    <OwnersForm
      legend="Prices"
      class="of-prices"
      save={save}
      hint="US dollars for a million tokens. In a model, * stands for any characters."
      actions={
        <button class="btn" type="button" onClick={() => setPrices([...prices, newRow()])}>
          <Icon name="plus" class="i-14" />
          Own price
        </button>
      }
    >
      <Switch
        name="pricesEnabled"
        on={known.pricesEnabled}
        label="Compute costs"
        hint="Off, only what agents report counts."
      />
      {prices.length > 0 && (
        <Table prices={prices} remove={(key) => setPrices(prices.filter((one) => one.key !== key))} />
      )}
    </OwnersForm>
  );
}

const Table = ({ prices, remove }: { prices: readonly Row[]; remove: (key: number) => void }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a phone, and the keys have to reach it
  <div class="card scrolls" tabIndex={0} role="region" aria-label="Own prices">
    <table class="tbl prices">
      <thead>
        <tr>
          {COLUMNS.map(([name, label]) => (
            <th key={name}>{label}</th>
          ))}
          <th>
            <span class="sr">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {prices.map((price, at) => (
          <tr key={price.key}>
            {COLUMNS.map(([name, label, placeholder]) => (
              <td key={name}>
                <input
                  class={name === "model" ? "in mono" : "in"}
                  aria-label={`${label} of price ${at + 1}`}
                  name={`${price.key} ${name}`}
                  {...TYPES[name]}
                  placeholder={placeholder}
                  defaultValue={price[name] ?? ""}
                />
              </td>
            ))}
            <td>
              <button
                class="btn quiet sq"
                type="button"
                aria-label={`Remove price ${at + 1}`}
                onClick={() => remove(price.key)}
              >
                <Icon name="x" class="i-14" />
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const DOLLARS = { type: "number", min: 0, step: "any" } as const;
const TYPES = {
  model: { required: true },
  input: { ...DOLLARS, required: true },
  output: { ...DOLLARS, required: true },
  cacheRead: DOLLARS,
  cacheWrite: DOLLARS,
  from: { type: "date", required: true },
} as const;

/** The price that stands in a row of the form. */
function priceOf(form: FormData, key: number): PriceInput {
  const text = (name: string) => String(form.get(`${key} ${name}`) ?? "").trim();
  const dollars = (name: string) => (text(name) === "" ? null : Number(text(name)));
  return {
    model: text("model"),
    input: Number(text("input")),
    output: Number(text("output")),
    cacheRead: dollars("cacheRead"),
    cacheWrite: dollars("cacheWrite"),
    from: text("from"),
  };
}
