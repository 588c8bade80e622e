import { useState } from "preact/hooks";
import type { Reply } from "../../data/api.ts";
import { Icon } from "../../parts/icon.tsx";
import { Loaded, useApi } from "./parts.tsx";

/** The prices of the table that comes with the server, found by a part of a model's name. */
export function ListPrices() {
  const [search, find] = useState("");
  const list = useApi("GET /api/prices", { query: { search } });
  return (
    <div class="stack full of-prices">
      <h3>List prices</h3>
      <label class="find">
        <Icon name="search" class="i-14" />
        <span class="sr">Find a model</span>
        <input
          type="search"
          placeholder="Find a model"
          maxLength={100}
          value={search}
          onChange={(event) => find(event.currentTarget.value.trim())}
        />
      </label>
      <Loaded of={list}>{(found) => <Found {...found} />}</Loaded>
    </div>
  );
}

function Found({ prices, total }: Reply<"GET /api/prices">) {
  if (total === 0)
    return <p class="hint">No model of the table has this in its name: its cost is unknown without an own price.</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a phone, and the keys have to reach it */}
      <div class="card scrolls" tabIndex={0} role="region" aria-label="List prices">
        <table class="tbl list-prices">
          <thead>
            <tr>
              <th>Model</th>
              <th class="num">In</th>
              <th class="num">Out</th>
              <th class="num">From cache</th>
              <th class="num">To cache</th>
              <th>Source</th>
            </tr>
          </thead>
          <tbody>
            {prices.map(({ model, input, output, cacheRead, cacheWrite, tiered }) => (
              <tr key={model}>
                <td class="mono">{model}</td>
                <td class="num strong">{dollars(input)}</td>
                <td class="num strong">{dollars(output)}</td>
                <td class="num">{dollars(cacheRead)}</td>
                <td class="num">{dollars(cacheWrite)}</td>
                <td class="mid">{tiered ? "list price, more for long prompts" : "list price"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint" role="status">
        {prices.length < total && `The first ${prices.length} of ${total} models. `}A dash costs what input does.
      </p>
    </>
  );
}

const dollars = (price: number | null): string => (price === null ? "–" : `$${price.toFixed(price < 0.01 ? 4 : 2)}`);
