// Does not check the schema of a protocol, so newer versions pass; anything but a JSON-RPC message does not.
import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

export interface LineEnds {
  readonly input: Readable
  readonly output: Writable
  readonly end: () => Promise<void>
}

export interface JsonLinesOptions {
  /** Rejects when there is no peer. */
  readonly connect: () => Promise<LineEnds>
  readonly refusesLines: boolean
}

/** A longer line ends the connection. */
const MAX_LINE_BYTES = 64 * 1024 * 1024
const NEWLINE = 0x0a
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600

export class JsonLines {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #options: JsonLinesOptions
  #ends: LineEnds | null = null
  #chunks: Buffer[] = []
  #bytes = 0
  #hasEnded = false
  #isClosed = false

  constructor(options: JsonLinesOptions) {
    this.#options = options
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  async start(): Promise<void> {
    const ends = await this.#options.connect()
    this.#ends = ends
    const { input, output } = ends
    input.on('data', (chunk: Buffer) => this.#read(chunk))
    input.once('end', () => this.#over())
    for (const stream of [input, output]) {
      stream.on('error', (error) => {
        if (!this.#isClosed) this.onerror?.(error)
        this.#over()
      })
    }
  }

  /** Rejects when the peer is gone. */
  send(message: object): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ends === null) return reject(new Error('The connection has not been started.'))
      this.#ends.output.write(`${JSON.stringify(message)}\n`, (error) =>
        error ? reject(error) : resolve(),
      )
    })
  }

  async close(): Promise<void> {
    const wasOpen = !this.#isClosed
    this.#isClosed = true
    const ends = this.#ends
    this.#ends = null
    ends?.input.removeAllListeners('data')
    ends?.input.resume()
    await ends?.end()
    if (wasOpen) this.onclose?.()
  }

  #over(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#hasEnded = true
    this.onclose?.()
  }

  #read(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#chunks.push(chunk.subarray(from, at))
      const line = Buffer.concat(this.#chunks).toString('utf8')
      this.#chunks = []
      this.#bytes = 0
      from = at + 1
      this.#take(line)
    }
    if (from === chunk.length) return
    this.#chunks.push(chunk.subarray(from))
    this.#bytes += chunk.length - from
    if (this.#bytes <= MAX_LINE_BYTES) return
    this.onerror?.(new Error('A line is longer than 64 MiB, so the connection ends.'))
    void this.close()
  }

  #take(line: string): void {
    if (line.trim() === '' || this.#isClosed) return
    const value = parsed(line)
    if (value === undefined) this.#refuse(PARSE_ERROR, 'A line is not JSON.')
    else if (isMessage(value)) this.onmessage?.(value)
    else this.#refuse(INVALID_REQUEST, 'A line is not one JSON-RPC 2.0 message.')
  }

  #refuse(code: number, message: string): void {
    this.onerror?.(new Error(message))
    if (!this.#options.refusesLines) return
    this.send({ jsonrpc: '2.0', id: null, error: { code, message } }).catch(() => undefined)
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** An array of messages is rejected: code that evaluates single messages must not let one pass. */
function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { jsonrpc, id, method } = { jsonrpc: null, id: undefined, method: undefined, ...value }
  if (jsonrpc !== '2.0') return false
  const hasId = typeof id === 'string' || typeof id === 'number'
  if (typeof method === 'string') return hasId || id === undefined
  return method === undefined && (hasId || id === null) && ('result' in value || 'error' in value)
}

export function ownStreams({ stdin, stdout }: Pick<NodeJS.Process, 'stdin' | 'stdout'>): JsonLines {
  const connect = async () => {
    // A client that is gone is a normal end: recorded events must still be sent, so the process must not exit at once.
    stdout.removeAllListeners('error')
    return { input: stdin, output: stdout, end: async () => void stdin.destroy() }
  }
  return new JsonLines({ connect, refusesLines: true })
}
