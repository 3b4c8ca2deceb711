// Exits with 1 if the shared memory file has a lower revision than this process wrote.
import fs from 'node:fs'
import { ConfigMemory } from '../control-plane/config-memory.ts'

const [file = '', first = '0', end = '0'] = process.argv.slice(2)
const memory = new ConfigMemory(file, { root: null, report: () => process.exit(1) })
const text = 'bundle'.padEnd(200_000, '.')
for (let revision = Number(first); revision < Number(end); revision += 2) {
  memory.remember({ public_key: 'a', highest_revision: revision, bundle: { text, signature: 'a' } })
  const { highest_revision: known } = JSON.parse(fs.readFileSync(file, 'utf8'))
  if (known < revision) process.exit(1)
}
