import http from 'node:http'
import { isJsonObject, type JsonObject } from '@signalbox/core'

export interface SocketRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  /** Milliseconds. Absent: 2,000. */
  readonly timeoutMs?: number
}

export interface SocketAnswer {
  readonly status: number
  readonly body: string
}

/** Rejects when no answer arrives in time. */
export function askSocket(socketPath: string, asked: SocketRequest): Promise<SocketAnswer> {
  const { method, path, headers = {}, body = '', timeoutMs = 2000 } = asked
  return new Promise((resolve, reject) => {
    const options = {
      socketPath,
      method,
      path,
      headers: { host: 'localhost', ...headers, 'content-length': Buffer.byteLength(body) },
      // Opens a new connection each time: a kept one may belong to a daemon that has ended.
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    }
    const request = http.request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    request.once('error', reject)
    request.end(body)
  })
}

/** Answer of `GET /health` (specs/daemon.md); null: none answers, or it is of another version. */
export async function askHealth(socket: string): Promise<JsonObject | null> {
  try {
    const { body } = await askSocket(socket, { method: 'GET', path: '/health' })
    const health: unknown = JSON.parse(body)
    return isJsonObject(health) ? health : null
  } catch {
    return null
  }
}
