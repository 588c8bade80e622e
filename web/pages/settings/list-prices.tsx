import { useState } from "preact/hooks";
import type { EndpointReply } from "../../data/api.ts";
import { Icon } from "../../parts/icon.tsx";
import { LoadedReply, useEndpoint } from "./parts.tsx";

/** List prices of the server, with a search by model name. */
export function ListPriceTable() {
  const [search, find] = useState("");
  const list = useEndpoint("GET /api/prices", { query: { search } });
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
      <LoadedReply of={list}>{(found) => <Found {...found} />}</LoadedReply>
    </div>
  );
}

function Found({ prices, total }: EndpointReply<"GET /api/prices">) {
  if (total === 0)
    return (
      <p class="hint">
        No model name in the price list contains this text. Without a custom price, the cost of the model is unknown.
      </p>
    );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a phone, and the keys have to reach it */}
      <div class="card scrolls" tabIndex={0} role="region" aria-label="List prices">
        <table class="tbl list-prices">
          <thead>
            <tr>
              <th>Model</th>
              <th class="num">Input</th>
              <th class="num">Output</th>
              <th class="num">Cache read</th>
              <th class="num">Cache write</th>
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
                <td class="mid">{tiered ? "list price, higher for long prompts" : "list price"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint" role="status">
        {prices.length < total && `The table shows the first ${prices.length} of ${total} models. `}A dash means the
        same price as input.
      </p>
    </>
  );
}

const dollars = (price: number | null): string => (price === null ? "–" : `$${price.toFixed(price < 0.01 ? 4 : 2)}`);
