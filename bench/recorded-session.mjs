import http from 'node:http'
import { text } from 'node:stream/consumers'
import { createGuardrails } from '@signalbox/runtime'

const CALLS = 60

export async function recordSession(config) {
  const lines = []
  const guardrails = createGuardrails({ config, onEvent: (line) => lines.push(line) })
  const known = { lookUp: async () => ({ exists: true, kind: 'file', fingerprint: 'sha256:1' }) }
  const session = guardrails.openSession({ files: known, deadlineAt: Date.now() + 600_000 })
  for (let i = 0; i < CALLS; i++) {
    const call = {
      tool: i % 2 === 0 ? 'read_file' : 'write_file',
      args: { path: `src/${i >> 1}.ts` },
      callId: `c${i}`,
    }
    const verdict = await session.beforeToolCall(call)
    if (verdict.allowed)
      await session.afterToolCall({ ...call, outcome: 'success', output: 'ok', durationMs: 3 })
  }
  await session.end({ reason: 'completed' })
  return lines
}

/** Events that a live agent reports at once. */
export const PIECE = 20

/** @param {readonly string[]} lines */
export function toPieces(lines) {
  const pieces = []
  for (let at = 0; at < lines.length; at += PIECE) pieces.push(lines.slice(at, at + PIECE))
  return pieces
}

const EVENTS = '/api/runtime/v1/events'

const toHeaders = (key) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/x-ndjson',
  'content-encoding': 'gzip',
})

/**
 * @param {string} url
 * @param {string} key
 * @param {{ body: Buffer<ArrayBuffer>, signal?: AbortSignal }} batch gzip NDJSON
 */
export function postEvents(url, key, { body, signal }) {
  return fetch(`${url}${EVENTS}`, {
    method: 'POST',
    headers: toHeaders(key),
    body,
    ...(signal === undefined ? {} : { signal }),
  })
}

/** Number of events that are stored, now or before; 0: the server is too busy. */
export async function sendEvents(url, body, key) {
  const answer = await postEvents(url, key, { body })
  return countStored(answer.status, await answer.text())
}

/** One connection, as each agent has, so that a session stays with the web process that keeps its state. */
export function openConnection(url) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  return (body, key) =>
    new Promise((resolve, reject) => {
      const options = { agent, method: 'POST', headers: toHeaders(key) }
      http
        .request(`${url}${EVENTS}`, options, async (answer) => {
          try {
            resolve(countStored(answer.statusCode, await text(answer)))
          } catch (error) {
            reject(error)
          }
        })
        .once('error', reject)
        .end(body)
    })
}

function countStored(status, answer) {
  if (status === 429) return 0
  if (status !== 200) throw new Error(`${status} ${answer}`)
  const { stored, duplicates, errors } = JSON.parse(answer)
  if (errors.length > 0) throw new Error(JSON.stringify(errors[0]))
  return stored + duplicates
}
