import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerRuntime } from '@/server/http/node-listener.ts'

export interface DataPlaneServer {
  readonly port: number
  readonly url: string
  close(): Promise<void>
}

/** `wanted`: the port of an earlier one, to come back as a restarted server does. */
export async function serveDataPlane(wanted = 0): Promise<DataPlaneServer> {
  const server = http.createServer(answerRuntime)
  await new Promise<void>((resolve) => {
    server.listen(wanted, '127.0.0.1', resolve)
  })
  // `listen` on a TCP port, so that the address is never a path.
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
