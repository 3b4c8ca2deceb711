import { SCENARIOS } from '@signalbox/testkit'
import { expect, test } from 'vitest'
import { selectSample } from '@/scripts/soak-sample.mjs'
import { compatibility } from './compatibility.ts'
import { pythonSocketDriver, pythonTcpDriver } from './python-driver.ts'

// The same calls on a socket and over TCP: each scenario runs in one of both ways.
compatibility(pythonSocketDriver, selectSample(SCENARIOS, 4, 2))
compatibility(pythonTcpDriver, selectSample(SCENARIOS, 4, 1))

test('a session of the Python client records the capabilities that the matrix shows', async () => {
  const config = { schema_version: 1, ns: 'compat', key: 'kit' } as const
  const { events } = await pythonSocketDriver.run({ config, script: [] })
  const started = events.find(({ type }) => type === 'session.started')
  expect(started?.data).toMatchObject({ capabilities: pythonSocketDriver.capabilities })
})
