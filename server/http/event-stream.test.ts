import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type EventOutlet, eventStream, writeEvents } from './event-stream.ts'

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

async function served(open: (outlet: EventOutlet) => Promise<() => void>) {
  const failed = vi.fn()
  const server = http.createServer((_, outgoing) => {
    writeEvents(outgoing, { 'content-type': 'text/event-stream' }, open).catch((error: Error) => {
      failed(error.message)
      outgoing.writeHead(503).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  // The server listens on TCP, so the address is never a path.
  const { port } = server.address() as AddressInfo
  const request = http.get({ port, host: '127.0.0.1', agent: false })
  const [response] = await once(request, 'response')
  return { failed, response: response as http.IncomingMessage }
}

function leavable() {
  const leave = vi.fn()
  const given: EventOutlet[] = []
  const open = async (outlet: EventOutlet): Promise<() => void> => {
    given.push(outlet)
    outlet.send(Buffer.from('first'))
    return leave
  }
  const send = (bytes: number): void => given[0]?.send(chunk(bytes))
  return { leave, open, send, close: () => given[0]?.close() }
}

test('a stream that is written to Node ends with its reader, and is left once', async () => {
  const { leave, open, send } = leavable()
  const { response } = await served(open)
  expect(String((await once(response, 'data'))[0])).toBe('first')
  response.destroy()
  await vi.waitFor(() => expect(leave).toHaveBeenCalledOnce())
  send(1)
  expect(leave).toHaveBeenCalledOnce()
})

test('a stream that is written to Node and closed by the server ends for its reader', async () => {
  const { leave, open, close } = leavable()
  const { response } = await served(open)
  const ended = once(response.resume(), 'end')
  close()
  await ended
  expect(leave).toHaveBeenCalledOnce()
})

test('a reader that stalls loses a stream that is written to Node', async () => {
  const { leave, open, send } = leavable()
  const { response } = await served(open)
  response.pause()
  const lost = once(response, 'error')
  // More than the buffers of both sockets hold.
  for (let sent = 0; sent < 64 && leave.mock.calls.length === 0; sent++) {
    send(1024 * 1024)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect(leave).toHaveBeenCalledOnce()
  response.resume()
  await lost
})

test('a stream that fails to open is answered with the failure instead of an empty stream', async () => {
  const { failed, response } = await served(() => Promise.reject(new Error('No database.')))
  expect(response.statusCode).toBe(503)
  expect(failed).toHaveBeenCalledWith('No database.')
})
