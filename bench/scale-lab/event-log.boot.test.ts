// Deaths of everything that an acknowledged event passes through, in a soak only: it takes minutes.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { findLab } from './find-lab.ts'
import { LOG_DEATHS, proveLogDeaths } from './prove-log.mjs'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-log-lab-'))
const lab = await findLab(folder)

afterAll(() => {
  if (typeof lab !== 'string') lab.end()
  fs.rmSync(folder, { recursive: true, force: true })
})

const title = 'no death on the way of an acknowledged event loses or repeats it'
it.skipIf(typeof lab === 'string')(
  typeof lab === 'string' ? `${title} (skipped: ${lab})` : title,
  async () => {
    if (typeof lab === 'string') return
    const names = Object.keys(LOG_DEATHS)
    const seen: string[] = []
    await proveLogDeaths(lab, names, ({ death, acknowledged, lost, duplicates, faults }) => {
      expect({ lost, duplicates, faults }, death).toEqual({ lost: 0, duplicates: 0, faults: [] })
      expect(acknowledged).toBeGreaterThan(0)
      seen.push(death)
    })
    expect(seen).toEqual(names)
  },
  420_000,
)
