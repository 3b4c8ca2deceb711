// Two deaths of the HA database under load, in a soak only: starting and healing the cluster takes a minute. All of them:
// `npm run scale-lab -- prove`.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { findLab } from './find-lab.ts'
import { startHaDatabase } from './ha-database.mjs'
import { proveDeaths } from './prove.mjs'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-scale-lab-'))

const lab = await findLab(folder)

afterAll(() => {
  if (typeof lab !== 'string') lab.end()
  fs.rmSync(folder, { recursive: true, force: true })
})

const title = 'the death of the primary and of the leader of etcd loses and repeats no event'
it.skipIf(typeof lab === 'string')(
  typeof lab === 'string' ? `${title} (skipped: ${lab})` : title,
  async () => {
    if (typeof lab === 'string') return
    const database = await startHaDatabase(lab, { ttl: 6 })
    const names = ['primary', 'etcd']
    const seen: string[] = []
    await proveDeaths(database, names, ({ death, acknowledged, lost, duplicates, faults }) => {
      expect({ lost, duplicates, faults }, death).toEqual({ lost: 0, duplicates: 0, faults: [] })
      expect(acknowledged).toBeGreaterThan(0)
      seen.push(death)
    })
    expect(seen).toEqual(names)
  },
  300_000,
)
