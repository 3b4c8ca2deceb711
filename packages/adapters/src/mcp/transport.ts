export type RequestId = string | number

type Fields = { readonly [name: string]: unknown }

export type JsonRpcMessage =
  | {
      readonly jsonrpc: '2.0'
      readonly id?: RequestId | undefined
      readonly method: string
      readonly params?: Fields | undefined
    }
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly result: Fields }
  | {
      readonly jsonrpc: '2.0'
      readonly id?: RequestId | undefined
      readonly error: {
        readonly code: number
        readonly message: string
        readonly data?: unknown
      }
    }

/** Declared as a method, because the SDKs narrow the message by schemas of their own. */
type MessageHandler = { handle(message: JsonRpcMessage): void }['handle']

/** Declared the same by `@modelcontextprotocol/sdk` 1 and its successors 2, so that a host can use either. */
export interface Transport {
  start(): Promise<void>
  send(message: JsonRpcMessage): Promise<void>
  close(): Promise<void>
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: MessageHandler | undefined
  setProtocolVersion?: ((version: string) => void) | undefined
}
