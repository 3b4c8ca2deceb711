// Opens the notification stream over node:http, with a socket that does not keep the agent's process alive. A streaming `fetch` would
// (measured on Node 20), so an agent that never calls `close` would not exit.
import http from 'node:http'
import https from 'node:https'

/** null: the server did not accept. Rejects when the connection fails; the body ends or fails with the connection. */
export function openNotificationStream(
  address: string,
  { headers, signal }: { readonly headers: Record<string, string>; readonly signal: AbortSignal },
): Promise<AsyncIterable<Uint8Array> | null> {
  const get = address.startsWith('https:') ? https.get : http.get
  return new Promise((resolve, reject) => {
    const request = get(address, { headers, signal, agent: false }, (response) => {
      if (response.statusCode === 200) {
        resolve(response)
        return
      }
      response.resume()
      resolve(null)
    })
    request.on('socket', (socket) => socket.unref())
    request.on('error', reject)
  })
}
