import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { forwardRequest, isForwarded } from './forward-request.mjs'

async function listen(answer: http.RequestListener): Promise<string> {
  const server = http.createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // A listening server of TCP has an address of this form.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a forwarded request arrives with its method, address, headers and body, and the answer comes back', async () => {
  const cell = await listen((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      const { method, url, headers } = request
      const told = { method, url, body, key: headers.authorization, host: headers.host }
      response.writeHead(201, { 'set-cookie': ['a=1', 'b=2'] })
      response.end(JSON.stringify({ ...told, isForwarded: isForwarded(request) }))
    })
  })
  const front = await listen((request, response) => forwardRequest(request, response, cell))
  const answer = await fetch(`${front}/api/x?y=1`, {
    method: 'POST',
    body: 'events',
    headers: { authorization: 'Bearer k' },
  })
  expect(answer.status).toBe(201)
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(await answer.json()).toEqual({
    method: 'POST',
    url: '/api/x?y=1',
    body: 'events',
    key: 'Bearer k',
    host: front.slice('http://'.length),
    isForwarded: true,
  })
})

test.each([
  ['without a scheme', (elsewhere: string) => elsewhere.slice('http:'.length)],
  ['with a scheme', (elsewhere: string) => elsewhere],
])('a path that reads like an address %s leads to the cell only', async (_, write) => {
  let strayed = 0
  const elsewhere = await listen((_request, response) => {
    strayed += 1
    response.end()
  })
  const cell = await listen((request, response) => response.end(request.url))
  const front = await listen((request, response) => forwardRequest(request, response, cell))
  const path = `${write(elsewhere)}/x`
  const { hostname, port } = new URL(front)
  const answer = await new Promise<string>((resolve, reject) => {
    http
      .get({ hostname, port, path }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('end', () => resolve(text))
      })
      .on('error', reject)
  })
  expect(strayed).toBe(0)
  expect(answer).toBe(path)
})

test('a stream is passed on as it comes, and ends at the cell when the client leaves', async () => {
  let ended = (): void => undefined
  const hasEnded = new Promise<void>((resolve) => {
    ended = resolve
  })
  const cell = await listen((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    response.once('close', ended)
  })
  const front = await listen((request, response) => forwardRequest(request, response, cell))
  const leaving = new AbortController()
  const answer = await fetch(front, { signal: leaving.signal })
  const first = await answer.body?.getReader().read()
  expect(new TextDecoder().decode(first?.value)).toBe('data: 1\n\n')
  leaving.abort()
  await hasEnded
})

test('a cell that does not answer is a 503 after which the sender may repeat the request', async () => {
  const front = await listen((request, response) =>
    forwardRequest(request, response, 'http://127.0.0.1:1'),
  )
  const answer = await fetch(front)
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('1')
})
