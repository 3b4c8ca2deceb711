import { expect, test } from 'vitest'
import { endpointsOfTree } from '@/server/test/endpoints.ts'
import { fleetResponse } from './problem.ts'
import { RUNTIME_ROUTES } from './runtime-door.ts'

test('the server in front of Next answers requests of runtimes like app/api/runtime', async () => {
  const endpoints = await endpointsOfTree()
  const ofRuntimes = endpoints.filter(({ name }) => name.includes(' /api/runtime/'))
  expect(RUNTIME_ROUTES).toEqual(
    Object.fromEntries(ofRuntimes.map(({ name, handler }) => [name, handler])),
  )
})

test('a fleet gets the response of the server in front, if there is one', async () => {
  class Quick extends Response {}
  const holder = globalThis as { signalboxResponse?: typeof Response }
  const plain = fleetResponse({ a: 1 })
  holder.signalboxResponse = Quick
  const quick = fleetResponse({ a: 1 })
  delete holder.signalboxResponse
  expect([plain instanceof Quick, quick instanceof Quick]).toEqual([false, true])
  expect(await quick.text()).toBe(await plain.text())
})
