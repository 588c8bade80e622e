import { Copy } from "../../../parts/texts/copy.tsx";
import { JsonTree } from "../../../parts/texts/json-tree.tsx";
import { Loaded, useApi } from "../parts.tsx";

/** The kinds of what delivers, as the API names them. */
export type Sender = "webhooks" | "notice-rules";

interface PayloadProps {
  from: Sender;
  id: string;
  deliveryId: string;
}

/** The posted body, as JSON that folds. It is read when the delivery is unfolded. */
export function Payload({ from, ...path }: PayloadProps) {
  const one = useApi(`GET /api/${from}/:id/deliveries/:deliveryId`, { path });
  return (
    <div class="pad" role="group" aria-label="Payload">
      <Loaded of={one}>
        {({ payload }) =>
          payload ? (
            <>
              <div class="row">
                <b>Payload</b>
                <Copy text={JSON.stringify(payload)} label="Copy the payload">
                  Copy
                </Copy>
              </div>
              <div class="js">
                <JsonTree value={payload} open={2} />
              </div>
            </>
          ) : (
            <p class="mid">The change is no longer kept, so its payload cannot be shown or sent.</p>
          )
        }
      </Loaded>
    </div>
  );
}
