import { CopyButton } from "../../../parts/texts/copy.tsx";
import { JsonTree } from "../../../parts/texts/json-tree.tsx";
import { LoadedReply, useEndpoint } from "../parts.tsx";

/** Kinds of senders, as in the paths of the API. */
export type DeliverySender = "webhooks" | "notice-rules";

interface PayloadProps {
  from: DeliverySender;
  id: string;
  deliveryId: string;
}

/** Body of a delivery, as JSON that folds. The body is read when the user unfolds the delivery. */
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
