// Prints the number of each signing key once it is stored: from then on the previous key must not return.
import { ConfigMemory, rememberedTrust } from '../control-plane/config-memory.ts'

const [file = ''] = process.argv.slice(2)
const memory = new ConfigMemory(file, { root: null, report: () => process.exit(1) })
const past: string[] = []
for (let i = 0; i < 100_000; i++) {
  const key = `key${i}`
  memory.remember({
    ...rememberedTrust({ key, next: [`key${i + 1}`], past }),
    bundle: { text: `bundle ${i}`.padEnd(200_000, '.'), signature: key },
    highest_revision: i,
  })
  past.push(key)
  process.stdout.write(`${i}\n`)
}
