import { expect, test, vi } from 'vitest'
import { type EventOutlet, eventStream } from './event-stream.ts'

const noSignal = new AbortController().signal
const chunk = (bytes: number) => new Uint8Array(bytes)

function opened() {
  const leave = vi.fn()
  let outlet: EventOutlet | undefined
  const body = eventStream(noSignal, async (given) => {
    outlet = given
    return leave
  })
  if (outlet === undefined) throw new Error('The stream was not opened.')
  return { body, leave, outlet }
}

test('the event stream of a stalled reader is closed, and nothing more is kept for it', async () => {
  const { body, leave, outlet } = opened()
  await Promise.resolve()
  for (let sent = 0; sent < 4; sent++) outlet.send(chunk(256 * 1024))
  expect(leave).not.toHaveBeenCalled()
  outlet.send(chunk(1))
  expect(leave).toHaveBeenCalledOnce()
  outlet.send(chunk(1))
  await expect(body.getReader().read()).rejects.toThrow('stalled')
})

test('the event stream of an active reader stays open for any amount of data', async () => {
  const { body, leave, outlet } = opened()
  const reader = body.getReader()
  for (let sent = 0; sent < 10; sent++) {
    outlet.send(chunk(1024 * 1024))
    expect((await reader.read()).value).toHaveLength(1024 * 1024)
  }
  expect(leave).not.toHaveBeenCalled()
  await reader.cancel()
  expect(leave).toHaveBeenCalledOnce()
})

test('events for a stream that failed to open are dropped without an error', async () => {
  let outlet: EventOutlet | undefined
  const body = eventStream(noSignal, async (given) => {
    outlet = given
    throw new Error('No database.')
  })
  await expect(body.getReader().read()).rejects.toThrow('No database.')
  expect(() => outlet?.send(chunk(1))).not.toThrow()
})
