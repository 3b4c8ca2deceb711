// Opens the notification stream over node:http, with a socket that does not keep the agent's process alive. A streaming `fetch` would
// (measured on Node 20), so an agent that never calls `close` would not exit.
import http from 'node:http'
import https from 'node:https'

/** Resolves with any status. Rejects when the connection fails; the body ends or fails with the connection. */
export function openNotificationStream(
  address: string,
  { headers, signal }: { readonly headers: Record<string, string>; readonly signal: AbortSignal },
): Promise<http.IncomingMessage> {
  const get = address.startsWith('https:') ? https.get : http.get
  return new Promise((resolve, reject) => {
    const request = get(address, { headers, signal, agent: false }, resolve)
    request.on('socket', (socket) => socket.unref())
    request.on('error', reject)
  })
}
