// @ts-check
import fs from 'node:fs'
import path from 'node:path'
import { freePort, until } from './lab.mjs'

const NODES = ['nats1', 'nats2', 'nats3']

/**
 * Resolves with the addresses of the servers, separated by commas.
 * @param {import('./lab.mjs').Lab} lab
 */
export async function startEventLog(lab) {
  const ports = await Promise.all(
    NODES.map(async (node) => ({
      node,
      client: await freePort(),
      route: await freePort(),
      monitor: await freePort(),
    })),
  )
  const routes = ports.map(({ route }) => `"nats://127.0.0.1:${route}"`).join(', ')
  for (const { node, client, route, monitor } of ports) {
    const file = path.join(lab.folder, `${node}.conf`)
    fs.writeFileSync(
      file,
      `server_name: ${node}
listen: 127.0.0.1:${client}
http: 127.0.0.1:${monitor}
jetstream { store_dir: "${path.join(lab.folder, node)}", max_mem: 64MB, max_file: 8GB }
cluster { name: signalbox, listen: 127.0.0.1:${route}, routes: [ ${routes} ] }
`,
    )
    lab.start(node, 'nats-server', ['-c', file])
  }
  const isHealthy = ({ monitor = 0 }) =>
    fetch(`http://127.0.0.1:${monitor}/healthz`, { signal: AbortSignal.timeout(1000) }).then(
      ({ ok }) => ok,
      () => false,
    )
  await until('NATS', 30, async () => (await Promise.all(ports.map(isHealthy))).every(Boolean))
  return ports.map(({ client }) => `nats://127.0.0.1:${client}`).join(',')
}
