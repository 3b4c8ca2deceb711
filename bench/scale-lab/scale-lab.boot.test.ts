// Deaths under load at a large site, in a soak only: it takes minutes. All of them: `npm run scale-lab -- prove`, `npm run chaos`.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it, onTestFailed } from 'vitest'
import { runChaos, scheduleDeaths } from './chaos.mjs'
import { DEATHS } from './deaths.mjs'
import { findLab } from './find-lab.ts'
import { startHaDatabase } from './ha-database.mjs'
import { proveDeaths } from './prove.mjs'
import { startSite } from './site.mjs'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-scale-lab-'))

const lab = await findLab(folder)
/** The logs in the folder are kept after a failure. */
let hasFailed = false

afterAll(() => {
  if (typeof lab !== 'string') lab.end()
  if (!hasFailed) fs.rmSync(folder, { recursive: true, force: true })
})

const title = 'deaths of the database, of PgBouncer and of a replica lose and repeat no event'
it.skipIf(typeof lab === 'string')(
  typeof lab === 'string' ? `${title} (skipped: ${lab})` : title,
  async () => {
    if (typeof lab === 'string') return
    onTestFailed(() => {
      hasFailed = true
      process.stdout.write(`The logs are in ${folder}.\n`)
    })
    const site = await startSite(await startHaDatabase(lab, { ttl: 6 }))
    const names = ['primary', 'pooler', 'replica']
    const strikes = names.map((name) => ({ name, calmSeconds: 3 }))
    const seen: string[] = []
    await proveDeaths(site, strikes, ({ death, acknowledged, lost, duplicates, faults }) => {
      expect({ lost, duplicates, faults }, death).toEqual({ lost: 0, duplicates: 0, faults: [] })
      expect(acknowledged).toBeGreaterThan(0)
      seen.push(death)
    })
    expect(seen).toEqual(names)
    const printed: string[] = []
    const print = (line: string): number => printed.push(line)
    expect(await runChaos(site, { minutes: 0.5, seed: 1, print }), printed.join('\n')).toBe(true)
  },
  420_000,
)

it('a seed repeats its schedule, and each round of it has every death once', () => {
  const all = Object.keys(DEATHS).sort()
  const rounds = (seed: number) => {
    const schedule = scheduleDeaths(seed)
    return Array.from({ length: 2 * all.length }, () => schedule.next().value)
  }
  expect(rounds(3)).toEqual(rounds(3))
  expect(rounds(4)).not.toEqual(rounds(3))
  const names = rounds(3).map((strike) => strike?.name)
  expect(names.slice(0, all.length).sort()).toEqual(all)
  expect(names.slice(all.length).sort()).toEqual(all)
})
