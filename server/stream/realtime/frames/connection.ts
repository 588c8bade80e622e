import type { Socket } from "socket.io";
import type { Batch } from "./batch.ts";

/** The connection under a socket, as far as batches and their back-pressure need it. */
export interface Connection {
  /** Writes a batch; `sent` is called when it has left this process (never, when the connection ends before). */
  write(batch: Batch, sent?: () => void): void;
  /** Bytes written that have not left this process. */
  buffered(): number;
  /** Says why, and closes; the client reconnects by itself. 4000–4999 are codes of our own (docs/realtime.md). */
  close(code: number, reason: string): void;
  /** Cuts the connection at once, with its buffer. */
  cut(): void;
}

/**
 * The parts of engine.io and ws that are used beyond their published types. Tests of realtime fail when they change.
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

/** The longest wait for a client's answer to a close frame. */
const CLOSE_MS = 500;

/** The connection under a socket. */
export function connectionOf(socket: Socket): Connection {
  const engine = socket.conn as unknown as Engine;
  const webSocket = () => engine.transport.socket;
  return {
    write(batch, sent) {
      const { writable, socket: open } = engine.transport;
      // With nothing queued before it, a batch can pass by engine.io's queue, which costs as much as half a write.
      if (open?._sender && writable && engine.writeBuffer.length === 0 && engine.readyState === "open") {
        open._sender.sendFrame([batch.frames], sent);
        return;
      }
      // engine.io sends the frames as they are over WebSocket, and the text as a payload over long polling.
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
