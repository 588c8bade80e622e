import { CopyButton } from "../../../parts/texts/copy.tsx";
import { JsonTree } from "../../../parts/texts/json-tree.tsx";
import { LoadedReply, useEndpoint } from "../parts.tsx";

/** Segments of API paths that name the type of sender: a webhook or a notice rule. */
export type DeliverySenderKind = "webhooks" | "notice-rules";

interface PayloadProps {
  from: DeliverySenderKind;
  id: string;
  deliveryId: string;
}

/** Body of a delivery, as collapsible JSON. The body is read when the user expands the delivery. */
export function DeliveryPayload({ from, ...path }: PayloadProps) {
  const one = useEndpoint(`GET /api/${from}/:id/deliveries/:deliveryId`, { path });
  return (
    <div class="pad" role="group" aria-label="Payload">
      <LoadedReply of={one}>
        {({ payload }) =>
          payload ? (
            <>
              <div class="row">
                <b>Payload</b>
                <CopyButton text={JSON.stringify(payload)} label="Copy the payload">
                  Copy
                </CopyButton>
              </div>
              <div class="js">
                <JsonTree value={payload} open={2} />
              </div>
            </>
          ) : (
            <p class="mid">Trackway no longer stores this change, so you cannot view or redeliver the payload.</p>
          )
        }
      </LoadedReply>
    </div>
  );
}
