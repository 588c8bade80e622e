import type { Socket } from "socket.io";
import type { EncodedChangeBatch } from "./batch.ts";

/**
 * A socket's connection, with only the operations that realtime needs: write batches, measure the unsent bytes, and
 * close.
 */
export interface SocketConnection {
  /** Writes a batch. Calls `sent` when the batch has left this process, or never when the connection ends first. */
  write(batch: EncodedChangeBatch, sent?: () => void): void;
  /** Bytes that are written but have not left this process. */
  buffered(): number;
  /**
   * Closes with a code and a reason. The client reconnects automatically. Codes 4000–4999 are
   * Trackway's own (docs/realtime.md).
   */
  close(code: number, reason: string): void;
  /** Closes the connection at once and discards the buffer. */
  cut(): void;
}

/**
 * Properties of engine.io and ws that their published types lack. The realtime tests fail if a new version changes
 * these properties.
 */
interface Engine {
  readyState: string;
  writeBuffer: readonly { data?: string; options?: { wsPreEncodedFrame?: readonly Buffer[] } }[];
  transport: { writable: boolean; socket?: WebSocketLike };
  write(data: string, options: object, sent?: () => void): void;
  close(discard?: boolean): void;
}

interface WebSocketLike {
  bufferedAmount: number;
  _sender?: { sendFrame(frames: readonly Buffer[], sent?: () => void): void };
  close(code: number, reason: string): void;
  terminate(): void;
}

/** Maximum wait for the client's close frame, in ms. */
const CLOSE_MS = 500;

export function createSocketConnection(socket: Socket): SocketConnection {
  const engine = socket.conn as unknown as Engine;
  const webSocket = () => engine.transport.socket;
  return {
    write(batch, sent) {
      const { writable, socket: open } = engine.transport;
      // If engine.io's queue is empty, the batch is written directly to the WebSocket. The way through the queue costs
      // as much as half a write.
      if (open?._sender && writable && engine.writeBuffer.length === 0 && engine.readyState === "open") {
        open._sender.sendFrame([batch.frames], sent);
        return;
      }
      // engine.io sends the prepared frames over WebSocket, and the text as a payload over long polling.
      engine.write(batch.text, { wsPreEncodedFrame: [batch.frames], compress: false }, sent);
    },
    buffered() {
      let bytes = webSocket()?.bufferedAmount ?? 0;
      for (const { data, options } of engine.writeBuffer) {
        bytes += options?.wsPreEncodedFrame?.[0]?.length ?? data?.length ?? 0;
      }
      return bytes;
    },
    close(code, reason) {
      const open = webSocket();
      open?.close(code, reason);
      if (open) setTimeout(() => open.terminate(), CLOSE_MS).unref();
      engine.close(true);
    },
    cut() {
      webSocket()?.terminate();
      engine.close(true);
    },
  };
}
