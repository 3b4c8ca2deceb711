// A request is six words and the hook's JSON; an answer is a head of fixed width and its JSON. HTTP would cost the shim a third of its
// time, because bash parses it. A request in another format, or without the token, gets no answer, and the shim refuses.

import net from 'node:net'
import type { DaemonHooks } from '@signalbox/adapters'
import { isSameSecret } from '@signalbox/runtime/base'
import {
  answerHook,
  type Hook,
  type HookParts,
  type HookReply,
  MAX_BODY_BYTES,
} from './hook-answer.ts'
import type { ShimSecrets } from './shim-address.ts'

/** A token, two names, and two environment variables that the shim shortens. */
const MAX_HEAD_BYTES = 4096
/** Time limit for the request; the shim sends it at once. */
const ASKING_MS = 10_000
/** Ends each of the six words, none of which contains it: token, harness, version, agent, trace, and the byte length of the hook's JSON. */
const PART_END = '\t'
const PARTS = 6

export interface ShimServer {
  readonly server: net.Server
  readonly cut: () => void
}

/** The caller listens and closes. */
export function shimServer(parts: HookParts, secrets: ShimSecrets): ShimServer {
  const open = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy())
    serve(parts, secrets, socket).catch(() => socket.destroy())
  })
  return { server, cut: () => open.forEach((socket) => void socket.destroy()) }
}

async function serve(parts: HookParts, secrets: ShimSecrets, socket: net.Socket): Promise<void> {
  const gone = new AbortController()
  socket.once('close', () => gone.abort())
  socket.setTimeout(ASKING_MS, () => socket.destroy())
  const asked = await readQuestion(socket, secrets.token)
  if (asked === null) return void socket.destroy()
  socket.setTimeout(0)
  const { name, ...rest } = asked
  const harness = parts.harnesses.get(name)
  const { status, json } = await replyTo(parts, harness, { way: 'command', ...rest, gone })
  const body = JSON.stringify(json)
  socket.end(`${answerHead(secrets.proof, status, Buffer.byteLength(body))}${body}`)
}

type Reply = Omit<HookReply, 'status'> & { readonly status: HookReply['status'] | 404 }

async function replyTo(
  parts: HookParts,
  harness: DaemonHooks | undefined,
  hook: Omit<Hook, 'harness'>,
): Promise<Reply> {
  if (harness === undefined) return { status: 404, json: {} }
  return answerHook(parts, { ...hook, harness })
}

/** Formats `<proof> <status> <byte length of the answer, eight digits>` and a line break. */
export function answerHead(proof: string, status: number, bytes: number): string {
  return `${proof} ${status} ${String(bytes).padStart(8, '0')}\n`
}

interface Question extends Pick<Hook, 'body' | 'version' | 'agent' | 'trace'> {
  readonly name: string
}

interface Head extends Omit<Question, 'body'> {
  readonly bytes: number
}

/** null: the data is not a request, has another token, or was cut off. Later data is dropped. */
function readQuestion(socket: net.Socket, token: string): Promise<Question | null> {
  const reader = new QuestionReader(token)
  return new Promise((resolve) => {
    const take = (chunk: Buffer) => {
      const asked = reader.take(chunk)
      if (asked === 'more') return
      socket.off('data', take).resume()
      resolve(asked)
    }
    socket.on('data', take).once('close', () => resolve(null))
  })
}

class QuestionReader {
  readonly #token: string
  #chunks: Buffer[] = []
  #bytes = 0
  #head: Head | null = null

  constructor(token: string) {
    this.#token = token
  }

  /** null: the data is not a request. */
  take(chunk: Buffer): Question | 'more' | null {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#head === null) {
      const read = Buffer.concat(this.#chunks)
      const end = findHeadEnd(read)
      if (end === null) return read.length < MAX_HEAD_BYTES ? 'more' : null
      this.#head = parseShimHead(read.toString('utf8', 0, end), this.#token)
      if (this.#head === null) return null
      this.#chunks = [read.subarray(end)]
      this.#bytes -= end
    }
    const { bytes, ...rest } = this.#head
    if (this.#bytes < bytes) return 'more'
    return { ...rest, body: Buffer.concat(this.#chunks).subarray(0, bytes) }
  }
}

/** Offset of the hook's JSON; null: the head is incomplete. */
function findHeadEnd(read: Buffer): number | null {
  let at = 0
  for (let part = 0; part < PARTS; part += 1) {
    const end = read.indexOf(PART_END, at)
    if (end < 0) return null
    at = end + 1
  }
  return at
}

function parseShimHead(text: string, token: string): Head | null {
  const [given = '', name = '', version = '', agent = '', trace = '', length = ''] =
    text.split(PART_END)
  if (!isSameSecret(given, token) || !/^\d{1,8}$/.test(length)) return null
  const bytes = Number(length)
  if (bytes > MAX_BODY_BYTES) return null
  return { name, version, agent: agent || null, trace: trace || null, bytes }
}
