import { useState } from "preact/hooks";
import { type PriceInput, Prices, type PricesQuery, UpdateOrganization } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { ListPriceTable } from "./list-prices.tsx";
import { OwnerSettingsForm, SettingCheckbox } from "./owners-form.tsx";
import { isCurrentUserOwner, SettingsPageHeader } from "./parts.tsx";

type Known = PricesQuery["organization"];

/** Custom prices per million tokens, and the setting of computed costs. Only owners can change the settings. */
export function PricesSettings() {
  const { data, error, reload } = useQuery(Prices, {});
  return (
    <>
      <SettingsPageHeader title="Prices">
        Trackway computes the cost of events for which an agent reports no cost, from prices per million tokens. Your
        custom prices override the list prices of the server. When you change a price, Trackway recomputes the costs of
        the last 90 days.
      </SettingsPageHeader>
      {!isCurrentUserOwner() && <p class="note">Only owners of the organization can change these settings.</p>}
      <LoadedContent data={data?.organization} error={error} retry={reload} lines={4}>
        {(organization) => (
          <>
            <PricesForm known={organization} saved={reload} />
            <ListPriceTable />
          </>
        )}
      </LoadedContent>
    </>
  );
}

const COLUMNS = [
  ["model", "Model", "gpt-5*"],
  ["input", "Input", "1.25"],
  ["output", "Output", "10"],
  ["cacheRead", "Cache read", "as input"],
  ["cacheWrite", "Cache write", "as input"],
  ["from", "Valid from", ""],
] as const;

type Row = Partial<Record<(typeof COLUMNS)[number][0], string | number | null>> & { key: number };

let rows = 0;
const newRow = (price: object = {}): Row => ({ ...price, key: rows++ });

function PricesForm({ known, saved }: { known: Known; saved: () => Promise<void> }) {
  const [prices, setPrices] = useState<readonly Row[]>(() => known.ownPrices.map(newRow));
  const save = (form: FormData) => {
    const input = { pricesEnabled: form.has("pricesEnabled"), ownPrices: prices.map(({ key }) => priceOf(form, key)) };
    return requestGraphQL(UpdateOrganization, { input }).then(saved);
  };
  return (
    <OwnerSettingsForm
      legend="Prices"
      class="of-prices"
      save={save}
      hint="Prices are in US dollars per million tokens. In a model name, * matches any characters."
      actions={
        <button class="btn" type="button" onClick={() => setPrices([...prices, newRow()])}>
          <Icon name="plus" class="i-14" /> Add custom price
        </button>
      }
    >
      <SettingCheckbox
        name="pricesEnabled"
        on={known.pricesEnabled}
        label="Compute costs"
        hint="If cost computation is off, Trackway shows only costs that agents report."
      />
      {prices.length > 0 && (
        <Table prices={prices} remove={(key) => setPrices(prices.filter((one) => one.key !== key))} />
      )}
    </OwnerSettingsForm>
  );
}

const Table = ({ prices, remove }: { prices: readonly Row[]; remove: (key: number) => void }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a phone, and the keys have to reach it
  <div class="card scrolls" tabIndex={0} role="region" aria-label="Custom prices">
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

/** Reads the price in a row of the form. */
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
