// @ts-check
// npm run bench [-- names]: prints the figures of this machine. Names: decision, size, ingest; absent: all.
import { prepare } from './build-steps.mjs'

const NAMES = ['decision', 'size', 'ingest']

prepare({ web: true })
const asked = process.argv.slice(2)
for (const name of asked.length > 0 ? asked : NAMES) {
  const bench = await import(new URL(`../bench/${name}.mjs`, import.meta.url).href)
  await bench.run()
}
